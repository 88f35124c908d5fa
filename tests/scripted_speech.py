"""Speech services that do as they are told, behind the ports of listening.

The sound carries its own text: every spoken word is a run of samples of one value, so that a transcription
holds just the words whose frames it was given, whoever mixes them up.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from enum import Enum

import numpy as np

from voice.audio.frames import HEARD_FRAME_SAMPLES
from voice.input.judges import VoiceWindow
from voice.input.speech_to_text import SpeechFailed, Transcript

_FIRST_WORD = 10_000
_FRAME_BYTES = 2 * HEARD_FRAME_SAMPLES
NOISE = 400
"""Amplitude of sound that is no speech."""


def frame(value: int) -> bytes:
    """20 ms, int16, 16 kHz, mono."""
    return np.full(HEARD_FRAME_SAMPLES, value, dtype="<i2").tobytes()


class Vocabulary:
    """Each word that is spoken in a test, by the value of its samples."""

    def __init__(self) -> None:
        self._words: list[str] = []
        self._recorded: dict[bytes, str] = {}

    def learn(self, pcm: bytes, text: str) -> None:
        """Real sound that means `text`: each word is known with the last frame of its share.

        Its samples stay below those of words.
        """
        words, frames = text.split(), len(pcm) // _FRAME_BYTES
        for number, word in enumerate(words, 1):
            last = frames * number // len(words) - 1
            self._recorded[pcm[last * _FRAME_BYTES : (last + 1) * _FRAME_BYTES]] = word

    def value_of(self, word: str) -> int:
        """A new value for one utterance of the word."""
        self._words.append(word)
        assert _FIRST_WORD + len(self._words) < 32_000
        return _FIRST_WORD + len(self._words) - 1

    @property
    def words(self) -> tuple[str, ...]:
        """Everything that is said, in the order in which it was told."""
        return tuple(self._words)

    def word(self, value: int) -> str:
        """The word of a value; empty for a sound that is none."""
        return self._words[value - _FIRST_WORD]

    @staticmethod
    def values_of(pcm: bytes | bytearray) -> list[int]:
        """The value of each frame that belongs to a word."""
        samples = np.frombuffer(pcm, dtype="<i2")[::HEARD_FRAME_SAMPLES]
        return [int(value) for value in samples if value >= _FIRST_WORD]

    def text_of(self, pcm: bytes | bytearray) -> str:
        """The words in a stretch of sound."""
        samples = np.frombuffer(pcm, dtype="<i2")[:: HEARD_FRAME_SAMPLES // 4]
        words: list[str] = []
        last = 0
        for value in samples:
            number = int(value) - _FIRST_WORD
            if number >= 0 and value != last:
                words.append(self._words[number])
            last = value
        if self._recorded:
            frames = [bytes(pcm[at : at + _FRAME_BYTES]) for at in range(0, len(pcm), _FRAME_BYTES)]
            words += [self._recorded[frame] for frame in frames if frame in self._recorded]
        return " ".join(word for word in words if word)


class Mood(Enum):
    """How a transcription behaves."""

    WELL = "well"
    FAILS = "fails while it listens"
    FAILS_AT_END = "fails at the end"
    HANGS = "never tells the final transcript"
    SILENT = "tells the final transcript alone"
    REFUSES = "cannot begin"
    BREAKS = "has a defect"


@dataclass
class ScriptedSpeechToText:
    """`lag_s` from a pause or the end to the transcript; partial ones each `partial_every_s` of sound.

    `moods` are those of the next transcriptions, then all go well.
    """

    vocabulary: Vocabulary
    lag_s: float = 0.1
    partial_every_s: float = 0.4
    moods: list[Mood] = field(default_factory=list[Mood])
    language: str | None = "en"
    begun: "list[ScriptedTranscription]" = field(default_factory=list["ScriptedTranscription"])

    def begin(self, *, language: str | None) -> "ScriptedTranscription":
        mood = self.moods.pop(0) if self.moods else Mood.WELL
        if mood is Mood.REFUSES:
            raise SpeechFailed("Speech to text is not there.", reason="refused")
        transcription = ScriptedTranscription(self, mood, language or self.language)
        self.begun.append(transcription)
        return transcription


class ScriptedTranscription:
    def __init__(self, service: ScriptedSpeechToText, mood: Mood, language: str | None) -> None:
        self._service = service
        self._mood = mood
        self._language = language
        self._told: asyncio.Queue[Transcript | SpeechFailed | None] = asyncio.Queue()
        self._timers: list[asyncio.TimerHandle] = []
        self._since_partial = 0
        self._tail: bytes | None = None
        self._tail_told_at = 0.0
        self.pcm = bytearray()
        self.finished = self.closed = False

    def write(self, pcm: bytes) -> None:
        assert not self.finished, "sound after the end"
        assert not self.closed, "sound after giving up"
        self.pcm += pcm
        self._since_partial += len(pcm)
        if self._mood is Mood.BREAKS and len(self.pcm) > 32_000:
            raise ZeroDivisionError
        if self._since_partial >= self._service.partial_every_s * 32_000:
            self._since_partial = 0
            if self._mood is Mood.FAILS:
                self._tell(SpeechFailed("Speech to text does not answer.", reason="scripted"), 0.0)
            elif self._mood is not Mood.SILENT:
                self._tell(self._transcript(final=False), self._service.lag_s)

    def tail(self) -> None:
        if self._mood in {Mood.WELL, Mood.FAILS_AT_END, Mood.HANGS}:
            self._tail = bytes(self.pcm)
            self._tail_told_at = asyncio.get_running_loop().time() + self._service.lag_s
            self._tell(self._transcript(final=False), self._service.lag_s)

    def finish(self) -> None:
        assert not self.finished
        self.finished = True
        if self._mood is Mood.HANGS:
            return
        if self._mood in {Mood.FAILS_AT_END, Mood.FAILS}:
            self._tell(
                SpeechFailed("Speech to text does not answer.", reason="scripted"), self._service.lag_s
            )
            return
        known = self._tail is not None and self._service.vocabulary.text_of(self.pcm) == (
            self._service.vocabulary.text_of(self._tail)
        )
        left_s = self._tail_told_at - asyncio.get_running_loop().time()
        lag_s = max(0.0, left_s) + 0.01 if known else self._service.lag_s
        self._tell(self._transcript(final=True), lag_s)

    async def transcripts(self) -> AsyncIterator[Transcript]:
        while (told := await self._told.get()) is not None:
            if isinstance(told, SpeechFailed):
                raise told
            yield told
            if told.final:
                return

    async def aclose(self) -> None:
        self.closed = True
        for timer in self._timers:
            timer.cancel()
        self._told.put_nowait(None)

    def _transcript(self, *, final: bool) -> Transcript:
        text = self._service.vocabulary.text_of(self.pcm)
        return Transcript(text=text, final=final, language=self._language)

    def _tell(self, what: Transcript | SpeechFailed, after_s: float) -> None:
        loop = asyncio.get_running_loop()
        self._timers.append(loop.call_later(after_s, self._told.put_nowait, what))


class ScriptedVoiceActivity:
    """Words score high, noise low, silence nothing. `fails` makes it raise."""

    def __init__(self, *, fails: bool = False) -> None:
        self.fails = fails
        self.calls = 0
        self.forgotten: list[int] = []

    async def speech_scores(self, windows: Sequence[VoiceWindow]) -> list[float]:
        self.calls += 1
        assert len({window.speaker for window in windows}) == len(windows)
        if self.fails:
            raise RuntimeError("scripted")
        return [self._score(window.pcm) for window in windows]

    def forget(self, speaker: int) -> None:
        self.forgotten.append(speaker)

    @staticmethod
    def _score(pcm: bytes) -> float:
        samples = np.frombuffer(pcm, dtype="<i2")
        voiced = float((samples >= _FIRST_WORD).mean())
        return 0.95 if voiced >= 0.4 else 0.2 if samples.any() else 0.02


@dataclass
class ScriptedTurnModel:
    """A turn is complete where its last word closes a sentence; `always` says something else."""

    vocabulary: Vocabulary
    lag_s: float = 0.1
    always: float | None = None
    fails: bool = False
    asked: int = 0

    async def completeness(self, pcm: bytes) -> float:
        self.asked += 1
        await asyncio.sleep(self.lag_s)
        if self.fails:
            raise RuntimeError("scripted")
        if self.always is not None:
            return self.always
        return 0.93 if self.vocabulary.text_of(pcm).rstrip().endswith((".", "?", "!")) else 0.1


@dataclass
class ScriptedWakeWord:
    """Hears its word wherever it was spoken, whatever was recognised."""

    vocabulary: Vocabulary
    word: str
    lag_s: float = 0.05
    fails: bool = False
    asked_s: list[float] = field(default_factory=list[float])

    async def called(self, pcm: bytes) -> float:
        self.asked_s.append(len(pcm) / 32_000)
        await asyncio.sleep(self.lag_s)
        if self.fails:
            raise RuntimeError("scripted")
        return 0.9 if self.word in self.vocabulary.text_of(pcm) else 0.05
