"""The provider itself: takes scripts, plays them, records what it was asked."""

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any

from tests.fake_models.chat_wire import chat_document, chat_events
from tests.fake_models.http_connection import Exchange, HttpConnection
from tests.fake_models.responses_wire import responses_document, responses_events
from tests.fake_models.scripts import Answer, Ending, RawStream, Refusal, Script
from tests.fake_models.validation import InvalidRequest, validate_chat, validate_responses

Play = Callable[[dict[str, Any]], Script]
"""Chooses the script by the request's body."""


@dataclass(kw_only=True)
class RecordedRequest:
    """What came in; `body` is the parsed JSON."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    exchange: Exchange

    @property
    def client_closed_early(self) -> bool:
        """Whether the client went before the answer was whole."""
        return self.exchange.client_closed.is_set()

    async def wait_until_client_closed(self, timeout_s: float = 5.0) -> None:
        """Raises TimeoutError when the client does not close its connection early."""
        async with asyncio.timeout(timeout_s):
            await self.exchange.client_closed.wait()


class FakeModels:
    """A provider on loopback. `requests` holds every model request in order of arrival."""

    def __init__(
        self, group: asyncio.TaskGroup, *, api_key: str | None, default: Script | Play | None
    ) -> None:
        self._group = group
        self._api_key = api_key
        self._default = default
        self._scripts: deque[Script | Play] = deque()
        self._arrived = asyncio.Condition()
        self.requests: list[RecordedRequest] = []
        self.invalid_requests: list[str] = []
        self.model_names = ["fake-model"]
        self.port = 0

    @classmethod
    @asynccontextmanager
    async def running(
        cls, *, port: int = 0, api_key: str | None = None, default: Script | Play | None = None
    ) -> AsyncIterator["FakeModels"]:
        """Listen until the block ends. With `api_key` any other one gets 401; `default` replaces the echo."""
        async with asyncio.TaskGroup() as group:
            models = cls(group, api_key=api_key, default=default)
            loop = asyncio.get_running_loop()
            connections: set[HttpConnection] = set()

            def connect() -> HttpConnection:
                connection = HttpConnection(group, models._handle)
                connections.add(connection)
                return connection

            server = await loop.create_server(connect, "127.0.0.1", port, backlog=1024)
            models.port = server.sockets[0].getsockname()[1]
            try:
                yield models
            finally:
                server.close()
                for connection in connections:
                    connection.close()

    @property
    def base_url(self) -> str:
        """What OPENAI_API_BASE_URL is set to."""
        return f"http://127.0.0.1:{self.port}/v1"

    def script(self, *scripts: Script | Play) -> None:
        """Play these for the next requests, in order, then the default; a callable gets the body."""
        self._scripts.extend(scripts)

    async def wait_for_request(self, count: int = 1, timeout_s: float = 5.0) -> RecordedRequest:
        """Wait until `count` model requests arrived since the start; gives that one."""
        async with asyncio.timeout(timeout_s), self._arrived:
            await self._arrived.wait_for(lambda: len(self.requests) >= count)
        return self.requests[count - 1]

    async def _handle(self, exchange: Exchange) -> None:
        path = exchange.path.partition("?")[0]
        if self._api_key is not None and exchange.headers.get("authorization") != f"Bearer {self._api_key}":
            _refuse(exchange, Refusal(status=401), "Incorrect API key provided")
        elif (exchange.method, path) == ("GET", "/v1/models"):
            listed = [
                {"id": name, "object": "model", "created": 1, "owned_by": "tests"}
                for name in self.model_names
            ]
            _document(exchange, {"object": "list", "data": listed})
        elif exchange.method == "POST" and path in {"/v1/chat/completions", "/v1/responses"}:
            await self._model_request(exchange, path)
        else:
            _refuse(exchange, Refusal(status=404), f"no {exchange.method} {path} here")

    async def _model_request(self, exchange: Exchange, path: str) -> None:
        is_chat = path == "/v1/chat/completions"
        try:
            body = json.loads(exchange.body)
            (validate_chat if is_chat else validate_responses)(body)
        except (ValueError, InvalidRequest) as error:
            self.invalid_requests.append(str(error))
            _refuse(exchange, Refusal(status=400), str(error))
            return
        async with self._arrived:
            self.requests.append(
                RecordedRequest(path=path, headers=exchange.headers, body=body, exchange=exchange)
            )
            self._arrived.notify_all()
        script = self._scripts.popleft() if self._scripts else self._default or echo
        if callable(script):
            script = script(body)
        if script.delay_s:
            await asyncio.sleep(script.delay_s)
        match script:
            case Refusal():
                _refuse(exchange, script, "scripted")
            case RawStream():
                await _play_raw(exchange, script)
            case Answer():
                await _play(exchange, script, body, is_chat=is_chat)


def echo(body: dict[str, Any]) -> Answer:
    """The default: the last text of the user, word by word."""
    messages = body.get("messages") or body.get("input") or []
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    users = [message for message in messages if message.get("role") == "user"]
    text = _text_of(users[-1]["content"]) if users else "Hello."
    return Answer(text=tuple(word for word in text.splitlines(keepends=True) or ("Hello.",)))


def _text_of(content: str | list[dict[str, Any]]) -> str:
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content)


async def _play(exchange: Exchange, answer: Answer, body: dict[str, Any], *, is_chat: bool) -> None:
    model = body["model"]
    if not (body.get("stream") and answer.streams):
        _document(exchange, (chat_document if is_chat else responses_document)(answer, model))
        return
    events = list((chat_events if is_chat else responses_events)(answer, model))
    if answer.ending is not Ending.COMPLETE:
        # What a whole stream says at its end: finish reason, usage and [DONE], or the terminal event.
        terminal = (2 + (answer.usage is not None)) if is_chat else 1
        events = list(islice(events, len(events) - terminal))
    chunks = events if answer.delay_between_s else [b"".join(events)]
    raw = RawStream(chunks=tuple(chunks), delay_between_s=answer.delay_between_s, ending=answer.ending)
    await _play_raw(exchange, raw)


async def _play_raw(exchange: Exchange, raw: RawStream) -> None:
    if raw.head is not None:
        exchange.connection.send(raw.head)
    elif not raw.before_head:
        exchange.begin(content_type=raw.content_type)
    for number, chunk in enumerate(raw.chunks):
        if number and raw.delay_between_s:
            await asyncio.sleep(raw.delay_between_s)
        if raw.head is not None:
            exchange.connection.send(chunk)
        elif chunk:
            await exchange.write(chunk)
    match raw.ending:
        case Ending.COMPLETE | Ending.WITHOUT_TERMINAL:
            exchange.end() if raw.head is None else exchange.close()
        case Ending.CLOSE:
            exchange.close()
        case Ending.RESET:
            await asyncio.sleep(0.01)  # what was sent must leave before the reset discards it
            exchange.reset()
        case Ending.HANG:
            await exchange.client_closed.wait()


def _document(exchange: Exchange, value: object) -> None:
    exchange.respond(200, json.dumps(value).encode(), content_type="application/json", headers={})


def _refuse(exchange: Exchange, refusal: Refusal, message: str) -> None:
    body = refusal.body
    if body is None:
        error = {"message": message, "type": "fake_error", "param": None, "code": None}
        body = json.dumps({"error": error})
    exchange.respond(
        refusal.status, body.encode(), content_type="application/json", headers=dict(refusal.headers)
    )
