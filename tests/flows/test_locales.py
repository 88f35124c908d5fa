"""CMD-1: every command, option, choice and description in Chinese, Japanese and Korean beside English."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from discord import Locale

from bot.discord_chat.languages import LOCALES, Kind, read_tables
from tests.flows.scripted_services import Talking
from tests.flows.slash_commands import registered, run, told_alone
from tests.flows.text_room import TextRoom

_CHAT_INPUT, _MESSAGE = 1, 3
_LONGEST_NAME, _LONGEST_TEXT = 32, 100


def described(one: dict[str, Any], path: str, kind: int) -> Iterator[tuple[str, dict[str, Any], int]]:
    """Everything with a name in a command, with its place in it and the kind of its command."""
    yield path, one, kind
    for inner in one.get("options") or ():
        yield from described(inner, f"{path} {inner['name']}", kind)
    for choice in one.get("choices") or ():
        yield f"{path} [{choice['name']}]", choice, 0


async def test_every_command_is_told_in_every_language(room: TextRoom) -> None:
    """CMD-1, CMD-2: as Discord was given it; what is missing is named, with the table it belongs in."""
    async with room.bot(speech=Talking().services):
        await registered(room)
        commands = [command.definition for command in room.discord.commands.listed()]
    missing: list[str] = []
    for command in commands:
        kind = command.get("type") or _CHAT_INPUT
        for path, one, _ in described(command, command["name"], kind):
            for locale in LOCALES:
                if locale.value not in (one.get("name_localizations") or {}):
                    missing.append(f"{locale.value}.json names: {one['name']!r} (/{path})")
                if one.get("description") and locale.value not in (
                    one.get("description_localizations") or {}
                ):
                    missing.append(f"{locale.value}.json texts: {one['description']!r} (/{path})")
    assert missing == [], "\n".join(missing)


async def test_names_fit_and_stay_apart_in_every_language(room: TextRoom) -> None:
    """CMD-1: Discord's form of names; two beside each other never share one; `/help` has all."""
    async with room.bot(speech=Talking().services):
        await registered(room)
        commands = [command.definition for command in room.discord.commands.listed()]
        for locale in LOCALES:
            room.ada.locale = locale.value
            said = await told_alone(run(room, "help"))
            assert all(one["name_localizations"][locale.value] in said for one in commands), said
            assert re.search(r"[A-Za-z]{4,} [A-Za-z]{3,} [A-Za-z]{3,}", said) is None
    for locale in LOCALES:
        top = [one["name_localizations"][locale.value] for one in commands]
        assert len(set(top)) == len(top)
        for command in commands:
            kind = command.get("type") or _CHAT_INPUT
            for path, one, of in described(command, command["name"], kind):
                name = one["name_localizations"][locale.value]
                assert len(name) <= _LONGEST_NAME, path
                assert of != _CHAT_INPUT or re.fullmatch(r"[\w-]+", name), path
                assert of != _CHAT_INPUT or name == name.lower(), path
                beside = [each["name_localizations"][locale.value] for each in one.get("options") or ()]
                assert len(set(beside)) == len(beside), path


async def test_a_form_and_its_answer_come_in_the_language_of_who_fills_it_in(room: TextRoom) -> None:
    """CMD-1: labels, title, answer and refusal; of Taiwan's own table, too."""
    room.ada.locale = Locale.taiwan_chinese.value
    values: dict[str, str | list[str]] = {"title": "t", "summary": "s", "text": "x"}
    async with room.bot():
        await registered(room)
        form = await (await run(room, "memory add")).responded()
        assert form.callback_data["title"] == "記住"
        labels = [row["label"] for row in form.callback_data["components"]]
        assert labels == ["標題", "摘要", "內文"]
        kept = room.discord.humans.submit_modal(form, values)
        assert await told_alone(kept) == "已記住為 `m1`。"
        form = await (await run(room, "memory add")).responded()
        again = room.discord.humans.submit_modal(form, values)
        assert (await told_alone(again)).startswith("未保存。已有同標題的項目：m1。")


def size(one: dict[str, Any]) -> int:
    """The characters of a command as Discord counts them: of each text that of the longest language."""
    texts = [one["name"], *(one.get("name_localizations") or {}).values()]
    described_as = [one.get("description") or "", *(one.get("description_localizations") or {}).values()]
    inner = (*(one.get("options") or ()), *(one.get("choices") or ()))
    own = max(map(len, texts)) + max(map(len, described_as)) + len(str(one.get("value", "")))
    return own + sum(map(size, inner))


async def test_commands_stay_within_discord_s_bounds(room: TextRoom) -> None:
    """CMD-1: a sync that breaks one of them leaves the bot without any command."""
    async with room.bot(speech=Talking().services):
        await registered(room)
        commands = [command.definition for command in room.discord.commands.listed()]
    kinds = Counter(command.get("type") or _CHAT_INPUT for command in commands)
    assert kinds[_CHAT_INPUT] <= 100
    assert kinds[_MESSAGE] <= 5
    for command in commands:
        assert size(command) <= 8_000
        for path, one, _ in described(command, command["name"], _CHAT_INPUT):
            assert len(one.get("options") or ()) <= 25, path
            assert len(one.get("choices") or ()) <= 25, path
            assert len(one.get("description") or "") <= _LONGEST_TEXT, path


def test_the_tables_hold_the_same_words_and_short_texts() -> None:
    """CMD-1: whoever adds to one language adds to all."""
    tables = read_tables()
    kinds: tuple[Kind, ...] = ("names", "texts", "sentences")
    for kind in kinds:
        keys = [set(tables[locale.value][kind]) for locale in LOCALES]
        assert all(each == keys[0] for each in keys)
    for locale in LOCALES:
        assert max(map(len, tables[locale.value]["texts"].values())) <= _LONGEST_TEXT
