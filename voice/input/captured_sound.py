"""Whose frame belongs to which input (invariant: to exactly one, or to none), and the pre-roll before one."""

from collections import deque

from voice.audio.frames import FRAME_MS, HeardFrame
from voice.input.speech_input import SpeechInput


class SpeakerSound:
    """One speaker's frames: to the open input, else into a short memory that the next input begins with."""

    def __init__(self, *, preroll_ms: int) -> None:
        self._before: deque[HeardFrame] = deque(maxlen=max(1, preroll_ms // FRAME_MS))
        self._input: SpeechInput | None = None
        self.ssrc: int | None = None

    @property
    def input(self) -> SpeechInput | None:
        """The input that captures; None when there is none."""
        return self._input if self._input is not None and self._input.is_open else None

    def deliver(self, frame: HeardFrame) -> None:
        """One more frame, in order."""
        self.ssrc = frame.ssrc
        if (captures := self.input) is not None:
            captures.write(frame.pcm)
        else:
            self._before.append(frame)

    def restarted(self) -> None:
        """The speaker's client began to send anew: what was before is another breath."""
        self._before.clear()

    def begin(self, speech_input: SpeechInput) -> None:
        """The input takes the memory, and every frame from here on."""
        self._input = speech_input
        for frame in self._before:
            speech_input.write(frame.pcm)
        self._before.clear()
