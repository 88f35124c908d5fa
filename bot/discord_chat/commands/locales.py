"""Commands in the languages of the people who read them: names, descriptions, options, choices (CMD-1).

English is what stands in the code. The tables of the others are data, one file each, keyed by the English;
what is missing there stays English.
"""

import asyncio
import json
from pathlib import Path
from typing import Any, Final

import discord
from discord import app_commands
from discord.app_commands import TranslationContextLocation as Location

LOCALES: Final = (discord.Locale.chinese, discord.Locale.japanese, discord.Locale.korean)
_FOLDER: Final = Path(__file__).parent.parent / "locales"
_TEXTS: Final = frozenset(
    {Location.command_description, Location.group_description, Location.parameter_description}
)


class CommandWords(app_commands.Translator):
    """The `Translator` of the command tree; reads its tables when the tree takes it."""

    def __init__(self) -> None:
        self._tables: dict[discord.Locale, dict[str, dict[str, str]]] = {}

    async def load(self) -> None:
        """Read every table."""
        self._tables = await asyncio.to_thread(read_tables)

    async def translate(
        self,
        string: app_commands.locale_str,
        locale: discord.Locale,
        context: app_commands.TranslationContext[Any, Any],
    ) -> str | None:
        """The words in that language; None: as in English."""
        kind = "texts" if context.location in _TEXTS else "names"
        return self._tables.get(locale, {}).get(kind, {}).get(string.message)


def read_tables() -> dict[discord.Locale, dict[str, dict[str, str]]]:
    """The tables by language: `names` of commands, options and choices, `texts` of descriptions. Blocks."""
    return {locale: json.loads((_FOLDER / f"{locale.value}.json").read_text("utf-8")) for locale in LOCALES}
