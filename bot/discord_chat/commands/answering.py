"""What every command keeps: an answer within a second, and one sentence for every error (CMD-2)."""

from typing import Any, Literal, TypeAlias

import aiohttp
import discord
import structlog
from discord import app_commands

from bot.discord_chat.languages import told, words_of
from bot.discord_chat.scene_access import is_owner_of
from bot.scene_choices import channel_scope, server_scope
from sessions.bindings import ChannelBinding
from sessions.channel_settings import SettingScope

_log = structlog.get_logger()

Interaction: TypeAlias = discord.Interaction[discord.AutoShardedClient]
AnyInteraction: TypeAlias = discord.Interaction[discord.Client]
"""Of a command, a button or a form."""

AnyCommand: TypeAlias = app_commands.Command[Any, ..., Any] | app_commands.ContextMenu | app_commands.Group

CommandTree: TypeAlias = app_commands.CommandTree[discord.AutoShardedClient]
Where = Literal["channel", "server"]
"""For what a choice is made."""


class Refused(app_commands.AppCommandError):
    """The command cannot be carried out; the message is the sentence for the person."""


def scene_of(interaction: AnyInteraction) -> ChannelBinding:
    """The scene that the command was given in.

    Raises:
        Refused: it came from no channel.
    """
    if interaction.channel_id is None:
        raise Refused(told("This works in a channel only."))
    return ChannelBinding(channel_id=interaction.channel_id, guild_id=interaction.guild_id)


def scope_of(binding: ChannelBinding, where: Where) -> SettingScope:
    """Where a choice is kept.

    Raises:
        Refused: there is no server.
    """
    scope = channel_scope(binding) if where == "channel" else server_scope(binding)
    if scope is None:
        raise Refused(told("This is a direct message: there is no server to choose for."))
    return scope


def plain(typed: str) -> str:
    """What somebody typed, short and without marks, to stand between backticks in a sentence of ours."""
    return typed.replace("`", "'")[:100]


def is_manager(interaction: Interaction) -> bool:
    """In a server the members with Manage Server; alone with the bot everybody."""
    return interaction.guild_id is None or interaction.permissions.manage_guild


def require_manager(interaction: Interaction) -> None:
    """Pass managers only.

    Raises:
        Refused: the member may not.
    """
    if not is_manager(interaction):
        raise Refused(told("Only members with the Manage Server permission can do this."))


def is_owner(interaction: Interaction) -> bool:
    """Whoever owns the bot's application, or develops it in the team that does."""
    return is_owner_of(interaction.client.application, interaction.user.id)


def require_owner(interaction: Interaction) -> None:
    """Pass the owner only.

    Raises:
        Refused: somebody else.
    """
    if not is_owner(interaction):
        raise Refused(told("Only the bot's owner can do this."))


async def answer_error(interaction: AnyInteraction, error: Exception) -> None:
    """Tell the person what went wrong, to them alone."""
    if isinstance(error, Refused):
        said = told(words_of(error))
    elif isinstance(error, app_commands.CommandNotFound | app_commands.CommandSignatureMismatch):
        said = told("This command has changed. Please try again in a minute.")
    elif isinstance(error, app_commands.TransformerError):
        said = told(
            "I cannot use `{value}` there; please choose what Discord offers.", value=plain(str(error.value))
        )
    else:
        _log.error(
            "command failed", command=interaction.data and interaction.data.get("name"), exc_info=error
        )
        said = told("That did not work. Please try again.")
    try:
        if interaction.response.is_done():
            await interaction.followup.send(said, ephemeral=True)
        else:
            await interaction.response.send_message(said, ephemeral=True)
    except (discord.DiscordException, aiohttp.ClientError, OSError) as failure:
        _log.warning("command error not told", error=type(failure).__name__)
