"""`/ping` and `/status`: is it there, and what does it run on."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

import discord
from discord import app_commands

from bot.discord_chat.languages import told
from core.clock import Clock
from core.sentences import Sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """What `/status` tells; `model` is one line that everybody may read (SET-8)."""

    version: str
    model: Sentence
    started_at: datetime
    running: Callable[[], int]
    waiting: Callable[[], int]


def add_basics(
    tree: app_commands.CommandTree[discord.AutoShardedClient], status: Status, clock: Clock
) -> None:
    """Add the commands to `tree`."""

    @tree.command(description="Check that the bot is there and how fast it answers.")
    async def ping(interaction: discord.Interaction[discord.AutoShardedClient]) -> None:
        sent = clock.monotonic()
        latency = round(interaction.client.latency * 1000)
        await interaction.response.send_message(
            told("Pong! Gateway {latency} ms.", latency=latency), ephemeral=True
        )
        took = round((clock.monotonic() - sent) * 1000)
        await interaction.edit_original_response(
            content=told("Pong! Gateway {latency} ms, answer {took} ms.", latency=latency, took=took)
        )

    @tree.command(name="status", description="Show what the bot runs on and what it is doing.")
    async def show_status(interaction: discord.Interaction[discord.AutoShardedClient]) -> None:
        up_since = clock.now() - status.started_at
        lines = [
            f"**Parley {status.version}**",
            told("Model: {model}", model=status.model),
            told(
                "Up for {span}; servers: {count}",
                span=_readable(up_since),
                count=len(interaction.client.guilds),
            ),
            told(
                "Replies running: {running}, waiting: {waiting}",
                running=status.running(),
                waiting=status.waiting(),
            ),
        ]
        await interaction.response.send_message("\n".join(lines), ephemeral=True)


def _readable(span: timedelta) -> str:
    minutes = int(span.total_seconds()) // 60
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    parts = [(days, "d"), (hours, "h"), (minutes, "min")]
    return " ".join(f"{count} {unit}" for count, unit in parts if count) or told("less than a minute")
