"""Speech to text by ElevenLabs Scribe, in real time (VOX-21): one websocket an utterance.

Sound is sent as it comes; guesses come back by themselves. At a pause what was sent is committed, which gives
its final text; so does the end, unless nothing but quiet came since. The texts of all commits are the
transcript. Documented as `/v1/speech-to-text/realtime`; the SDK has a client of its own for it, which starts
tasks that nobody owns and prints its errors.

Limits: as many utterances at the same time as the account allows; no times of words. Fails with
`SpeechFailed` when the service refuses, cannot be reached, breaks off, or keeps its answer for longer than
`silence_s`.
"""

import asyncio
import base64
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import aiohttp
from pydantic import BaseModel, ConfigDict, ValidationError

from voice.input.speech_to_text import SpeechFailed, Transcript, Transcription
from voice.providers.collected_sound import BYTES_A_SECOND, RATE_HZ, adds_nothing
from voice.providers.service_connection import ServiceAddress, service_session, websocket, websocket_url
from voice.providers.service_failures import HEARING, Unreadable
from voice.providers.serving_tasks import serving_tasks

_CHUNK_BYTES = BYTES_A_SECOND // 10
_LEAST_COMMIT_BYTES = int(0.3 * BYTES_A_SECOND)
_MOST_WAITING_BYTES = 120 * BYTES_A_SECOND
_KEY = {"auth_error", "unaccepted_terms"}
_BUSY = {"quota_exceeded", "rate_limited", "resource_exhausted", "queue_overflow"}
_THROTTLED = {"commit_throttled"}
_THROTTLED_S = 0.3
_NOTHING_SAID = {"insufficient_audio_activity"}
_BROKEN = {
    "error",
    "transcriber_error",
    "input_error",
    "invalid_request",
    "session_time_limit_exceeded",
    "chunk_size_exceeded",
}


class _Message(BaseModel):
    model_config = ConfigDict(extra="ignore")

    message_type: str
    text: str = ""


@asynccontextmanager
async def elevenlabs_scribe(address: ServiceAddress, *, model: str) -> AsyncGenerator["ElevenLabsScribe"]:
    """The service until the block ends."""
    async with service_session(address) as session, serving_tasks() as tasks:
        running: set[asyncio.Task[None]] = set()
        try:
            yield ElevenLabsScribe(session, address, model, tasks, running)
        finally:
            for task in running:
                task.cancel()


class ElevenLabsScribe:
    """See the module. A `SpeechToText`."""

    def __init__(
        self,
        session: aiohttp.ClientSession,
        address: ServiceAddress,
        model: str,
        tasks: asyncio.TaskGroup,
        running: set[asyncio.Task[None]],
    ) -> None:
        self._session = session
        self._address = address
        self._model = model
        self._tasks = tasks
        self._running = running

    def begin(self, *, language: str | None) -> Transcription:
        """A new transcription, connecting at once."""
        params = {"model_id": self._model, "audio_format": f"pcm_{RATE_HZ}", "commit_strategy": "manual"}
        if language:
            params["language_code"] = language.partition("-")[0]
        utterance = _Utterance(self._address.silence_s)
        task = self._tasks.create_task(utterance.run(self._session, self._address, params))
        utterance.task = task
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return utterance


class _Utterance:
    """One transcription. `run` is its task; the rest is called by whoever hears and by whoever reads."""

    def __init__(self, silence_s: float) -> None:
        self.task: asyncio.Task[None] | None = None
        self._silence_s = silence_s
        self._sound = bytearray()
        self._sent = 0
        self._committed_at = 0
        self._answered_at = 0
        self._unanswered = 0
        self._is_paused = False
        self._is_finished = False
        self._is_over = False
        self._texts: list[str] = []
        self._guess = ""
        self._changed = asyncio.Event()
        self._patience = asyncio.timeout(None)
        self._told: asyncio.Queue[Transcript | SpeechFailed | None] = asyncio.Queue()  # bounded by the speech

    def write(self, pcm: bytes) -> None:
        if self._is_finished:
            return
        if len(self._sound) - self._sent > _MOST_WAITING_BYTES:
            self._told.put_nowait(HEARING.broken("takes no more sound"))
            self._is_finished = True
            return
        self._sound += pcm
        if len(self._sound) - self._sent >= _CHUNK_BYTES:
            self._changed.set()

    def tail(self) -> None:
        self._is_paused = True
        self._changed.set()

    def finish(self) -> None:
        self._is_finished = True
        self._changed.set()

    async def aclose(self) -> None:
        self._told.put_nowait(None)
        if self.task is not None:
            self.task.cancel()
            await asyncio.wait([self.task])

    async def transcripts(self) -> AsyncGenerator[Transcript]:
        """See the port."""
        while (told := await self._told.get()) is not None:
            if isinstance(told, SpeechFailed):
                raise told
            yield told

    async def run(
        self, session: aiohttp.ClientSession, address: ServiceAddress, params: dict[str, str]
    ) -> None:
        """Until the final text, a failure, or the end of the service."""
        try:
            with HEARING.translated():
                async with asyncio.timeout(self._silence_s):
                    url = websocket_url(address, "/v1/speech-to-text/realtime")
                    socket = await websocket(session, url, params)
            async with socket:
                await self._converse(socket)
        except SpeechFailed as failed:
            self._told.put_nowait(failed)
        except Exception as error:  # noqa: BLE001 - a defect ends this utterance and no other
            self._told.put_nowait(HEARING.broken(f"defect ({type(error).__name__})"))
        finally:
            self._told.put_nowait(None)

    async def _converse(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        async with serving_tasks() as tasks:
            sending = tasks.create_task(self._send(socket))
            try:
                with HEARING.translated():
                    async with self._patience:
                        await self._receive(socket)
            finally:
                sending.cancel()

    async def _send(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        """What fails here is seen by `_receive`, as the end of the connection."""
        try:
            await self._send_news(socket)
            while not self._is_over:
                await self._changed.wait()
                self._changed.clear()
                await self._send_news(socket)
        except (aiohttp.ClientError, OSError):
            pass
        await socket.close()

    async def _send_news(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        size = len(self._sound)
        while self._sent < size:
            chunk = bytes(self._sound[self._sent : min(size, self._sent + _CHUNK_BYTES)])
            await socket.send_str(_audio(chunk, commit=False))
            self._sent += len(chunk)
        if self._unanswered:
            return
        if self._is_finished and (not size or self._knows(size)):
            self._tell(final=True)
        elif self._is_finished or (self._is_paused and size - self._committed_at >= _LEAST_COMMIT_BYTES):
            self._committed_at = size
            self._unanswered += 1
            self._patience.reschedule(asyncio.get_running_loop().time() + self._silence_s)
            await socket.send_str(_audio(b"", commit=True))
        elif self._is_paused:  # too little is new; the text of a pause is told even so
            self._tell(self._guess)
        self._is_paused = False

    def _knows(self, size: int) -> bool:
        return self._answered_at > 0 and adds_nothing(self._sound, self._answered_at, size)

    async def _receive(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        while not self._is_over:
            message = await socket.receive()
            if self._is_over:
                return
            if message.type is not aiohttp.WSMsgType.TEXT:
                raise HEARING.broken(f"closed before the end (code {socket.close_code})")
            try:
                said = _Message.model_validate_json(message.data)
            except ValidationError as error:
                raise Unreadable("no message of the protocol") from error
            await self._take(said)
            loop = asyncio.get_running_loop()
            self._patience.reschedule(loop.time() + self._silence_s if self._unanswered else None)

    async def _take(self, said: _Message) -> None:
        match said.message_type:
            case "partial_transcript":
                self._guess = said.text
                self._tell(said.text)
            case "committed_transcript":
                self._answered(said.text)
                if not self._is_finished:
                    self._tell()
            case name if name in _NOTHING_SAID:
                self._answered("")
            case name if name in _THROTTLED:
                self._unanswered = 0
                self._committed_at = self._answered_at
                await asyncio.sleep(_THROTTLED_S)
                self._changed.set()
            case name if name in _KEY:
                raise HEARING.key_refused(name)
            case name if name in _BUSY:
                raise HEARING.busy(name)
            case name if name in _BROKEN:
                raise HEARING.broken(name)
            case _:  # what the protocol says beside: the session, times, languages
                pass

    def _answered(self, text: str) -> None:
        if text.strip():
            self._texts.append(text.strip())
        self._guess = ""
        self._unanswered = 0
        self._answered_at = self._committed_at
        self._changed.set()

    def _tell(self, guess: str = "", *, final: bool = False) -> None:
        self._is_over = final
        text = " ".join([*self._texts, *filter(None, [guess.strip()])])
        self._told.put_nowait(Transcript(text=text, final=final))


def _audio(chunk: bytes, *, commit: bool) -> str:
    sound = base64.b64encode(chunk).decode()
    return json.dumps(
        {
            "message_type": "input_audio_chunk",
            "audio_base_64": sound,
            "commit": commit,
            "sample_rate": RATE_HZ,
        }
    )
