"""Messages that came while nobody listened: found again through the API when a session begins (SCENE-7).

Only channels whose newest message is young enough are asked, so a quiet server costs nothing.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

import discord
import structlog

from bot.discord_chat.channels import Channels, DeliveryError
from bot.discord_chat.incoming_message import IncomingMessage

_log = structlog.get_logger()
_MOST_PER_PLACE = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A channel to look back in; `guild_id` is None for direct messages."""

    channel_id: int
    guild_id: int | None = None


class MissedMessages:
    """Looks back in every channel that may hold something unanswered."""

    def __init__(self, client: discord.Client, channels: Channels) -> None:
        self._client = client
        self._channels = channels

    def places(
        self, since: datetime, *, guild_id: int | None = None, direct_channels: Iterable[int] = ()
    ) -> list[Place]:
        """Where something may have been written since; in all servers, or in the one of `guild_id`.

        `direct_channels` are places in any case: Discord names no newest message for them.
        """
        guilds = (guild for guild in self._client.guilds if guild_id in (None, guild.id))
        active = (place for guild in guilds for place in _active_channels(guild, since))
        return [*active, *(Place(channel_id=channel_id) for channel_id in direct_channels)]

    async def unanswered(self, place: Place, since: datetime) -> Sequence[IncomingMessage]:
        """Messages written there since, that no reply of ours refers to, oldest first."""
        try:
            messages = await self._channels.messages_after(
                place.channel_id, since, limit=_MOST_PER_PLACE, guild_id=place.guild_id
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


def _active_channels(guild: discord.Guild, since: datetime) -> Iterator[Place]:
    for channel in (*guild.text_channels, *guild.voice_channels, *guild.stage_channels, *guild.threads):
        newest = channel.last_message_id
        may_read = channel.permissions_for(guild.me).read_message_history
        if newest is not None and may_read and discord.utils.snowflake_time(newest) >= since:
            yield Place(channel_id=channel.id, guild_id=guild.id)
