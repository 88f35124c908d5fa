"""From what a call hears to scored frames (VOX-15, VOX-23): windows, voice activity, order per speaker.

Frames of several speakers that wait at the same time are scored in one call of the judge. The order of each
speaker's events is kept. Without a judge, or while it fails, loudness stands in: worse, but nobody is deaf.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from voice.audio.frames import FRAME_MS, HeardEvent, HeardFrame, SpeakerLeft, TransmissionStarted
from voice.input.judges import VAD_WINDOW_SAMPLES, VoiceActivity, VoiceWindow
from voice.policy.events import SpeechActivity, VoiceEvent

_WINDOW_BYTES = VAD_WINDOW_SAMPLES * 2
_JUDGE_WITHIN_S = 1.0
_LOUD = 300.0
"""Mean amplitude of int16 from which sound counts as speech where no judge tells."""


@dataclass(slots=True)
class _Ear:
    waiting: bytes = b""
    score: float | None = None
    fresh: bool = True


class HeardSound:
    """`take` delivers each frame, then feeds its score; other events are fed as they are.

    `failed` is told, with the reason, each time the judge fails.
    """

    def __init__(
        self,
        *,
        judge: VoiceActivity | None,
        deliver: Callable[[HeardFrame], None],
        feed: Callable[[VoiceEvent], None],
        failed: Callable[[str], None],
    ) -> None:
        self._judge = judge
        self._deliver = deliver
        self._feed = feed
        self._failed = failed
        self._ears: dict[int, _Ear] = {}

    async def take(self, events: Sequence[HeardEvent]) -> None:
        """In order per speaker; returns when all of them were fed."""
        waiting: dict[int, HeardFrame] = {}
        for event in events:
            if event.user_id in waiting:
                await self._score(waiting)
            match event:
                case HeardFrame():
                    waiting[event.user_id] = event
                    continue
                case TransmissionStarted():
                    self._ears[event.user_id] = _Ear()
                case SpeakerLeft():
                    self._ears.pop(event.user_id, None)
                    if self._judge is not None:
                        self._judge.forget(event.user_id)
                case _:
                    pass
            self._feed(event)
        if waiting:
            await self._score(waiting)

    async def _score(self, frames: dict[int, HeardFrame]) -> None:
        windows: list[VoiceWindow] = []
        for user_id, frame in frames.items():
            ear = self._ears.setdefault(user_id, _Ear())
            ear.waiting = frame.pcm if frame.skipped else ear.waiting + frame.pcm
            if len(ear.waiting) >= _WINDOW_BYTES:
                window, ear.waiting = ear.waiting[:_WINDOW_BYTES], ear.waiting[_WINDOW_BYTES:]
                windows.append(VoiceWindow(speaker=user_id, pcm=window, fresh=ear.fresh))
                ear.fresh = False
        if windows:
            for window, score in zip(windows, await self._scores(windows), strict=True):
                self._ears[window.speaker].score = score
        for user_id, frame in frames.items():
            self._deliver(frame)
            self._feed(
                SpeechActivity(
                    user_id=user_id,
                    at=frame.at,
                    score=self._ears[user_id].score,
                    position=frame.position,
                    duration_ms=FRAME_MS,
                    discontinuity=frame.skipped > 0,
                )
            )
        frames.clear()

    async def _scores(self, windows: list[VoiceWindow]) -> list[float]:
        if self._judge is not None:
            try:
                async with asyncio.timeout(_JUDGE_WITHIN_S):
                    return await self._judge.speech_scores(windows)
            except Exception as error:  # noqa: BLE001 - whatever a model's runtime raises, hearing goes on
                self._failed(type(error).__name__)
        return [_loudness(window.pcm) for window in windows]


def _loudness(pcm: bytes) -> float:
    mean = float(np.abs(np.frombuffer(pcm, dtype="<i2").astype(np.float32)).mean())
    return 1.0 if mean >= _LOUD else 0.0
