"""What holds for all that is ever heard, whoever speaks: started, whole frames in order, ended."""

from __future__ import annotations

from collections import defaultdict

from voice.audio.frames import (
    FRAME_TIMESTAMPS,
    HeardEvent,
    HeardFrame,
    Origin,
    SpeakerLeft,
    TransmissionEnded,
    TransmissionStarted,
)


class HeardOrder:
    """Looks at events as they come; `decoded` counts the frames of each SSRC that were sent, not made up."""

    def __init__(self) -> None:
        self.decoded: dict[int, int] = defaultdict(int)
        self.user_of: dict[int, int] = {}
        self._talking: set[tuple[int, int]] = set()
        self._position: dict[int, int] = {}

    def take(self, events: list[HeardEvent], *, silent: frozenset[int]) -> None:
        """The next events; nobody of `silent` may be in them."""
        for event in events:
            if isinstance(event, SpeakerLeft):
                continue
            who = (event.user_id, event.ssrc)
            if isinstance(event, TransmissionStarted):
                assert who not in self._talking
                self._talking.add(who)
                self._position.pop(event.ssrc, None)
            elif isinstance(event, TransmissionEnded):
                self._talking.remove(who)
            else:
                assert who in self._talking
                assert event.user_id not in silent
                self._frame(event)

    def _frame(self, frame: HeardFrame) -> None:
        assert len(frame.pcm) == 640
        assert len(frame.full_band) in (0, 1_920)
        before = self._position.get(frame.ssrc)
        assert before is None or frame.position >= before + FRAME_TIMESTAMPS
        assert frame.skipped >= 0
        assert self.user_of.setdefault(frame.ssrc, frame.user_id) == frame.user_id
        self._position[frame.ssrc] = frame.position
        self.decoded[frame.ssrc] += frame.origin is Origin.DECODED
