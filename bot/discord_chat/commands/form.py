"""What every form keeps: the language of who fills it in, and one sentence for every error (CMD-1, CMD-2)."""

import discord

from bot.discord_chat.commands.answering import AnyInteraction, answer_error
from bot.discord_chat.commands.guarded_tree import require_served
from bot.discord_chat.languages import speak


class Form(discord.ui.Modal):
    """A form that a command or a button opens."""

    async def interaction_check(self, interaction: AnyInteraction, /) -> bool:
        """Before what was written is taken."""
        speak(interaction.locale)
        require_served(interaction)
        return True

    async def on_error(self, interaction: AnyInteraction, error: Exception) -> None:
        """One sentence, as for commands."""
        await answer_error(interaction, error)
