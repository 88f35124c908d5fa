"""What every command keeps: an answer within a second, and one sentence for every error (CMD-2)."""

import discord
import structlog
from discord import app_commands

_log = structlog.get_logger()


class Refused(app_commands.AppCommandError):
    """The command cannot be carried out; the message is the sentence for the person."""


def require_manager(interaction: discord.Interaction) -> None:
    """In a server only members with Manage Server pass; alone with the bot everybody does.

    Raises:
        Refused: the member may not.
    """
    if interaction.guild_id is not None and not interaction.permissions.manage_guild:
        raise Refused("Only members with the Manage Server permission can do this.")


async def answer_error(interaction: discord.Interaction, error: app_commands.AppCommandError) -> None:
    """Tell the person what went wrong, to them alone."""
    if isinstance(error, Refused):
        sentence = str(error)
    elif isinstance(error, app_commands.CommandNotFound):
        sentence = "This command has changed. Please try again in a minute."
    else:
        _log.error(
            "command failed", command=interaction.data and interaction.data.get("name"), exc_info=error
        )
        sentence = "That did not work. Please try again."
    try:
        if interaction.response.is_done():
            await interaction.followup.send(sentence, ephemeral=True)
        else:
            await interaction.response.send_message(sentence, ephemeral=True)
    except discord.HTTPException as failure:
        _log.warning("command error not told", status=failure.status)
