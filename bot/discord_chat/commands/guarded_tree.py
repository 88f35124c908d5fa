"""The commands of the bot, kept from people and places that its owner's lists leave out (TEXT-9)."""

from collections.abc import Callable

import discord
from discord import app_commands

from bot.discord_chat.commands.answering import Refused

Serves = Callable[[discord.Interaction[discord.AutoShardedClient]], bool]
"""Whether the person is served there."""


class GuardedTree(app_commands.CommandTree[discord.AutoShardedClient]):
    """Asks `serves` before every command; all are served while it is None."""

    serves: Serves | None = None

    async def interaction_check(self, interaction: discord.Interaction[discord.AutoShardedClient], /) -> bool:
        """See `CommandTree`.

        Raises:
            Refused: with the sentence for the person; a list of choices is just empty.
        """
        if self.serves is None or self.serves(interaction):
            return True
        if interaction.type is discord.InteractionType.autocomplete:
            return False
        raise Refused("I may not serve you here; the bot's owner keeps the list.")
