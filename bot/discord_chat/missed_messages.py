"""Messages that came while nobody listened: found again through the API when a session begins (SCENE-7).

Only channels whose newest message is young enough are asked, so a quiet server costs nothing.
"""

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

import discord
import structlog

from bot.discord_chat.channels import Channels, DeliveryError
from bot.discord_chat.incoming_message import IncomingMessage

_log = structlog.get_logger()
_MOST_PER_CHANNEL = 100
_CHANNELS_AT_ONCE = 8


class MissedMessages:
    """Looks back in every channel that may hold something unanswered."""

    def __init__(self, client: discord.Client, channels: Channels) -> None:
        self._client = client
        self._channels = channels

    async def since(self, moment: datetime, *, direct_channels: Iterable[int]) -> tuple[IncomingMessage, ...]:
        """Messages written since `moment` that no reply of ours refers to, oldest first.

        `direct_channels` are asked in any case: Discord names no newest message for them.
        """
        guilds = (place for guild in self._client.guilds for place in _active_channels(guild, moment))
        direct = (_Place(channel_id=channel_id, guild_id=None) for channel_id in direct_channels)
        return await self._in_places((*guilds, *direct), moment)

    async def in_guild(self, guild_id: int, moment: datetime) -> tuple[IncomingMessage, ...]:
        """The same for one server."""
        guild = self._client.get_guild(guild_id)
        return () if guild is None else await self._in_places(_active_channels(guild, moment), moment)

    async def _in_places(self, places: Iterable["_Place"], moment: datetime) -> tuple[IncomingMessage, ...]:
        asked_at_once = asyncio.Semaphore(_CHANNELS_AT_ONCE)

        async def look(place: _Place) -> list[IncomingMessage]:
            async with asked_at_once:
                return await self._unanswered(place, moment)

        async with asyncio.TaskGroup() as tasks:
            looks = [tasks.create_task(look(place)) for place in places]
        found = [message for done in looks for message in done.result()]
        return tuple(sorted(found, key=lambda message: message.id))

    async def _unanswered(self, place: "_Place", moment: datetime) -> list[IncomingMessage]:
        try:
            messages = await self._channels.messages_after(
                place.channel_id, moment, limit=_MOST_PER_CHANNEL, guild_id=place.guild_id
            )
        except DeliveryError as error:
            _log.info("channel not readable", channel=place.channel_id, error=type(error).__name__)
            return []
        user = self._client.user
        answered = {
            message.reference.message_id
            for message in messages
            if message.reference is not None and user is not None and message.author.id == user.id
        }
        return [message for message in self._channels.read(messages) if message.id not in answered]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    channel_id: int
    guild_id: int | None


def _active_channels(guild: discord.Guild, moment: datetime) -> Iterator[_Place]:
    for channel in (*guild.text_channels, *guild.voice_channels, *guild.stage_channels, *guild.threads):
        newest = channel.last_message_id
        may_read = channel.permissions_for(guild.me).read_message_history
        if newest is not None and may_read and discord.utils.snowflake_time(newest) >= moment:
            yield _Place(channel_id=channel.id, guild_id=guild.id)
