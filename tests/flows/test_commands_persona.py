"""`/persona` over the wire: who the bot is, chosen and edited, from the next reply on (CORE-44, SET-8)."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from tests.fake_discord.interactions import CallbackKind, Interaction
from tests.fake_discord.world import Channel, User
from tests.fake_models import Answer
from tests.flows.slash_commands import registered, run, shown, told, told_alone
from tests.flows.text_room import TextRoom

PIRATE = "---\nname: Anne\n---\nYou are {name}, a pirate."


def persona(
    room: TextRoom, command: str, /, *, by: User | None = None, channel: Channel | None = None, **options: Any
) -> Coroutine[Any, Any, Interaction]:
    """The owner of server and bot gives a `/persona` command."""
    return run(room, f"persona {command}", by=by or room.discord.world.owner, channel=channel, **options)


async def instructions(room: TextRoom, channel: Channel) -> str:
    """The system prompt of a new message's request."""
    before = len(room.models.requests)
    room.says("hello", channel=channel)
    request = await room.models.wait_for_request(before + 1)
    return request.body["messages"][0]["content"]


def put(room: TextRoom, key: str, text: str) -> None:
    folder = room.folder / "personas"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{key}.md").write_text(text)


async def test_a_channel_goes_before_its_server_and_the_server_before_the_default(room: TextRoom) -> None:
    """CORE-44, SET-8: set, seen in the next request, kept across a restart, taken back."""
    other = room.discord.world.add_channel(room.discord.guild, "deck")
    put(room, "pirate", PIRATE)
    put(room, "cook", "You are {name}, a cook.")
    async with room.bot(BOT_NAME="Rosie") as core:
        assert "You are Rosie" in await instructions(room, room.general)
        said = await told(persona(room, "set", name="pirate", where="server"))
        assert "**Anne**" in said
        assert "chosen for this server" in said
        assert "You are Anne, a pirate." in await instructions(room, room.general)
        assert "chosen for this channel" in await told(persona(room, "set", name="cook", channel=other))
        await room.quiet(core)
    async with room.bot(BOT_NAME="Rosie"):
        assert "You are cook, a cook." in await instructions(room, other)
        assert "You are Anne, a pirate." in await instructions(room, room.general)
        await told(persona(room, "set", channel=other))
        assert "You are Anne, a pirate." in await instructions(room, other)
        await told(persona(room, "set", where="server"))
        assert "You are Rosie" in await instructions(room, other)


async def asked_until(room: TextRoom, words: str) -> None:
    """Run after run, until one has them in its instructions."""
    async with asyncio.timeout(5):
        while words not in await instructions(room, room.general):
            pass


async def test_an_edited_file_acts_within_a_second_and_a_broken_one_does_not(room: TextRoom) -> None:
    """CORE-44: the previous good text stays; `/persona list` says what is wrong."""
    put(room, "pirate", PIRATE)
    async with room.bot():
        await told(persona(room, "set", name="pirate"))
        put(room, "pirate", "You are {name}, retired.")
        await asked_until(room, "You are pirate, retired.")
        put(room, "pirate", "---\nname: Anne")
        listed = await told(persona(room, "list", by=room.discord.grace))
        assert "You are pirate, retired." in await instructions(room, room.general)
    assert "`pirate`: cannot be used, line 1" in listed
    assert "`default`" in listed


async def test_the_persona_s_name_is_not_written_before_its_words(room: TextRoom) -> None:
    """CORE-44, CORE-22: what the model calls itself follows the persona."""
    put(room, "pirate", PIRATE)
    async with room.bot() as core:
        await told(persona(room, "set", name="pirate"))
        room.models.script(Answer(text=("Anne: ", "Ahoy.")))
        room.says("hello")
        await room.answer("Ahoy.")
        await room.quiet(core)
    assert room.answers()[-1] == "Ahoy."


async def test_a_small_model_is_told_the_name_alone(room: TextRoom) -> None:
    """CORE-44, CORE-46."""
    put(room, "pirate", PIRATE)
    async with room.bot(SMALL_MODEL_PROFILE="on"):
        await told(persona(room, "set", name="pirate"))
        prompt = await instructions(room, room.general)
    assert prompt.startswith("You are Anne, a friendly companion")
    assert "pirate" not in prompt


async def test_the_owner_writes_a_persona_in_a_form(room: TextRoom) -> None:
    """CORE-44, CMD-2: the form holds the file; what is sent becomes it; a broken text is handed back."""
    put(room, "pirate", PIRATE)
    humans = room.discord.humans
    file = room.folder / "personas" / "pirate.md"
    async with room.bot():
        form = await (await persona(room, "edit", name="pirate")).responded()
        assert form.callback is CallbackKind.MODAL
        field = field_of(form)
        assert field["value"] == PIRATE
        sent = humans.submit_modal(form, {field["custom_id"]: "You are {name}, kind."})
        assert "**pirate**" in await told(sent)
        assert file.read_text() == "You are {name}, kind.\n"

        form = await (await persona(room, "edit", name="pirate")).responded()
        sent = humans.submit_modal(form, {field_of(form)["custom_id"]: "---\nYou are lost."})
        handed_back = await shown(sent)
        assert "line 1" in handed_back.content
        assert handed_back.attachments[0].content == b"---\nYou are lost."
        assert file.read_text() == "You are {name}, kind.\n"

        form = await (await persona(room, "edit", name="new one")).responded()
        await told(humans.submit_modal(form, {field_of(form)["custom_id"]: "You are new."}))
        assert (room.folder / "personas" / "new one.md").exists()


async def test_names_are_completed(room: TextRoom) -> None:
    """CMD-1."""
    for key in ("pirate", "Pilot", "cook"):
        put(room, key, PIRATE)
    async with room.bot():
        await registered(room)
        asked = room.discord.humans.autocomplete(
            room.general, room.discord.world.owner, "persona set", focused="name", options={"name": "pi"}
        )
        await asked.responded()
    assert [choice["value"] for choice in asked.choices] == ["Pilot", "pirate"]


async def test_show_gives_the_text_to_managers_alone(room: TextRoom) -> None:
    """CMD-2: to them alone; a long text is a file."""
    put(room, "pirate", PIRATE)
    put(room, "long", "You talk. " * 300)
    async with room.bot():
        assert PIRATE in await told_alone(persona(room, "show", name="pirate"))
        await told(persona(room, "set", name="long"))
        long = await shown(persona(room, "show"))
        assert long.attachments[0].content.startswith(b"You talk. ")
        assert "Manage Server" in await told(persona(room, "show", by=room.discord.grace))


async def test_a_text_with_code_and_a_long_list_find_room(room: TextRoom) -> None:
    """CMD-2: a fence in a text ends none of ours; what a list leaves out is counted."""
    put(room, "novel", "n" * 4_001)
    put(room, "coder", "You code:\n```py\nx = 1\n```")
    for number in range(60):
        put(room, f"p{number:02}", PIRATE)
    async with room.bot():
        coder = await shown(persona(room, "show", name="coder"))
        assert coder.attachments[0].content.startswith(b"You code:")
        assert "too long for a form" in await told_alone(persona(room, "edit", name="novel"))
        listed = await told(persona(room, "list"))
        assert listed.endswith("- and 13 more")
        assert listed.count("\n- `") == 50
        assert len(listed) <= 2_000


@pytest.mark.parametrize(("command", "said"), [("set", "Manage Server"), ("edit", "owner")])
async def test_who_may_not_is_told_so_in_one_sentence(room: TextRoom, command: str, said: str) -> None:
    """CMD-2: permissions are checked here, whatever the client shows."""
    put(room, "pirate", PIRATE)
    async with room.bot():
        sentence = await told_alone(persona(room, command, by=room.discord.grace, name="pirate"))
    assert said in sentence
    assert sentence.count(".") == 1


@pytest.mark.parametrize("name", ["nobody", "../default", "a" * 90])
async def test_an_unknown_persona_changes_nothing(room: TextRoom, name: str) -> None:
    """CORE-44, CMD-2."""
    async with room.bot():
        assert "There is no persona" in await told_alone(persona(room, "set", name=name))
        assert "the default" in await told(persona(room, "list"))


async def test_in_a_direct_message_the_person_chooses_and_there_is_no_server(room: TextRoom) -> None:
    """CORE-44, SCENE-6: a choice in a direct message is of that message alone."""
    put(room, "pirate", PIRATE)
    direct = room.discord.world.dm(room.ada)
    async with room.bot():
        assert "no server" in await told(persona(room, "set", by=room.ada, channel=direct, where="server"))
        await told(persona(room, "set", by=room.ada, channel=direct, name="pirate"))
        assert "You are Anne" in await instructions(room, direct)
        assert "You are Parley" in await instructions(room, room.general)


def field_of(form: Interaction) -> dict[str, Any]:
    """The one text field of a form."""
    (row,) = form.callback_data["components"]
    return row["component"]
