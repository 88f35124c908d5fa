"""What every form keeps: the language of who fills it in, and one sentence for every error (CMD-1, CMD-2)."""

from typing import Final

import discord

from bot.discord_chat.commands.answering import AnyInteraction, answer_error
from bot.discord_chat.commands.guarded_tree import require_served
from bot.discord_chat.commands.parts import shortened
from bot.discord_chat.languages import speak

_LONGEST_TITLE: Final = 45  # Discord: characters
_FILLED_IN_WITHIN_S: Final = 86_400.0
"""Discord does not tell that a form was closed: what is not sent by then is forgotten."""


class Form(discord.ui.Modal):
    """A form that a command or a button opens."""

    def __init__(self, *, title: str) -> None:
        super().__init__(title=shortened(title, _LONGEST_TITLE), timeout=_FILLED_IN_WITHIN_S)

    async def interaction_check(self, interaction: AnyInteraction, /) -> bool:
        """Before what was written is taken."""
        speak(interaction.locale)
        require_served(interaction)
        return True

    async def on_error(self, interaction: AnyInteraction, error: Exception) -> None:
        """One sentence, as for commands."""
        await answer_error(interaction, error)
