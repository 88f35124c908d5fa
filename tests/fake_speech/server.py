"""The service itself: takes scripts, plays them in order, records what it was asked."""

import asyncio
import base64
import json
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from aiohttp import WSMsgType, web

Ending = Literal["complete", "cut", "hang"]


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """An HTTP status, also instead of a websocket."""

    status: int


@dataclass(frozen=True, kw_only=True)
class Sound:
    """PCM in chunks. `messages` are sent as they are, over a websocket, in front of the chunks."""

    chunks: tuple[bytes, ...] = ()
    content_type: str = "audio/pcm"
    messages: tuple[str, ...] = ()
    alignments: tuple[dict[str, Any] | None, ...] = ()
    delay_s: float = 0.0
    ending: Ending = "complete"


@dataclass(frozen=True, kw_only=True)
class Text:
    """A transcription. `body` replaces the JSON of HTTP.

    Over the websocket: `guesses` follow the first sound, each commit is answered by the next of `commits`
    (a text, or a whole message). With guesses, an ending of "cut" comes behind them, in mid-utterance.
    """

    body: bytes | dict[str, Any] = b""
    guesses: tuple[str, ...] = ()
    commits: tuple[str | dict[str, Any] | list[Any], ...] = ()
    delay_s: float = 0.0
    ending: Ending = "complete"


@dataclass(kw_only=True)
class Asked:
    """One request: `form` of a transcription, JSON body of a speech, messages of a websocket."""

    path: str
    headers: dict[str, str]
    query: dict[str, str]
    form: dict[str, Any] = field(default_factory=dict)
    messages: list[dict[str, Any]] = field(default_factory=list)
    is_over: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def sound(self) -> bytes:
        """What was sent to Scribe."""
        return b"".join(base64.b64decode(message.get("audio_base_64", "")) for message in self.messages)

    @property
    def commits(self) -> int:
        return sum(bool(message.get("commit")) for message in self.messages)


class FakeSpeech:
    """A service on loopback. `asked` holds every request in order of arrival."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.base_url = ""
        self._scripts: deque[Refusal | Sound | Text] = deque()

    @classmethod
    @asynccontextmanager
    async def running(cls) -> AsyncIterator["FakeSpeech"]:
        """Listens until the block ends."""
        service = cls()
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_post("/v1/audio/transcriptions", service._transcriptions)
        app.router.add_post("/v1/audio/speech", service._speech)
        app.router.add_get("/v1/text-to-speech/{voice}/stream-input", service._elevenlabs_voice)
        app.router.add_get("/v1/speech-to-text/realtime", service._scribe)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        host, port = runner.addresses[0][:2]
        service.base_url = f"http://{host}:{port}"
        try:
            yield service
        finally:
            await runner.cleanup()

    def script(self, *scripts: Refusal | Sound | Text) -> None:
        """Play these for the next requests, in order."""
        self._scripts.extend(scripts)

    def _arrived(self, request: web.Request) -> Asked:
        asked = Asked(path=request.path, headers=dict(request.headers), query=dict(request.query))
        self.asked.append(asked)
        return asked

    async def _transcriptions(self, request: web.Request) -> web.StreamResponse:
        asked = self._arrived(request)
        form = await request.post()
        for name in form:
            values = [_content(value) for value in form.getall(name)]
            asked.form[name] = values if len(values) > 1 else values[0]
        script = self._scripts.popleft()
        match script:
            case Refusal(status=status):
                return web.Response(status=status, text='{"error": {"message": "sk-secret is wrong"}}')
            case Text():
                await asyncio.sleep(script.delay_s)
                body = script.body if isinstance(script.body, bytes) else json.dumps(script.body).encode()
                return await _answered(request, (body,), "application/json", script.ending)
            case Sound():
                raise AssertionError("a transcription is no sound")

    async def _speech(self, request: web.Request) -> web.StreamResponse:
        asked = self._arrived(request)
        asked.form = await request.json()
        script = self._scripts.popleft()
        match script:
            case Refusal(status=status):
                return web.Response(status=status, text="no")
            case Sound():
                await asyncio.sleep(script.delay_s)
                try:
                    return await _answered(request, script.chunks, script.content_type, script.ending)
                finally:
                    asked.is_over.set()
            case Text():
                raise AssertionError("a speech is no text")

    async def _elevenlabs_voice(self, request: web.Request) -> web.StreamResponse:
        asked = self._arrived(request)
        script = self._scripts.popleft()
        if isinstance(script, Refusal):
            return web.Response(status=script.status)
        assert isinstance(script, Sound)
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        async for message in socket:
            asked.messages.append(json.loads(message.data))
            if asked.messages[-1] == {"text": ""}:
                break
        await asyncio.sleep(script.delay_s)
        for raw in script.messages:
            await socket.send_str(raw)
        for number, chunk in enumerate(script.chunks):
            letters = script.alignments[number] if script.alignments else None
            answer = {"audio": base64.b64encode(chunk).decode(), "isFinal": None, "alignment": letters}
            await socket.send_json(answer)
        await self._end(socket, script.ending, {"audio": None, "isFinal": True})
        asked.is_over.set()
        return socket

    async def _scribe(self, request: web.Request) -> web.StreamResponse:
        asked = self._arrived(request)
        script = self._scripts.popleft()
        if isinstance(script, Refusal):
            return web.Response(status=script.status)
        assert isinstance(script, Text)
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.send_json({"message_type": "session_started", "session_id": "s"})
        guesses, commits = deque(script.guesses), deque(script.commits)
        async for message in socket:
            asked.messages.append(json.loads(message.data))
            if asked.messages[-1]["commit"]:
                await asyncio.sleep(script.delay_s)
                if not commits:
                    await self._end(socket, script.ending, None)
                    break
                commit = commits.popleft()
                if isinstance(commit, str):
                    commit = {"message_type": "committed_transcript", "text": commit}
                await socket.send_json(commit)
            elif guesses:
                await socket.send_json({"message_type": "partial_transcript", "text": guesses.popleft()})
                if not guesses and script.ending == "cut":
                    await self._end(socket, script.ending, None)
                    break
        asked.is_over.set()
        return socket

    async def _end(self, socket: web.WebSocketResponse, ending: Ending, last: dict[str, Any] | None) -> None:
        match ending:
            case "complete":
                if last is not None:
                    await socket.send_json(last)
            case "cut":
                await socket.close(code=1011)
                return
            case "hang":
                while (await socket.receive()).type not in {
                    WSMsgType.CLOSE,
                    WSMsgType.CLOSED,
                    WSMsgType.CLOSING,
                }:
                    pass
        await socket.close()


def _content(value: Any) -> Any:
    if not isinstance(value, web.FileField):
        return value
    with value.file as file:
        return file.read()


async def _answered(
    request: web.Request, chunks: tuple[bytes, ...], content_type: str, ending: Ending
) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": content_type})
    response.enable_chunked_encoding()
    await response.prepare(request)
    for chunk in chunks:
        await response.write(chunk)
    match ending:
        case "complete":
            await response.write_eof()
        case "cut":
            assert request.transport is not None
            request.transport.abort()
        case "hang":
            while request.transport is not None:
                await asyncio.sleep(0.01)
    return response
