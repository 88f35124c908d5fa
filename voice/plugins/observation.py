"""Windows of sound for a plugin (VOX-35): tagged with their source, in order, one at a time.

A listener that cannot follow loses the oldest windows; the next one it gets says that something is missing.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from voice.audio.frames import HEARD_RATE_HZ, RTP_CLOCK_HZ, HeardFrame

_STRETCH = RTP_CLOCK_HZ // HEARD_RATE_HZ
_MOST_WAITING = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class AudioWindow:
    """Some milliseconds of one speaker: int16 little-endian, 16 kHz, mono.

    `position` of its first sample counts at 48 kHz along the speaker's own clock; `samples` is its length.
    `discontinuity`: sound is missing, or was not given, between this window and the one before.
    """

    user_id: int
    ssrc: int
    pcm: bytes
    position: int
    samples: int
    discontinuity: bool


@dataclass(slots=True)
class _Source:
    ssrc: int
    pcm: bytes = b""
    position: int = 0
    discontinuity: bool = True
    dropped: bool = field(default=False)


class AudioObservation:
    """`hear` never waits; `run` belongs into the owner's task group and calls `listen` window by window."""

    def __init__(
        self,
        listen: Callable[[AudioWindow], Awaitable[None]],
        *,
        window_ms: int,
        hop_ms: int,
        failed: Callable[[Exception], None],
    ) -> None:
        if not 0 < hop_ms <= window_ms:
            raise ValueError("a hop is longer than nothing and at most a window")
        self._listen = listen
        self._window = HEARD_RATE_HZ * window_ms // 1000 * 2
        self._hop = HEARD_RATE_HZ * hop_ms // 1000 * 2
        self._failed = failed
        self._sources: dict[int, _Source] = {}
        self._waiting: deque[AudioWindow] = deque()
        self._arrived = asyncio.Event()
        self.dropped = 0

    def hear(self, frame: HeardFrame) -> None:
        """One more frame of any speaker."""
        source = self._sources.get(frame.user_id)
        if source is None or source.ssrc != frame.ssrc or frame.skipped:
            source = self._sources[frame.user_id] = _Source(frame.ssrc, position=frame.position)
        source.pcm += frame.pcm
        while len(source.pcm) >= self._window:
            self._put(frame.user_id, source)
            source.pcm = source.pcm[self._hop :]
            source.position += self._hop // 2 * _STRETCH
            source.discontinuity = False

    def replaced(self) -> None:
        """The sound comes from elsewhere from now on."""
        self._sources.clear()

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            while self._waiting:
                try:
                    await self._listen(self._waiting.popleft())
                except Exception as error:  # noqa: BLE001 - a listener that fails is told and asked again
                    self._failed(error)
            self._arrived.clear()
            await self._arrived.wait()

    def _put(self, user_id: int, source: _Source) -> None:
        if len(self._waiting) >= _MOST_WAITING:
            lost = self._waiting.popleft()
            self.dropped += 1
            if lost.user_id in self._sources:
                self._sources[lost.user_id].dropped = True
        self._waiting.append(
            AudioWindow(
                user_id=user_id,
                ssrc=source.ssrc,
                pcm=source.pcm[: self._window],
                position=source.position,
                samples=self._window // 2,
                discontinuity=source.discontinuity or source.dropped,
            )
        )
        source.dropped = False
        self._arrived.set()
