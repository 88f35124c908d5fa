"""`/quiet`: the hours of a server in which the bot answers mentions alone (TASK-16)."""

from discord import app_commands

from bot.discord_chat.commands.answering import (
    CommandTree,
    Interaction,
    Refused,
    plain,
    require_manager,
    scene_of,
)
from bot.discord_chat.languages import told
from bot.discord_chat.sleep import Sleep
from bot.discord_chat.sleep_rules import quiet_hours_of

_NONE = "none"


def add_quiet_command(tree: CommandTree, sleep: Sleep) -> None:
    """Add it to the tree."""

    @tree.command(description="Show or set the hours in which I answer mentions alone (managers set them).")
    @app_commands.describe(hours="Like 22:00-07:00 in this server's time zone, or none.")
    @app_commands.guild_only()
    async def quiet(interaction: Interaction, hours: app_commands.Range[str, 1, 20] | None = None) -> None:
        await interaction.response.defer(ephemeral=True)
        guild_id = scene_of(interaction).guild_id
        if guild_id is None:
            raise Refused(told("Only servers have quiet hours."))
        if hours is not None:
            require_manager(interaction)
            wanted = None if hours.strip().casefold() == _NONE else quiet_hours_of(hours)
            if wanted is None and hours.strip().casefold() != _NONE:
                raise Refused(
                    told(
                        "`{hours}` names no hours; write them like 22:00-07:00, or none.", hours=plain(hours)
                    )
                )
            await sleep.choose_quiet_hours(guild_id, wanted)
        held = await sleep.quiet_hours(guild_id)
        if held is None:
            said = told("There are no quiet hours. Managers set them: `/quiet hours:22:00-07:00`.")
        else:
            said = told(
                "From {hours} I answer mentions alone. `/reminder zone` sets the time zone.", hours=str(held)
            )
        await interaction.followup.send(said, ephemeral=True)
