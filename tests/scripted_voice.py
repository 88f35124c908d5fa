"""A synthesiser that does what a test says, and a line that sends its sound as the transport does.

A scripted word lasts `WORD_S`; every sample of a segment has the same value, its number, so that the line's
record tells which segment left when. 0 is silence.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from voice.audio.frames import FRAME_S
from voice.audio.pacing_rules import Action, Pacer, Phase
from voice.audio.playback_queue import Pcm, Playback, PlaybackQueue
from voice.input.speech_to_text import SpeechFailed
from voice.output.text_to_speech import SpokenWord, SynthesisChunk

WORD_S: Final = 0.3
_CHUNK_S: Final = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """How one segment is synthesised; `speed`: seconds of sound a second; `breaks_after_s` of its sound."""

    first_after_s: float = 0.1
    speed: float = 20.0
    fails: bool = False
    hangs: bool = False
    breaks_after_s: float | None = None
    tells_words: bool = False


class ScriptedTextToSpeech:
    """`script` is asked for each request; requests are numbered from 1, and so is their sound."""

    def __init__(self, script: Callable[[str], Script] = lambda _: Script()) -> None:
        self._script = script
        self.asked: list[str] = []
        self.languages: list[str | None] = []
        self.aborted: list[str] = []
        self.running = self.most_running = 0

    async def speak(self, text: str, *, language: str | None) -> AsyncGenerator[SynthesisChunk]:
        self.asked.append(text)
        self.languages.append(language)
        number, script = len(self.asked), self._script(text)
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        is_whole = False
        try:
            await asyncio.sleep(script.first_after_s)
            if script.fails:
                raise SpeechFailed("Please check the key of the voice.", reason="refused")
            if script.hangs:
                await asyncio.Event().wait()
            whole_s = WORD_S * len(text.split())
            words = tuple(_words(text)) if script.tells_words else ()
            sent_s = 0.0
            while sent_s < whole_s - 1e-6:
                if script.breaks_after_s is not None and sent_s >= script.breaks_after_s:
                    raise SpeechFailed("Please try again.", reason="broke off")
                seconds = min(_CHUNK_S, whole_s - sent_s)
                yield SynthesisChunk(pcm=sound(number, seconds), words=words)
                words = ()
                sent_s += seconds
                await asyncio.sleep(seconds / script.speed)
            is_whole = True
        finally:
            self.running -= 1
            if not is_whole:
                self.aborted.append(text)


def _words(text: str) -> "list[SpokenWord]":
    place, words = 0, []
    for number, word in enumerate(text.split()):
        place = text.index(word, place) + len(word)
        words.append(SpokenWord(start_s=number * WORD_S, end_offset=place))
    return words


def sound(number: int, seconds: float) -> bytes:
    """48 kHz stereo int16 of one value."""
    return np.full(round(seconds * 48_000) * 2, number, dtype="<i2").tobytes()


@dataclass(frozen=True, slots=True)
class SentFrame:
    """One packet that left: when, and which segment's sound is in it; 0 for silence."""

    at: float
    number: int


class SpokenLine:
    """The `Mouth` of a test: the real queue and the real pacing, on the loop's own time."""

    def __init__(self) -> None:
        self._changed = asyncio.Event()
        self.queue = PlaybackQueue(wake=self._changed.set)
        self.pacer = Pacer()
        self.sent: list[SentFrame] = []

    def begin_playback(self) -> Playback:
        return self.queue.begin()

    @property
    def sound(self) -> list[SentFrame]:
        """The packets with sound."""
        return [frame for frame in self.sent if frame.number]

    @property
    def numbers(self) -> list[int]:
        """The segments in the order in which they were heard, each once."""
        heard = [frame.number for frame in self.sound]
        return [number for place, number in enumerate(heard) if not place or heard[place - 1] != number]

    async def run(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            self._changed.clear()
            slot = self.pacer.step(loop.time(), self.queue.supply())
            if slot.action is Action.FRAME:
                frame = self.queue.take()
                assert isinstance(frame, Pcm | None)
                value = 0 if frame is None else int(np.frombuffer(frame.data, "<i2").max())
                self.sent.append(SentFrame(loop.time(), value))
            due = self.pacer.deadline
            if due is None:
                await self._changed.wait()
            elif self.pacer.phase is Phase.IDLE:
                await _wait_at_most(self._changed, due - loop.time())
            else:
                await asyncio.sleep(max(0.0, due - loop.time()))


async def _wait_at_most(event: asyncio.Event, seconds: float) -> None:
    try:
        async with asyncio.timeout(max(0.0, seconds)):
            await event.wait()
    except TimeoutError:
        pass


@asynccontextmanager
async def spoken_line() -> AsyncIterator[SpokenLine]:
    """A line that sends until the block ends."""
    async with asyncio.TaskGroup() as tasks:
        line = SpokenLine()
        sending = tasks.create_task(line.run())
        try:
            yield line
        finally:
            line.queue.close()
            sending.cancel()


def gaps_between(frames: list[SentFrame]) -> list[float]:
    """Seconds between neighbouring frames beyond the frame itself."""
    return [
        round(later.at - earlier.at - FRAME_S, 6)
        for earlier, later in pairwise(frames)
        if later.at - earlier.at - FRAME_S > 1e-6
    ]
