"""Commands in the languages of the people who read them: names, descriptions, options, choices (CMD-1).

What is missing in a table stays English.
"""

import asyncio
from typing import Any, Final

import discord
from discord import app_commands
from discord.app_commands import TranslationContextLocation as Location

from bot.discord_chat.languages import read_tables

_TEXTS: Final = frozenset(
    {Location.command_description, Location.group_description, Location.parameter_description}
)


class CommandWords(app_commands.Translator):
    """The `Translator` of the command tree; has the tables read when the tree takes it."""

    async def load(self) -> None:
        """Read every table."""
        await asyncio.to_thread(read_tables)

    async def translate(
        self,
        string: app_commands.locale_str,
        locale: discord.Locale,
        context: app_commands.TranslationContext[Any, Any],
    ) -> str | None:
        """The words in that language; None: as in English."""
        table = read_tables().get(locale.value, {})
        return table.get("texts" if context.location in _TEXTS else "names", {}).get(string.message)
