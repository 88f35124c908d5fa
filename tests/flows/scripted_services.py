"""Speech services for flows: sound that went through a codec carries no text, so the test says what was said.

Utterances are recognised in the order in which they begin; what is spoken sounds for as long as its words.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass, field, replace

import numpy as np

from bot.speech_services import SpeechServices
from tests.fake_discord.voice import Human
from voice.input.speech_to_text import SpeechFailed, Transcript
from voice.output.text_to_speech import SynthesisChunk, TextToSpeech, UnknownVoice


async def _nothing_to_load() -> None:
    pass


def speech_of(hearing: "Recogniser | None" = None, speaking: TextToSpeech | None = None) -> SpeechServices:
    """Services of these two; voice activity goes by loudness, and ends of turns by the text."""
    return SpeechServices(
        speech_to_text=hearing,
        text_to_speech=speaking,
        voice_activity=None,
        turn_model=None,
        language=None,
        hears_by="script" if hearing else "",
        speaks_by="script" if speaking else "",
        missing=(),
        warm_up=_nothing_to_load,
    )


NO_SPEECH = speech_of()
"""The bot hears and counts; nothing is recognised."""


@dataclass
class Recogniser:
    """`texts` are what the next utterances say, a `SpeechFailed` breaks one off; `lag_s` to a transcript.

    `tail_lag_s`: to the one that a pause asks for, where it differs.
    """

    texts: list[str | SpeechFailed] = field(default_factory=list[str | SpeechFailed])
    lag_s: float = 0.02
    tail_lag_s: float | None = None
    begun: "list[Utterance]" = field(default_factory=list["Utterance"])

    def begin(self, *, language: str | None) -> "Utterance":
        text = self.texts.pop(0) if self.texts else ""
        tail_lag_s = self.lag_s if self.tail_lag_s is None else self.tail_lag_s
        utterance = Utterance(text, language or "en", self.lag_s, tail_lag_s)
        self.begun.append(utterance)
        return utterance


class Utterance:
    """Known as a whole from the first pause on."""

    def __init__(self, text: str | SpeechFailed, language: str, lag_s: float, tail_lag_s: float) -> None:
        self._text = text
        self._language = language
        self._lag_s = lag_s
        self._tail_lag_s = tail_lag_s
        self._told: asyncio.Queue[Transcript | SpeechFailed | None] = asyncio.Queue()
        self.pcm = bytearray()
        self.closed = False

    def write(self, pcm: bytes) -> None:
        self.pcm += pcm

    def tail(self) -> None:
        self._tell(final=False)

    def finish(self) -> None:
        self._tell(final=True)

    async def transcripts(self) -> AsyncIterator[Transcript]:
        while (told := await self._told.get()) is not None:
            if isinstance(told, SpeechFailed):
                raise told
            yield told
            if told.final:
                return

    async def aclose(self) -> None:
        self.closed = True
        self._told.put_nowait(None)

    def _tell(self, *, final: bool) -> None:
        told = self._text
        if isinstance(told, str):
            told = Transcript(text=told, final=final, language=self._language)
        lag_s = self._lag_s if final else self._tail_lag_s
        asyncio.get_running_loop().call_later(lag_s, self._told.put_nowait, told)


@dataclass
class ToneVoice:
    """Says each word as a tone of `word_s`, `lag_s` after it was asked; a text in `failing` is refused."""

    word_s: float = 0.2
    lag_s: float = 0.02
    failing: list[str] = field(default_factory=list[str])
    asked: list[str] = field(default_factory=list[str])

    async def speak(self, text: str, *, language: str | None) -> AsyncGenerator[SynthesisChunk]:
        self.asked.append(text)
        await asyncio.sleep(self.lag_s)
        if text in self.failing:
            raise SpeechFailed("I have no voice right now. Please read along.", reason="scripted")
        for _ in text.split():
            yield SynthesisChunk(pcm=tone(self.word_s))


def tone(seconds: float) -> bytes:
    """440 Hz, 48 kHz stereo int16."""
    at = np.arange(int(seconds * 48_000)) / 48_000
    mono = (8_000 * np.sin(2 * np.pi * 440 * at)).astype("<i2")
    return np.repeat(mono, 2).tobytes()


def heard_s(human: Human) -> float:
    """Seconds of sound, not silence, that the person heard so far."""
    heard = b"".join(bytes(pcm) for pcm in human.heard.values())
    frames = np.abs(np.frombuffer(heard, dtype="<i2").astype(np.int32)).reshape(-1, 1920).mean(axis=1)
    return float((frames > 200).sum()) * 0.02


@dataclass
class Talking:
    """Both services of one talk."""

    hearing: Recogniser = field(default_factory=Recogniser)
    speaking: ToneVoice = field(default_factory=ToneVoice)
    deep: ToneVoice = field(default_factory=ToneVoice)
    """Another voice, by that name."""

    @property
    def services(self) -> SpeechServices:
        return replace(speech_of(self.hearing, self.speaking), voices=self)

    @property
    def voice_names(self) -> tuple[str, ...]:
        return ("deep",)

    def voice_of(self, name: str) -> TextToSpeech:
        if name != "deep":
            raise UnknownVoice(name)
        return self.deep
