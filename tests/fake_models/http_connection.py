"""HTTP/1.1 by hand, because a test must be able to break it: cuts, resets, bytes one by one."""

import asyncio
import socket
import struct
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field


@dataclass(kw_only=True)
class Exchange:
    """One request and the way back to its client."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    connection: "HttpConnection"
    is_answered: bool = False
    client_closed: asyncio.Event = field(default_factory=asyncio.Event)

    def respond(self, status: int, body: bytes, *, content_type: str, headers: dict[str, str]) -> None:
        """A whole answer."""
        extra = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        typed = f"Content-Type: {content_type}\r\nContent-Length: {len(body)}\r\n"
        head = f"HTTP/1.1 {status} X\r\n{typed}{extra}\r\n"
        self.connection.send(head.encode() + body)
        self.is_answered = True

    def begin(self, *, content_type: str) -> None:
        """The head of a chunked answer."""
        self.connection.send(
            f"HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
        )

    async def write(self, chunk: bytes) -> None:
        """One chunk; waits while the client reads slowly."""
        self.connection.send(b"%x\r\n%b\r\n" % (len(chunk), chunk))
        await self.connection.writable.wait()

    def end(self) -> None:
        """The end of a chunked answer."""
        self.connection.send(b"0\r\n\r\n")
        self.is_answered = True

    def close(self) -> None:
        """Close the connection in the middle."""
        self.is_answered = True
        self.connection.close()

    def reset(self) -> None:
        """Close it by a TCP reset."""
        self.is_answered = True
        self.connection.reset()


class HttpConnection(asyncio.Protocol):
    """One client connection: requests one after another, each handled in a task of the server's group."""

    def __init__(self, group: asyncio.TaskGroup, handle: Callable[[Exchange], Awaitable[None]]) -> None:
        self._group = group
        self._handle = handle
        self._buffer = b""
        self._transport: asyncio.Transport | None = None
        self._current: tuple[Exchange, asyncio.Task[None]] | None = None
        self.writable = asyncio.Event()
        self.writable.set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        self._take_request()

    def connection_lost(self, exc: Exception | None) -> None:
        self.writable.set()
        if self._current is not None:
            exchange, task = self._current
            if not exchange.is_answered:
                exchange.client_closed.set()
            task.cancel()

    def pause_writing(self) -> None:
        self.writable.clear()

    def resume_writing(self) -> None:
        self.writable.set()

    def send(self, data: bytes) -> None:
        assert self._transport is not None
        if not self._transport.is_closing():
            self._transport.write(data)

    def close(self) -> None:
        assert self._transport is not None
        self._transport.close()

    def reset(self) -> None:
        assert self._transport is not None
        opened = self._transport.get_extra_info("socket")
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._transport.abort()

    def _take_request(self) -> None:
        if self._current is not None:
            return
        head, found, rest = self._buffer.partition(b"\r\n\r\n")
        if not found:
            return
        first, *lines = head.decode("latin-1").split("\r\n")
        method, path, _ = first.split(" ", 2)
        headers = {}
        for line in lines:
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        size = int(headers.get("content-length", "0"))
        if len(rest) < size:
            return
        self._buffer = rest[size:]
        exchange = Exchange(method=method, path=path, headers=headers, body=rest[:size], connection=self)
        self._current = (exchange, self._group.create_task(self._serve(exchange)))

    async def _serve(self, exchange: Exchange) -> None:
        try:
            await self._handle(exchange)
        finally:
            self._current = None
        self._take_request()
