"""Helpers for flows of recipes and memory: who asks, what a request held, what a command answered."""

from typing import Any

from tests.fake_discord.entities import Channel, Message, User
from tests.fake_discord.interactions import Interaction
from tests.fake_discord.permissions import Permission
from tests.fake_discord.rich_content import walk
from tests.flows.text_room import TextRoom

_TEXT_DISPLAY = 10


def manager(room: TextRoom, name: str = "boss") -> User:
    """Somebody who may manage the server."""
    user = room.discord.world.add_user(name, global_name=name.capitalize())
    role = room.discord.world.add_role(room.discord.guild, "managers", permissions=Permission.MANAGE_GUILD)
    room.discord.world.add_member(room.discord.guild, user, roles=[role])
    return user


def owner(room: TextRoom) -> User:
    """The application's owner, who is in the server."""
    return room.discord.world.owner


def private_channel(room: TextRoom, name: str = "private") -> Channel:
    """A channel that @everyone cannot see."""
    channel = room.discord.world.add_channel(room.discord.guild, name)
    everyone = room.discord.guild.roles[room.discord.guild.id]
    for user in (room.ada, room.discord.grace, owner(room), room.discord.bot):
        room.discord.humans.set_overwrite(channel, user, allow=Permission.VIEW_CHANNEL)
    room.discord.humans.set_overwrite(channel, everyone, deny=Permission.VIEW_CHANNEL)
    return channel


def run(
    room: TextRoom, command: str, /, *, by: User | None = None, channel: Channel | None = None, **options: Any
) -> Interaction:
    """A slash command; by the owner in #general unless somebody else is named."""
    return room.discord.humans.run_command(
        channel or room.general, by or owner(room), command, options=options
    )


async def commands_known(room: TextRoom) -> None:
    """The commands are registered, which does not hold up the start."""
    await room.discord.recorder.request("PUT", "/applications/{application_id}/commands")


async def told(interaction: Interaction) -> Message:
    """The answer, which began within a second (CMD-2)."""
    message = await interaction.shown()
    assert interaction.response_time_s is not None
    assert interaction.response_time_s < 1.0
    return message


def all_text(message: Message) -> str:
    """Content and cards of a message as one text."""
    texts = (one["content"] for one in walk(message.components) if one["type"] == _TEXT_DISPLAY)
    parts = [message.content, *texts]
    for embed in message.embeds:
        parts += [str(embed.get("title", "")), str(embed.get("description", ""))]
        parts += [f"{field['name']}: {field['value']}" for field in embed.get("fields", [])]
        parts.append(str(embed.get("footer", {}).get("text", "")))
    return "\n".join(part for part in parts if part)


def fields_of(form: Interaction) -> dict[str, dict[str, Any]]:
    """The text fields of a form by their custom id."""
    rows = form.callback_data["components"]
    return {row["component"]["custom_id"]: row["component"] for row in rows}


def last_said(body: dict[str, Any]) -> str:
    """The last message of a person in a Chat request."""
    return [one["content"] for one in body["messages"] if one["role"] == "user"][-1]


def tool_names(body: dict[str, Any]) -> list[str]:
    """The tools that a Chat request offers."""
    return [tool["function"]["name"] for tool in body.get("tools", [])]


def put_recipe(room: TextRoom, path: str, text: str) -> None:
    """A recipe file of the deployment."""
    file = room.folder / "recipes.d" / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


BRIEF = "---\nname: brief\npurpose: Short answers.\nkeywords: [brief, kurz]\n---\n1. Answer in one line."
"""A skill with keywords."""

LATE = """\
---
name: late
purpose: Whether it is late.
keywords: [hour]
decision:
  question: Is it late?
  default: 3
  answers:
    - {answer: early, action: reply}
    - {answer: very late, action: quiet}
    - {answer: a little, action: hint, hint: Whisper.}
    - {answer: ask the poet, action: recipe, recipe: verse}
---
"""
"""A decision with each of the four actions."""

VERSE = "---\nname: verse\npurpose: Poems.\nkeywords: [verse]\n---\n1. Rhyme."
TASK = "---\nname: dig\npurpose: Long work.\nkeywords: [dig]\nbackground: true\n---\n1. Dig for an hour."
