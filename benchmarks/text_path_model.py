"""A model by the clock: every request gets the same stream, at once or after a time, in one piece.

The fake provider of the tests parses and checks what it is asked; here that would be measured too.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.fake_models.chat_wire import chat_events
from tests.fake_models.scripts import Answer

_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


class _Connection(asyncio.Protocol):
    """Answers each whole request that has come in."""

    def __init__(self, answer: bytes, delay_s: float) -> None:
        self._answer = answer
        self._delay_s = delay_s
        self._transport: asyncio.Transport | None = None
        self._received = bytearray()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, found, _ = bytes(self._received).partition(b"\r\n\r\n")
        if not found or self._transport is None:
            return
        lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
        size = len(head) + 4 + int(lengths[0].partition(b":")[2])
        if len(self._received) >= size:
            del self._received[:size]
            asyncio.get_running_loop().call_later(self._delay_s, self._transport.write, self._answer)


@asynccontextmanager
async def instant_model(answer: Answer, *, delay_s: float = 0.0) -> AsyncIterator[str]:
    """Chat Completions on loopback; gives the base address. `delay_s`: from a request to its answer."""
    stream = b"".join(chat_events(answer, "instant"))
    whole = _HEAD + b"%x\r\n%b\r\n0\r\n\r\n" % (len(stream), stream)
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: _Connection(whole, delay_s), "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
