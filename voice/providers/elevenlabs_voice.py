"""Text to speech by ElevenLabs over its streaming websocket (VOX-22): one connection a segment.

The SDK's own way to this websocket blocks and has no timeouts, so the few messages are spoken here: the
settings, the text, an empty text as its end; back come pieces of PCM (24 kHz, base64) with the times of their
letters, and a mark of the end. Documented as `/v1/text-to-speech/{voice_id}/stream-input`.

Limits: 2,000 characters a segment; as many segments at the same time as the account allows. Fails with
`SpeechFailed` when the service refuses, cannot be reached, breaks off, is silent for longer than `silence_s`,
or says what nobody understands.
"""

import asyncio
import base64
import binascii
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from urllib.parse import quote

import aiohttp
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from voice.audio.resampling import StreamResampler
from voice.input.speech_to_text import SpeechFailed
from voice.output.text_to_speech import SpokenWord, SynthesisChunk
from voice.providers.service_connection import ServiceAddress, service_session, websocket, websocket_url
from voice.providers.service_failures import SPEAKING, Unreadable

_RATE_HZ = 24_000
_LONGEST_TEXT = 2_000


class _Letters(BaseModel):
    """Which letters a piece of sound holds, and when each begins in it."""

    model_config = ConfigDict(extra="ignore")

    chars: list[str] = []
    starts_ms: list[float] = Field(default=[], alias="charStartTimesMs")


class _Answer(BaseModel):
    model_config = ConfigDict(extra="ignore")

    audio: str | None = None
    is_final: bool | None = Field(default=None, alias="isFinal")
    alignment: _Letters | None = None
    error: str | None = None
    message: str | None = None
    code: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ElevenLabsVoice:
    """Which voice speaks, and by which model."""

    voice_id: str
    model: str


@asynccontextmanager
async def elevenlabs_text_to_speech(
    address: ServiceAddress, voice: ElevenLabsVoice
) -> AsyncGenerator["ElevenLabsTextToSpeech"]:
    """The service until the block ends."""
    async with service_session(address) as session:
        yield ElevenLabsTextToSpeech(session, address, voice)


class ElevenLabsTextToSpeech:
    """See the module. A `TextToSpeech`."""

    def __init__(
        self, session: aiohttp.ClientSession, address: ServiceAddress, voice: ElevenLabsVoice
    ) -> None:
        self._session = session
        self._address = address
        self._voice = voice

    @property
    def voice_names(self) -> tuple[str, ...]:
        """Ids of voices are an account's own."""
        return (self._voice.voice_id,)

    def voice_of(self, name: str) -> "ElevenLabsTextToSpeech":
        """By the id of the voice."""
        return ElevenLabsTextToSpeech(self._session, self._address, replace(self._voice, voice_id=name))

    async def speak(self, text: str, *, language: str | None) -> AsyncGenerator[SynthesisChunk]:
        """See the port."""
        if len(text) > _LONGEST_TEXT:
            raise SPEAKING.request_refused(f"a segment of {len(text)} characters")
        socket = await self._open(text, language)
        try:
            sound = StreamResampler(_RATE_HZ)
            words = _WordTimes(text)
            while answer := await self._next(socket):
                pcm = _decoded(answer)
                spoken = words.of(answer.alignment)
                words.after(pcm)
                if resampled := sound.feed(pcm):
                    yield SynthesisChunk(pcm=resampled, words=spoken)
            if rest := sound.end():
                yield SynthesisChunk(pcm=rest)
        finally:
            await socket.close()

    async def _open(self, text: str, language: str | None) -> aiohttp.ClientWebSocketResponse:
        path = f"/v1/text-to-speech/{quote(self._voice.voice_id, safe='')}/stream-input"
        params = {
            "model_id": self._voice.model,
            "output_format": f"pcm_{_RATE_HZ}",
            "auto_mode": "true",
            "sync_alignment": "true",
        }
        if language and "multilingual" not in self._voice.model:  # only the others can be told
            params["language_code"] = language.partition("-")[0]
        with SPEAKING.translated():
            async with asyncio.timeout(self._address.silence_s):
                socket = await websocket(self._session, websocket_url(self._address, path), params)
                try:
                    await socket.send_str(json.dumps({"text": " "}))
                    await socket.send_str(json.dumps({"text": f"{text} "}))
                    await socket.send_str(json.dumps({"text": ""}))
                except BaseException:
                    await socket.close()
                    raise
        return socket

    async def _next(self, socket: aiohttp.ClientWebSocketResponse) -> _Answer | None:
        """The next piece; None at the end."""
        with SPEAKING.translated():
            async with asyncio.timeout(self._address.silence_s):
                message = await socket.receive()
            if message.type is not aiohttp.WSMsgType.TEXT:
                raise SPEAKING.broken(f"closed before the end (code {socket.close_code})")
            try:
                answer = _Answer.model_validate_json(message.data)
            except ValidationError as error:
                raise Unreadable("no piece of sound") from error
        if answer.error or (answer.message and not answer.audio):
            raise _refused(answer)
        if answer.is_final and not answer.audio:
            return None
        if answer.audio is None:
            raise SPEAKING.broken("neither sound nor an end")
        return answer


class _WordTimes:
    """From the times of letters to the times of words, across the pieces of one segment."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._letters = 0
        self._bytes = 0

    def of(self, letters: _Letters | None) -> tuple[SpokenWord, ...]:
        """The words that begin in this piece; its times count from its own first sample."""
        if letters is None or len(letters.chars) != len(letters.starts_ms):
            return ()
        before_s = self._bytes / 2 / _RATE_HZ
        words: list[SpokenWord] = []
        for letter, start_ms in zip(letters.chars, letters.starts_ms, strict=True):
            at = self._letters
            self._letters += len(letter)
            begins = at < len(self._text) and not self._text[at].isspace()
            if begins and (at == 0 or self._text[at - 1].isspace()):
                words.append(
                    SpokenWord(start_s=before_s + start_ms / 1000, end_offset=_end_of_word(self._text, at))
                )
        return tuple(words)

    def after(self, pcm: bytes) -> None:
        """The piece has been given."""
        self._bytes += len(pcm)


def _end_of_word(text: str, at: int) -> int:
    while at < len(text) and not text[at].isspace():
        at += 1
    return at


def _decoded(answer: _Answer) -> bytes:
    try:
        return base64.b64decode(answer.audio or "", validate=True)
    except binascii.Error as error:
        raise SPEAKING.broken("sound that is no base64") from error


def _refused(answer: _Answer) -> SpeechFailed:
    """Refusals come as messages; their names are all that is kept of them."""
    name = (answer.error or "").lower()
    reason = f"refused ({name[:40] or answer.code})"
    if "auth" in name or "api_key" in name or "permission" in name:
        return SPEAKING.key_refused(reason)
    if "quota" in name or "limit" in name or "concurrent" in name:
        return SPEAKING.busy(reason)
    if "voice" in name or "model" in name:
        return SPEAKING.unknown_model(reason)
    return SPEAKING.broken(reason)
