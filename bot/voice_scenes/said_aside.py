"""Says in a talk what waits for a person: requests for permission, questions of tasks (TASK-9, TASK-22).

Like a result it waits until nobody speaks; unlike one it is void as soon as it was answered otherwise.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

from bot.voice_scenes.talk import Talk
from bot.voice_scenes.talk_floor import FloorChange
from bot.voice_scenes.voice_talks import VoiceTalks
from recipes.tasks.delivery_rules import SAFE_WINDOW_S
from sessions.bindings import ChannelBinding

_MOST_SAID: Final = 3


class SaidAside:
    """Speaks in whichever talk goes on in a scene, but where the bot `sleeps` (TASK-16)."""

    def __init__(self, talks: VoiceTalks, sleeps: Callable[[ChannelBinding], Awaitable[bool]]) -> None:
        self._talks = talks
        self._sleeps = sleeps

    async def say(self, session_id: str, text: str, wanted: Callable[[], bool]) -> bool:
        """Say `text` at a safe moment, as long as it is `wanted`; True when it was heard to its end."""
        for _ in range(_MOST_SAID):
            talk = self._talks.talk_of(session_id)
            if talk is None or not await _quiet(talk) or not wanted():
                return False
            if await self._sleeps(talk.binding):
                return False
            if await talk.tell(text):
                return True
        return False


async def _quiet(talk: Talk) -> bool:
    """Returns once nobody has spoken for a moment; False when the talk is over."""
    changes: asyncio.Queue[FloorChange] = asyncio.Queue(64)

    def told(change: FloorChange) -> None:
        with suppress(asyncio.QueueFull):
            changes.put_nowait(change)

    ends = talk.floor.listen(told)
    try:
        while True:
            try:
                async with asyncio.timeout(SAFE_WINDOW_S if talk.floor.is_free else None):
                    if await changes.get() is FloorChange.ENDED:
                        return False
            except TimeoutError:
                if talk.floor.is_free:
                    return True
    finally:
        ends()
