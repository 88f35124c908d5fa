"""The sound of one segment between who makes it and who plays it: bounded, in order, given up at any time."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from enum import Enum
from typing import Final

from voice.audio.frames import SENT_CHANNELS, SENT_RATE_HZ
from voice.input.speech_to_text import SpeechFailed
from voice.output.heard_text_rules import PlayedSegment
from voice.output.speech_length_rules import expected_s
from voice.output.text_to_speech import SpokenWord, SynthesisChunk

SAMPLE_BYTES: Final = 2 * SENT_CHANNELS
BYTES_PER_S: Final = SENT_RATE_HZ * SAMPLE_BYTES
_PIECE_BYTES: Final = BYTES_PER_S // 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """Words to synthesise at once, the Markdown they come from, and their language (BCP 47)."""

    text: str
    source: str
    language: str


class SoundState(Enum):
    """Where the sound of a segment stands."""

    COMING = "coming"
    WHOLE = "whole"
    CUT = "cut"
    """It broke off after some of it was played."""
    LEFT_OUT = "left out"
    """There is none."""
    ABANDONED = "abandoned"
    """Nobody wants it any more."""


class SegmentSound:
    """One synthesis writes, one player reads, on one loop. `first_sound` is called when the first comes."""

    def __init__(self, segment: Segment, *, most_waiting_s: float, first_sound: Callable[[], None]) -> None:
        self.segment = segment
        self.state = SoundState.COMING
        self.failure: SpeechFailed | None = None
        self.is_playing = False
        self._most_waiting = int(most_waiting_s * BYTES_PER_S)
        self._first_sound = first_sound
        self._waiting: deque[bytes] = deque()
        self._waiting_bytes = 0
        self._bytes = 0
        self._rest = b""
        self._words: list[SpokenWord] = []
        self._changed = asyncio.Event()

    @property
    def duration_s(self) -> float:
        """Seconds of sound so far."""
        return self._bytes / BYTES_PER_S

    @property
    def played(self) -> PlayedSegment:
        """What the position needs to know; while more sound comes, its length is a guess."""
        is_known = self.state is SoundState.WHOLE
        expected = 0.0 if is_known else expected_s(self.segment.text)
        return PlayedSegment(
            text=self.segment.text,
            source=self.segment.source,
            duration_s=max(self.duration_s, expected),
            words=tuple(self._words),
        )

    # the synthesis

    async def put(self, chunk: SynthesisChunk) -> None:
        """Some more sound; waits while enough of it waits."""
        self._words += chunk.words
        pcm = self._rest + chunk.pcm if self._rest else chunk.pcm
        whole = len(pcm) - len(pcm) % SAMPLE_BYTES
        self._rest = pcm[whole:]
        for start in range(0, whole, _PIECE_BYTES):
            while self._waiting_bytes >= self._most_waiting and self.state is SoundState.COMING:
                self._changed.clear()
                await self._changed.wait()
            self._append(pcm[start : min(start + _PIECE_BYTES, whole)])

    def begin_anew(self) -> None:
        """What came so far is dropped; nothing of it was played."""
        self._waiting.clear()
        self._words.clear()
        self._waiting_bytes = self._bytes = 0
        self._rest = b""

    def end(self, state: SoundState, *, failure: SpeechFailed | None = None) -> None:
        """No more sound comes."""
        if self.state is SoundState.COMING:
            self.state, self.failure = state, failure
            self._changed.set()

    # the player

    async def has_sound(self) -> bool:
        """Waits for the first sound; False when there will be none."""
        while not self._waiting and self.state is SoundState.COMING:
            self._changed.clear()
            await self._changed.wait()
        return bool(self._waiting)

    async def pieces(self) -> AsyncGenerator[bytes]:
        """The sound as it comes, at most 200 ms a piece."""
        while await self.has_sound():
            piece = self._waiting.popleft()
            self._waiting_bytes -= len(piece)
            self._changed.set()
            self.is_playing = True
            yield piece

    def abandon(self) -> None:
        """Nobody wants it: what waits is dropped, every wait ends."""
        self._waiting.clear()
        self._waiting_bytes = 0
        self.end(SoundState.ABANDONED)
        self._changed.set()

    def _append(self, piece: bytes) -> None:
        if self.state is not SoundState.COMING:
            return
        is_first = not self._bytes
        self._waiting.append(piece)
        self._waiting_bytes += len(piece)
        self._bytes += len(piece)
        self._changed.set()
        if is_first:
            self._first_sound()
