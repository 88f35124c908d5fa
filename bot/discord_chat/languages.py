"""What the bot says in the language of who reads it: the one place that chooses (CMD-1).

The answer to an interaction is read by one person: it comes in the language of their client. What stands in a
channel is read by many: `Readers` knows what they read. English is what stands in the code; the tables of the
other languages are data, one file each, keyed by the English.

`speak` sets the language of a task from its first line on, so whatever is said on the way need not be handed
it; `speaking` sets it for a block, for what others read.
"""

import json
import re
from collections.abc import Generator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Final, Literal, TypeAlias

import discord

from core.sentences import Sentence

LOCALES: Final = (
    discord.Locale.chinese,
    discord.Locale.taiwan_chinese,
    discord.Locale.japanese,
    discord.Locale.korean,
)
Kind: TypeAlias = Literal["names", "texts", "sentences"]
Table: TypeAlias = Mapping[Kind, Mapping[str, str]]
_FOLDER: Final = Path(__file__).parent / "locales"
_COMMAND: Final = re.compile(r"`/([a-z-]+(?: [a-z-]+)*)([^`]*)`")
_language: ContextVar[str] = ContextVar("language", default=discord.Locale.american_english.value)


@cache
def read_tables() -> Mapping[str, Table]:
    """The tables by language: `names` of commands, options and choices, `texts` of descriptions, `sentences`.

    The first call blocks.
    """
    return {one.value: json.loads((_FOLDER / f"{one.value}.json").read_text("utf-8")) for one in LOCALES}


def speak(locale: discord.Locale) -> None:
    """From now on this task, and whatever it begins, says everything in that language."""
    _language.set(locale.value)


@contextmanager
def speaking(locale: discord.Locale | None) -> Generator[None]:
    """Inside the block everything is said in that language; None: in English."""
    token = _language.set(discord.Locale.american_english.value if locale is None else locale.value)
    try:
        yield
    finally:
        _language.reset(token)


def told(said: str, /, **values: object) -> str:
    """`said` in the language of the reader, with its values in their places.

    Sentences among the values are told, too, words of an enumeration and refusals; what no table holds stays
    English.
    """
    template = said.template if isinstance(said, Sentence) else said
    filled = said.values if isinstance(said, Sentence) and said.values else values
    words = _table().get("sentences", {}).get(template)
    if words is None:
        words = template
    elif "`/" in words:
        words = _COMMAND.sub(_named, words)
    return words.format(**{name: _value(value) for name, value in filled.items()}) if filled else words


def said_in(language: str, said: str) -> str:
    """`said` in a spoken language (ISO 639-1), or in English where there is no table of it."""
    locale = next((one for one in LOCALES if one.value.split("-")[0] == language), None)
    with speaking(locale):
        return told(said)


def speaking_to_all(interaction: discord.Interaction[discord.Client]) -> AbstractContextManager[None]:
    """For what an interaction makes stand in a channel, where others read it, too."""
    return speaking(interaction.guild_locale or interaction.locale)


def words_of(error: Exception) -> str:
    """What an exception says to a person; a sentence stays one, for `told`."""
    said = error.args[0] if error.args else ""
    return said if isinstance(said, str) else str(error)


def described(command_text: str) -> str:
    """The description of a command, as Discord shows it to the reader."""
    return _table().get("texts", {}).get(command_text, command_text)


def called(name: str) -> str:
    """The name of a command, as Discord shows it to the reader."""
    return _table().get("names", {}).get(name, name)


def _table() -> Table:
    return read_tables().get(_language.get(), {})


def _value(value: object) -> object:
    if isinstance(value, Sentence | StrEnum):
        return told(value)
    return told(words_of(value)) if isinstance(value, Exception) else value


def _named(found: re.Match[str]) -> str:
    """A command in a sentence, by the names that the reader's client shows."""
    return f"`/{' '.join(map(called, found[1].split()))}{found[2]}`"
