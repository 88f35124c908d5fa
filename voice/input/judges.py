"""Judges of sound as ports: is this speech, is the bot called (VOX-23), is this complete (VOX-15)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

VAD_WINDOW_SAMPLES = 512
"""32 ms at 16 kHz."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceWindow:
    """`VAD_WINDOW_SAMPLES` samples of one speaker, int16 little-endian, 16 kHz, mono.

    `speaker` keeps the judge's memory of one voice apart from the others; `fresh` begins it anew.
    """

    speaker: int
    pcm: bytes
    fresh: bool = False


class VoiceActivity(Protocol):
    """Tells speech from noise, for several speakers in one call."""

    async def speech_scores(self, windows: Sequence[VoiceWindow]) -> list[float]:
        """One score a window in order, 0 to 1; off the loop. At most one window of each speaker a call."""
        ...

    def forget(self, speaker: int) -> None:
        """The speaker is gone: drops the memory of that voice."""
        ...


class TurnModel(Protocol):
    """Guesses from the sound whether the speaker has finished."""

    async def completeness(self, pcm: bytes) -> float:
        """0 to 1 for the last seconds of an utterance (int16, 16 kHz, mono), with some of the pause."""
        ...


class WakeWord(Protocol):
    """Hears whether the bot is called, where a recogniser may write another name."""

    async def called(self, pcm: bytes) -> float:
        """0 to 1 for the sound at one end of an utterance (int16, 16 kHz, mono); off the loop."""
        ...
