"""`/session reset`: the room begins anew."""

import discord
from discord import app_commands

from bot.discord_chat.commands.answering import require_manager
from core.clock import Clock
from core.orchestration.orchestrator import Orchestrator
from sessions.bindings import ChannelBinding
from sessions.scene import Sessions


def add_session_commands(
    tree: app_commands.CommandTree[discord.AutoShardedClient],
    *,
    sessions: Sessions,
    orchestrator: Orchestrator,
    clock: Clock,
) -> None:
    """Add the group to `tree`."""
    group = app_commands.Group(name="session", description="What the bot remembers of this channel.")

    @group.command(description="Forget this channel's conversation and begin anew.")
    async def reset(interaction: discord.Interaction[discord.AutoShardedClient]) -> None:
        require_manager(interaction)
        if interaction.channel_id is None:
            return
        await interaction.response.defer(ephemeral=False)
        binding = ChannelBinding(channel_id=interaction.channel_id, guild_id=interaction.guild_id)
        await sessions.open(binding, clock.now())
        session = await sessions.reset(binding.session_id)
        orchestrator.reset(binding.session_id, session.generation)
        await interaction.followup.send("Done. I begin anew here and remember nothing of before.")

    tree.add_command(group)
