"""Messages that came while nobody listened: found again through the API when a session begins (SCENE-7).

Only channels whose newest message is young enough are asked, so a quiet server costs nothing.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime

import discord
import structlog

from bot.discord_chat.channels import Channels, DeliveryError
from bot.discord_chat.incoming_message import IncomingMessage

_log = structlog.get_logger()
_MOST_PER_CHANNEL = 100


class MissedMessages:
    """Looks back in every channel that may hold something unanswered."""

    def __init__(self, client: discord.Client, channels: Channels) -> None:
        self._client = client
        self._channels = channels

    async def since(self, moment: datetime, *, direct_channels: Iterable[int]) -> tuple[IncomingMessage, ...]:
        """Messages written since `moment` that no reply of ours refers to, oldest first.

        `direct_channels` are asked in any case: Discord names no newest message for them.
        """
        found: list[IncomingMessage] = []
        for channel_id in (*self._active_channels(moment), *direct_channels):
            found += await self._unanswered(channel_id, moment)
        return tuple(sorted(found, key=lambda message: message.id))

    def _active_channels(self, moment: datetime) -> Iterator[int]:
        for guild in self._client.guilds:
            for channel in (
                *guild.text_channels,
                *guild.voice_channels,
                *guild.stage_channels,
                *guild.threads,
            ):
                newest = channel.last_message_id
                may_read = channel.permissions_for(guild.me).read_message_history
                if newest is not None and may_read and discord.utils.snowflake_time(newest) >= moment:
                    yield channel.id

    async def _unanswered(self, channel_id: int, moment: datetime) -> list[IncomingMessage]:
        try:
            messages = await self._channels.messages_after(channel_id, moment, limit=_MOST_PER_CHANNEL)
        except DeliveryError as error:
            _log.info("channel not readable", channel=channel_id, error=type(error).__name__)
            return []
        user = self._client.user
        answered = {
            message.reference.message_id
            for message in messages
            if message.reference is not None and user is not None and message.author.id == user.id
        }
        return [message for message in self._channels.read(messages) if message.id not in answered]
