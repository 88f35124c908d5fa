"""Comes back to the voice channels where the bot stays (VOX-7): after a start, and after a lost voice server.

What fails is tried again after 15 s, then after twice as long each time, up to ten minutes, for as long as
somebody wants the bot there. The first failure is told in the channel, the others are logged.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Protocol

import structlog

from bot.discord_chat.voice_access_rules import VoiceRefused
from voice import (
    EndReason,
)

_log = structlog.get_logger()
AGAIN_AFTER_S = 15.0
_LONGEST_S = 600.0
_SLOWED_DOWN_S = 300.0


class Wishes(Protocol):
    """In which channel of a server the bot stays."""

    async def stays_in(self, guild_id: int) -> int | None: ...
    async def stay(self, guild_id: int, channel_id: int | None) -> None: ...


class Places(Protocol):
    """What can be seen now."""

    def sees(self, guild_id: int) -> bool: ...
    def exists(self, channel_id: int) -> bool: ...


class VoiceReturns:
    """`join` goes into a channel of a server; `is_in`: whether the bot is in one; `say` tells a channel."""

    def __init__(
        self,
        *,
        choices: Wishes,
        places: Places,
        is_in: Callable[[int], bool],
        join: Callable[[int, int], Awaitable[None]],
        say: Callable[[int, str], Awaitable[None]],
    ) -> None:
        self._choices = choices
        self._places = places
        self._is_in = is_in
        self._join = join
        self._say = say
        self._trying: dict[int, asyncio.Event] = {}
        self._closed = False

    async def after(self, guild_id: int, ended: EndReason) -> None:
        """A call has ended, which was told there: comes back after an end that nobody wanted."""
        if ended is EndReason.UNREACHABLE:
            await self.come_back(guild_id, after_s=AGAIN_AFTER_S)
        elif ended is EndReason.RATE_LIMITED:
            await self.come_back(guild_id, after_s=_SLOWED_DOWN_S)

    async def come_back(self, guild_id: int, *, after_s: float | None = None) -> None:
        """Returns when the bot is there, or need not be any more.

        When somebody tries in that server already, they are made to try at once, and this returns.
        """
        present = self._trying.get(guild_id)
        if present is not None:
            present.set()
            return
        now = self._trying[guild_id] = asyncio.Event()
        try:
            await self._try(guild_id, now, after_s)
        finally:
            del self._trying[guild_id]

    def close(self) -> None:
        """Nobody comes back any more."""
        self._closed = True
        for now in self._trying.values():
            now.set()

    async def _try(self, guild_id: int, now: asyncio.Event, after_s: float | None) -> None:
        wait_s, told = AGAIN_AFTER_S, after_s is not None
        if after_s is not None:
            await _either(now, after_s)
        while (channel_id := await self._wanted(guild_id)) is not None:
            try:
                await self._join(guild_id, channel_id)
            except VoiceRefused as refused:
                if self._closed:
                    return
                _log.warning("voice channel not rejoined", channel=channel_id, reason=str(refused))
                if not told:
                    told = True
                    await self._say(channel_id, refused.unasked)
            else:
                return
            await _either(now, wait_s)
            wait_s = min(2 * wait_s, _LONGEST_S)

    async def _wanted(self, guild_id: int) -> int | None:
        channel_id = await self._choices.stays_in(guild_id)
        if channel_id is None or self._closed or self._is_in(guild_id) or not self._places.sees(guild_id):
            return None
        if not self._places.exists(channel_id):
            await self._choices.stay(guild_id, None)
            return None
        return channel_id


async def _either(now: asyncio.Event, seconds: float) -> None:
    """Until `now`, but no longer than that."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await now.wait()
    now.clear()
