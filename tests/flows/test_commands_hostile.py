"""CMD-2: whatever is typed into a command, it is answered in time and in words."""

from collections.abc import Iterator
from typing import Any

import pytest

from recipes.recipe import Everywhere
from recipes.recipe_form import RecipeDraft
from tests.fake_discord.entities import Json
from tests.fake_discord.interactions import CallbackKind
from tests.flows.recipe_room import all_text, owner
from tests.flows.scripted_services import Talking
from tests.flows.slash_commands import registered
from tests.flows.text_room import TextRoom

_GROUPS = (1, 2)
_STRING, _BOOLEAN, _USER, _CHANNEL, _FILE = 3, 5, 6, 7, 11
_PUBLIC = ("ask", "recipe run", "session reset", "persona set")
_HOSTILE = (
    "@everyone <@&1> <#1> `x` ||y|| [z](https://evil.example) {name} {0} %s \\",
    "\u202e\u0637\u0648\u0644\u2066 \u200b\ufdfa \U000e0041 a\u0301\u0301 \x1b[0m -1 1e999 \u0663 ../../etc",
    "\U0001f98a" * 3_000,
    "",
)


def leaves(one: Json, path: str) -> Iterator[tuple[str, list[Json]]]:
    """The commands that can be given, with their options."""
    options = one.get("options") or []
    if any(inner["type"] in _GROUPS for inner in options):
        for inner in options:
            yield from leaves(inner, f"{path} {inner['name']}")
    else:
        yield path, options


def given(room: TextRoom, option: Json, text: str) -> Any:
    """What Discord lets somebody give for that option."""
    if option.get("choices"):
        return option["choices"][len(text) % len(option["choices"])]["value"]
    values: dict[int, Any] = {
        _STRING: text[: option.get("max_length", 6_000)].ljust(option.get("min_length", 0), "x"),
        _BOOLEAN: len(text) % 2 == 0,
        _USER: room.discord.grace,
        _CHANNEL: room.general,
        _FILE: room.discord.humans.attach(room.general, f"{text[:20]}.json", text.encode()),
    }
    return values[option["type"]]


@pytest.mark.parametrize("place", ["server", "direct messages"])
@pytest.mark.parametrize("who", ["member", "owner"])
async def test_hostile_words_are_answered(room: TextRoom, who: str, place: str) -> None:
    """CMD-2: every command, in a second, to that person alone, without pinging anybody."""
    by = room.ada if who == "member" else owner(room)
    where = room.general if place == "server" else room.discord.world.dm(by)
    async with room.bot(speech=Talking().services):
        await registered(room)
        commands = [
            leaf
            for command in room.discord.commands.listed()
            if command.kind == 1 and (where.guild is not None or 1 in command.definition["contexts"])
            for leaf in leaves(command.definition, command.name)
            if leaf[0] not in _PUBLIC
        ]
        assert len(commands) > 50
        for text in _HOSTILE:
            asked = [
                room.discord.humans.run_command(
                    where, by, name, options={one["name"]: given(room, one, text) for one in options}
                )
                for name, options in commands
            ]
            for (name, _), one in zip(commands, asked, strict=True):
                await one.responded(within_s=10)
                if one.callback is CallbackKind.MODAL:
                    continue
                shown = await one.shown(within_s=10)
                said = all_text(shown)
                assert said.strip() or shown.attachments, name
                assert "did not work" not in said, name
                assert shown.ephemeral, name
                assert shown.pinged == set(), name


async def test_hostile_words_are_completed(room: TextRoom) -> None:
    """CMD-1: Discord takes no list of choices in which one is too long, and only 25."""
    long = "\U0001f98a" * 90
    async with room.bot(speech=Talking().services) as core:
        await registered(room)
        for number in range(30):
            draft = RecipeDraft(name=f"{number:02}{long}"[:64], purpose="p", steps="s")
            await core.domains.library.add(draft, scope=Everywhere(), author="1")
            (room.folder / "personas" / f"{number:02}{'p' * 200}.md").write_text("I am.")
            options = {"name": f"{number:02}{long}"[:60], "items": "x"}
            await room.discord.humans.run_command(
                room.general, owner(room), "notes add", options=options
            ).shown()
        asked = [
            (
                name,
                room.discord.humans.autocomplete(
                    room.general, owner(room), name, focused=option["name"], options={option["name"]: text}
                ),
            )
            for command in room.discord.commands.listed()
            for name, options in leaves(command.definition, command.name)
            for option in options
            if option.get("autocomplete")
            for text in ("", "0", *_HOSTILE[:3])
        ]
        assert len(asked) > 50
        for name, one in asked:
            await one.responded(within_s=10)
            assert len(one.choices) <= 25, name
            assert all(1 <= len(choice["name"]) <= 100 for choice in one.choices), name
            assert all(len(choice["value"]) <= 100 for choice in one.choices), name
