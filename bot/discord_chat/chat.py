"""What the bot does with what Discord tells it: the `ChatListener` of the text road."""

import asyncio
from datetime import timedelta

import structlog

from bot.discord_chat.incoming_message import IncomingMessage
from bot.discord_chat.missed_messages import MissedMessages
from bot.discord_chat.text_scenes import TextScenes
from core.clock import Clock
from sessions.bindings import ChannelBinding
from sessions.scene import Sessions

_log = structlog.get_logger()
_MOST_DIRECT = 50


class DiscordChat:
    """Hears live messages at once, and looks back whenever a gateway session begins anew."""

    def __init__(
        self,
        *,
        scenes: TextScenes,
        missed: MissedMessages,
        sessions: Sessions,
        clock: Clock,
        answer_missed_within: timedelta,
    ) -> None:
        self._scenes = scenes
        self._missed = missed
        self._sessions = sessions
        self._clock = clock
        self._answer_missed_within = answer_missed_within
        self._catching_up = asyncio.Lock()
        self._resumed = False

    async def message_written(self, message: IncomingMessage) -> None:
        """See `ChatListener`."""
        await self._scenes.hear(message)

    async def message_deleted(self, channel_id: int, message_id: int) -> None:
        """A question that still waits is taken back (TEXT-6)."""
        await self._scenes.withdraw(channel_id, message_id)

    async def channel_deleted(self, channel_id: int) -> None:
        """The scene is over (SCENE-2)."""
        await self._scenes.close(channel_id)

    async def session_began(self) -> None:
        """Bring back what was left unfinished, then what was missed, then let live messages pass."""
        async with self._catching_up:
            try:
                if not self._resumed:
                    await self._scenes.resume()
                    self._resumed = True
                await self._hear_missed()
            finally:
                self._scenes.release()

    async def guild_came(self, guild_id: int) -> None:
        """Bring back what was missed in this server while it could not be seen."""
        async with self._catching_up:
            await self._hear_missed(guild_id)

    async def _hear_missed(self, guild_id: int | None = None) -> None:
        if not self._answer_missed_within:
            return
        since = self._clock.now() - self._answer_missed_within
        if guild_id is None:
            messages = await self._missed.since(since, direct_channels=await self._direct_channels())
        else:
            messages = await self._missed.in_guild(guild_id, since)
        for message in messages:
            await self._scenes.hear_missed(message)
        _log.info("looked back", messages=len(messages))

    async def _direct_channels(self) -> list[int]:
        return [
            session.binding.channel_id
            for session in await self._sessions.direct(_MOST_DIRECT)
            if isinstance(session.binding, ChannelBinding)
        ]
