"""`/why`, `/help`, `/about`: what the bot does and why, told from the things themselves (CMD-1, CMD-3)."""

from dataclasses import dataclass
from typing import Any

import discord
from discord import app_commands

from bot.discord_chat.channels import Channels, DeliveryError
from bot.discord_chat.commands.answering import CommandTree, Interaction, scene_of
from bot.discord_chat.decisions import Decisions
from bot.discord_chat.incoming import read_message
from bot.discord_chat.incoming_message import IncomingMessage
from bot.discord_chat.languages import called, described, told
from bot.discord_chat.message_decisions import MessageDecisions
from bot.discord_chat.trigger_modes import TriggerModes
from bot.discord_chat.trigger_rules import HOW_TO_CHANGE, Decision, Verdict
from core.sentences import sentence

_LONGEST = 2_000
_LOOKED_AT = 50
_UNKNOWN = sentence("I know nothing of that message.")
_NOTHING_SAID = sentence("I find no message of yours here.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Explaining:
    """What the commands tell from: what was decided, else what would be decided now."""

    decisions: Decisions
    deciding: MessageDecisions
    modes: TriggerModes
    channels: Channels
    version: str


def add_explaining_commands(tree: CommandTree, needs: Explaining) -> None:
    """Add the commands to `tree`; `/help` tells of all that are there when it is asked."""

    @tree.command(description="Tell why I answered your last message here, or why I did not.")
    async def why(interaction: Interaction) -> None:
        await interaction.response.defer(ephemeral=True)
        found = needs.decisions.latest(scene_of(interaction).channel_id, author_id=interaction.user.id)
        if found is not None:
            said = _decided(found.decision, _link(interaction, found.message_id))
        elif (message := await _latest_of(needs.channels, interaction)) is not None:
            said = await _by_rules(needs, interaction, message)
        else:
            said = told(_NOTHING_SAID)
        await interaction.followup.send(await _with_mode(needs, interaction, said), ephemeral=True)

    async def why_this(interaction: Interaction, message: discord.Message) -> None:
        await interaction.response.defer(ephemeral=True)
        found = needs.decisions.of(message.channel.id, message.id)
        user = interaction.client.user
        read = None if user is None else read_message(message, bot_user_id=user.id)
        if found is not None:
            said = _decided(found.decision, _link(interaction, message.id))
        elif read is not None and user is not None and read.author.id != user.id:
            said = await _by_rules(needs, interaction, read)
        else:
            said = told(_UNKNOWN)
        await interaction.followup.send(await _with_mode(needs, interaction, said), ephemeral=True)

    tree.add_command(app_commands.ContextMenu(name="Why?", callback=why_this))

    @tree.command(name="help", description="Show what I can do.")
    async def show_help(interaction: Interaction) -> None:
        await interaction.response.send_message(help_text(tree), ephemeral=True)

    @tree.command(description="Tell what I am.")
    async def about(interaction: Interaction) -> None:
        name = discord.utils.escape_markdown(interaction.client.user.name if interaction.client.user else "I")
        text = told(
            "**{name}** runs on Parley {version}, an open program under the MIT licence that a room"
            " can talk with.\nMention me or reply to me and I answer; `/help` shows the rest, `/status` what"
            " I run on.",
            name=name,
            version=needs.version,
        )
        await interaction.response.send_message(text, ephemeral=True)


def help_text(tree: CommandTree) -> str:
    """One line for each command and group, as they describe themselves; what finds no room is left out."""
    commands = sorted(tree.get_commands(type=discord.AppCommandType.chat_input), key=lambda one: one.name)
    lines = [told("Mention me or reply to me, and I answer; in direct messages just write.")]
    lines += [told("React with 🛑 to stop my reply, with 🔁 to ask again when it broke off."), ""]
    lines += [_help_line(command) for command in commands]
    menus = [called(menu.name) for menu in tree.get_commands(type=discord.AppCommandType.message)]
    if menus:
        lines += ["", told("On a message, under Apps: {menus}", menus=", ".join(menus))]
    while len("\n".join(lines)) > _LONGEST:
        lines.pop()
    return "\n".join(lines)


def _help_line(command: app_commands.Command[Any, ..., Any] | app_commands.Group) -> str:
    if isinstance(command, app_commands.Group):
        parts = ", ".join(called(part.name) for part in command.commands)
        return f"`/{called(command.name)}` {parts}: {described(command.description)}"
    return f"`/{called(command.name)}`: {described(command.description)}"


async def _latest_of(channels: Channels, interaction: Interaction) -> IncomingMessage | None:
    """The person's latest message in the channel, as Discord has it."""
    channel_id, guild_id = scene_of(interaction).channel_id, interaction.guild_id
    try:
        found = await channels.messages_before(
            channel_id, interaction.id, limit=_LOOKED_AT, guild_id=guild_id
        )
    except DeliveryError:
        return None
    own = [one for one in channels.read(found) if one.author.id == interaction.user.id]
    return own[-1] if own else None


async def _by_rules(needs: Explaining, interaction: Interaction, message: IncomingMessage) -> str:
    """What is not remembered, a restart forgets it, is judged anew, and said to be."""
    decision = await needs.deciding.without_record(message)
    would = told("answer it") if decision.verdict is Verdict.ANSWER else told("not answer it")
    return told(
        "What I decided about {link} I do not remember: it came before my last"
        " start, or long ago. By the settings of now I would {would}: {reason}.\n"
        "{how_to_change}",
        link=_link(interaction, message.id),
        would=would,
        reason=decision.reason,
        how_to_change=told(HOW_TO_CHANGE[decision.reason]),
    )


def _decided(decision: Decision, link: str) -> str:
    match decision.verdict:
        case Verdict.ANSWER:
            verdict = told("I answered")
        case Verdict.AMBIENT:
            verdict = told("I did not answer (I may read it as context)")
        case Verdict.IGNORE:
            verdict = told("I did not answer")
    return told(
        "{verdict} {link}: {reason}.\n{how_to_change}",
        verdict=verdict,
        link=link,
        reason=decision.reason,
        how_to_change=told(HOW_TO_CHANGE[decision.reason]),
    )


async def _with_mode(needs: Explaining, interaction: Interaction, said: str) -> str:
    if interaction.guild_id is None:
        return said
    channel = interaction.channel
    parent_id = channel.parent_id if isinstance(channel, discord.Thread) else None
    choice = await needs.modes.choice(scene_of(interaction), parent_id=parent_id)
    return told(
        "{said}\nThe mode here is `{mode}` ({chosen}).",
        said=said,
        mode=choice.mode.value,
        chosen=choice.chosen,
    )


def _link(interaction: Interaction, message_id: int) -> str:
    place = interaction.guild_id or "@me"
    return f"https://discord.com/channels/{place}/{interaction.channel_id}/{message_id}"
