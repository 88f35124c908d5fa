"""Speech over OpenAI's protocol (VOX-21, VOX-22): `/audio/transcriptions` and `/audio/speech`.

OpenAI itself, Groq, Speaches, Kokoro-FastAPI and others speak it. Speech to text takes a whole utterance as a
WAV file and gives no guesses while somebody speaks; from models whose name says whisper it asks for times of
words and for their probabilities. Text to speech streams PCM of 24 kHz.

Limits: 10 minutes an utterance; a segment as long as the service takes it; no times of words in speech. Fails
with `SpeechFailed` when the service refuses, cannot be reached, breaks off, is silent for longer than
`silence_s`, or answers with something else.
"""

import asyncio
import io
import wave
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from http import HTTPStatus

import aiohttp
from pydantic import BaseModel, ValidationError

from voice.audio.resampling import resampled
from voice.input.speech_to_text import Transcript, Transcription, Word
from voice.output.text_to_speech import SynthesisChunk
from voice.providers.collected_sound import BYTES_A_SECOND, RATE_HZ
from voice.providers.service_connection import ServiceAddress, service_session
from voice.providers.service_failures import HEARING, SPEAKING, Unreadable
from voice.providers.whisper_rules import Decoded, suspicion
from voice.providers.whole_utterance import WholeUtterance

_SPEECH_RATE_HZ = 24_000
_VOICES = ("alloy", "ash", "ballad", "coral", "echo", "fable", "nova", "onyx", "sage", "shimmer", "verse")
_LONGEST_ANSWER = 4 * 1024 * 1024
_NO_SOUND = ("application/json", "text/")
_FILES = (b"RIFF", b"OggS", b"fLaC", b"ID3")
_MPEG = ("audio/mpeg", "audio/mp3")
_MPEG_FRAME = (0xFF, 0xE0)
_LANGUAGES = {
    "arabic": "ar",
    "chinese": "zh",
    "dutch": "nl",
    "english": "en",
    "french": "fr",
    "german": "de",
    "hindi": "hi",
    "italian": "it",
    "japanese": "ja",
    "korean": "ko",
    "polish": "pl",
    "portuguese": "pt",
    "russian": "ru",
    "spanish": "es",
    "turkish": "tr",
    "ukrainian": "uk",
}
"""The protocol names languages in English; what is not listed counts as unknown."""


class _Word(BaseModel):
    word: str
    start: float
    end: float


class _Segment(BaseModel):
    avg_logprob: float = 0.0
    no_speech_prob: float = 0.0


class _Answer(BaseModel):
    text: str
    language: str | None = None
    words: list[_Word] | None = None
    segments: list[_Segment] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAIVoice:
    """Which model speaks, and how."""

    model: str
    voice: str


@asynccontextmanager
async def openai_speech_to_text(
    address: ServiceAddress, *, model: str
) -> AsyncGenerator["OpenAISpeechToText"]:
    """The service until the block ends."""
    async with service_session(address) as session:
        yield OpenAISpeechToText(session, address, model)


@asynccontextmanager
async def openai_text_to_speech(
    address: ServiceAddress, voice: OpenAIVoice
) -> AsyncGenerator["OpenAITextToSpeech"]:
    """The service until the block ends."""
    async with service_session(address) as session:
        yield OpenAITextToSpeech(session, address, voice)


class OpenAISpeechToText:
    """See the module. A `SpeechToText`."""

    def __init__(self, session: aiohttp.ClientSession, address: ServiceAddress, model: str) -> None:
        self._session = session
        self._address = address
        self._model = model
        self._asks_for_words = "whisper" in model.lower()

    def begin(self, *, language: str | None) -> Transcription:
        """A new transcription."""
        plain = language.partition("-")[0].lower() if language else None
        return WholeUtterance(partial(self._recognised, language=plain))

    async def _recognised(self, pcm: bytes, *, language: str | None) -> Transcript:
        with HEARING.translated():
            async with asyncio.timeout(self._address.silence_s):
                status, body = await self._answer(pcm, language)
                if status == HTTPStatus.BAD_REQUEST and self._asks_for_words:
                    # a server that knows the plain form alone
                    self._asks_for_words = False
                    status, body = await self._answer(pcm, language)
            if status != HTTPStatus.OK:
                raise HEARING.of_status(status)
            try:
                answer = _Answer.model_validate_json(body)
            except ValidationError as error:
                raise Unreadable("no transcription") from error
        return _transcript(answer, seconds=len(pcm) / BYTES_A_SECOND, language=language)

    async def _answer(self, pcm: bytes, language: str | None) -> tuple[int, bytes]:
        form = aiohttp.FormData()
        form.add_field("file", _wav(pcm), filename="speech.wav", content_type="audio/wav")
        form.add_field("model", self._model)
        form.add_field("temperature", "0")
        if language:
            form.add_field("language", language)
        form.add_field("response_format", "verbose_json" if self._asks_for_words else "json")
        if self._asks_for_words:
            form.add_field("timestamp_granularities[]", "word")
            form.add_field("timestamp_granularities[]", "segment")
        url = f"{self._address.base_url}/audio/transcriptions"
        async with self._session.post(url, data=form, allow_redirects=False) as response:
            body = bytearray()
            async for chunk in response.content.iter_any():
                body += chunk
                if len(body) > _LONGEST_ANSWER:
                    raise Unreadable("an endless answer")
            return response.status, bytes(body)


class OpenAITextToSpeech:
    """See the module. A `TextToSpeech`."""

    def __init__(self, session: aiohttp.ClientSession, address: ServiceAddress, voice: OpenAIVoice) -> None:
        self._session = session
        self._address = address
        self._voice = voice

    @property
    def voice_names(self) -> tuple[str, ...]:
        """OpenAI's own; another server has others."""
        return _VOICES

    def voice_of(self, name: str) -> "OpenAITextToSpeech":
        """Any name: the server knows."""
        return OpenAITextToSpeech(self._session, self._address, replace(self._voice, voice=name))

    async def speak(self, text: str, *, language: str | None) -> AsyncGenerator[SynthesisChunk]:
        """See the port."""
        async with aclosing(self._spoken(text)) as spoken:
            sound = resampled(spoken, from_rate_hz=_SPEECH_RATE_HZ)
            async with aclosing(sound) as chunks:
                async for pcm in chunks:
                    yield SynthesisChunk(pcm=pcm)

    async def _spoken(self, text: str) -> AsyncGenerator[bytes]:
        body = {
            "model": self._voice.model,
            "voice": self._voice.voice,
            "input": text,
            "response_format": "pcm",
        }
        url = f"{self._address.base_url}/audio/speech"
        silence_s = self._address.silence_s
        async with AsyncExitStack() as stack:
            with SPEAKING.translated():
                async with asyncio.timeout(silence_s):
                    asked = self._session.post(url, json=body, allow_redirects=False)
                    response = await stack.enter_async_context(asked)
                if response.status != HTTPStatus.OK:
                    raise SPEAKING.of_status(response.status)
                if response.content_type.startswith(_NO_SOUND):
                    raise Unreadable(f"{response.content_type} instead of sound")
            is_begun = False
            while chunk := await self._next(response):
                if not is_begun and _is_a_file(chunk, response.content_type):
                    raise SPEAKING.broken("another format than PCM")  # would be a loud noise
                is_begun = True
                yield chunk
            if not is_begun:
                raise SPEAKING.broken("no sound")

    async def _next(self, response: aiohttp.ClientResponse) -> bytes:
        """More sound; empty at its end."""
        with SPEAKING.translated():
            async with asyncio.timeout(self._address.silence_s):
                return await response.content.readany()


def _is_a_file(first: bytes, content_type: str) -> bool:
    """Whether the sound is of a server that does not know `pcm`, and gives a WAV, Ogg, FLAC or MP3 file."""
    is_mpeg = (
        content_type in _MPEG and len(first) > 1 and first[0] == _MPEG_FRAME[0] and first[1] >= _MPEG_FRAME[1]
    )
    return is_mpeg or first.startswith(_FILES)


def _transcript(answer: _Answer, *, seconds: float, language: str | None) -> Transcript:
    segments = answer.segments or []
    decoded = Decoded(
        text=answer.text.strip(),
        seconds=seconds,
        log_probability=sum(one.avg_logprob for one in segments) / max(1, len(segments)),
        no_speech=min((one.no_speech_prob for one in segments), default=0.0),
        language=language or _LANGUAGES.get((answer.language or "").lower(), ""),
    )
    doubt = suspicion(decoded)
    if doubt is not None:
        return Transcript(text="", final=True, suspect=doubt)
    words = tuple(
        Word(text=word.word.strip(), start_s=word.start, end_s=word.end) for word in answer.words or []
    )
    return Transcript(text=decoded.text, final=True, language=decoded.language or None, words=words)


def _wav(pcm: bytes) -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as written:
        written.setnchannels(1)
        written.setsampwidth(2)
        written.setframerate(RATE_HZ)
        written.writeframes(pcm)
    return file.getvalue()
