"""The commands of the bot, kept from people and places that its owner's lists leave out (TEXT-9)."""

from collections.abc import Callable, Sequence

import discord
from discord import app_commands
from discord.utils import MISSING

from bot.discord_chat.access_list_rules import AccessLists, admits
from bot.discord_chat.commands.answering import AnyCommand, AnyInteraction, Refused
from bot.discord_chat.incoming import role_ids_of
from bot.discord_chat.languages import speak
from core.sentences import sentence

Serves = Callable[[AnyInteraction], bool]
"""Whether the person is served there."""


class GuardedTree(app_commands.CommandTree[discord.AutoShardedClient]):
    """Asks `serves` before every command; all are served while it is None."""

    serves: Serves | None = None

    def add_command(
        self,
        command: AnyCommand,
        /,
        *,
        guild: discord.abc.Snowflake | None = MISSING,
        guilds: Sequence[discord.abc.Snowflake] = MISSING,
        override: bool = False,
    ) -> None:
        """Offered in servers and, where it is no command of servers, in direct messages with the bot.

        In group chats and in direct messages of others the bot is not, and could not answer.
        """
        command.allowed_contexts = app_commands.AppCommandContext(
            guild=True, dm_channel=not command.guild_only, private_channel=False
        )
        super().add_command(command, guild=guild, guilds=guilds, override=override)

    async def interaction_check(self, interaction: discord.Interaction[discord.AutoShardedClient], /) -> bool:
        """See `CommandTree`.

        Raises:
            Refused: with the sentence for the person; a list of choices is just empty.
        """
        speak(interaction.locale)
        if interaction.type is discord.InteractionType.autocomplete:
            if self.serves is None or self.serves(interaction):
                return True
            await interaction.response.autocomplete([])
            return False
        self.require_served(interaction)
        return True

    def require_served(self, interaction: AnyInteraction) -> None:
        """Pass whom the owner serves.

        Raises:
            Refused: somebody else.
        """
        if self.serves is not None and not self.serves(interaction):
            raise Refused(sentence("I may not serve you here; the bot's owner keeps the list."))


class GuardedClient(discord.AutoShardedClient):
    """A client whose commands, buttons and forms are for those alone whom its owner serves."""

    tree: GuardedTree


def require_served(interaction: AnyInteraction) -> None:
    """Pass a button or a form as commands pass.

    Raises:
        Refused: somebody whom the owner leaves out.
    """
    if isinstance(interaction.client, GuardedClient):
        interaction.client.tree.require_served(interaction)


def served(lists: AccessLists, is_owner: Callable[[int], bool]) -> Serves:
    """By the lists that hold for messages, too; the owner always is."""

    def serves(interaction: AnyInteraction) -> bool:
        user, channel = interaction.user, interaction.channel
        if lists.are_empty or is_owner(user.id):
            return True
        parent_id = channel.parent_id if isinstance(channel, discord.Thread) else None
        return admits(
            lists,
            guild_id=interaction.guild_id,
            channel_ids=[one for one in (interaction.channel_id, parent_id) if one is not None],
            user_id=user.id,
            role_ids=role_ids_of(user) or (),
        )

    return serves
