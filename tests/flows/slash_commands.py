"""Slash commands in flow tests: given once they are registered, answered within a second (CMD-2)."""

from collections.abc import Awaitable
from typing import Any

from tests.fake_discord.interactions import Interaction
from tests.fake_discord.world import Channel, Message, User
from tests.flows.text_room import TextRoom


async def registered(room: TextRoom) -> None:
    """The bot has given its commands to Discord."""
    await room.discord.until(lambda: bool(room.discord.commands.listed()))


async def run(
    room: TextRoom, command: str, /, *, by: User | None = None, channel: Channel | None = None, **options: Any
) -> Interaction:
    """Ada gives a command in #general, or whoever and wherever is named."""
    await registered(room)
    who, where = by or room.ada, channel or room.general
    return room.discord.humans.run_command(where, who, command, options=options)


async def shown(running: Interaction | Awaitable[Interaction]) -> Message:
    """The answer."""
    interaction = running if isinstance(running, Interaction) else await running
    message = await interaction.shown()
    assert interaction.response_time_s is not None
    assert interaction.response_time_s < 1.0
    return message


async def told(running: Interaction | Awaitable[Interaction]) -> str:
    """What the answer says."""
    return (await shown(running)).content


async def told_alone(running: Interaction | Awaitable[Interaction]) -> str:
    """What the answer says to that person alone."""
    message = await shown(running)
    assert message.ephemeral
    return message.content
