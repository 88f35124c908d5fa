"""The websocket to a voice gateway: connects, sends, reads, and keeps the heartbeat (VOX-1).

Messages come out as values, malformed ones are counted and skipped. The heartbeat acknowledges the last
sequence number, and a gateway that does not answer two beats in a row counts as lost. Always TLS, as
Discord's is.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from ssl import SSLContext

import aiohttp

from voice.transport.gateway_events import (
    GatewayEvent,
    HeartbeatAck,
    Hello,
    Numbered,
)
from voice.transport.gateway_messages import (
    MalformedMessage,
    Opcode,
    Send,
    SendText,
    parse_binary,
    parse_text,
)

GATEWAY_VERSION = 8
_LARGEST_MESSAGE = 1 << 20


class GatewayUnreachable(Exception):
    """The websocket could not be opened, or broke while sending."""


class GatewaySocket:
    """One connection. `sequence` is the last number seen, -1 before the first."""

    def __init__(
        self,
        socket: aiohttp.ClientWebSocketResponse,
        *,
        sequence: int,
        refuse: Callable[[str], None],
    ) -> None:
        self._socket = socket
        self._refuse = refuse
        self.sequence = sequence
        self._interval_s: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        self._unanswered = 0
        self._beat_at = 0.0
        self.latency_s: float | None = None

    @classmethod
    async def connect(
        cls,
        session: aiohttp.ClientSession,
        endpoint: str,
        *,
        ssl: SSLContext | None,
        sequence: int,
        refuse: Callable[[str], None],
        timeout_s: float,
    ) -> "GatewaySocket":
        """Opens the websocket of an endpoint (`host:port`). Raises `GatewayUnreachable`."""
        url = f"wss://{endpoint}/?v={GATEWAY_VERSION}"
        try:
            async with asyncio.timeout(timeout_s):
                socket = await session.ws_connect(
                    url, ssl=ssl or True, max_msg_size=_LARGEST_MESSAGE, autoclose=True
                )
        except (aiohttp.ClientError, OSError, TimeoutError, ValueError) as error:
            raise GatewayUnreachable(type(error).__name__) from error
        return cls(socket, sequence=sequence, refuse=refuse)

    @property
    def close_code(self) -> int | None:
        """Why it was closed, as far as either side told."""
        return self._socket.close_code

    async def send(self, message: Send) -> None:
        """Sends one message. Raises `GatewayUnreachable`."""
        try:
            if isinstance(message, SendText):
                await self._socket.send_str(message.encoded())
            else:
                await self._socket.send_bytes(message.encoded())
        except (aiohttp.ClientError, OSError, RuntimeError) as error:
            raise GatewayUnreachable(type(error).__name__) from error

    async def events(self) -> AsyncIterator[GatewayEvent]:
        """What the gateway says, until the connection ends."""
        async for message in self._socket:
            try:
                if message.type is aiohttp.WSMsgType.TEXT:
                    numbered = parse_text(message.data)
                elif message.type is aiohttp.WSMsgType.BINARY:
                    numbered = parse_binary(message.data)
                else:
                    return
            except MalformedMessage as error:
                self._refuse(f"gateway: {error}")
                continue
            self._note(numbered)
            yield numbered.event

    async def beat(self) -> None:
        """Beats for as long as the connection lives; returns when the gateway does not answer any more."""
        interval_s = await self._interval_s
        while True:
            await asyncio.sleep(interval_s)
            if self._unanswered > 1:
                return
            self._unanswered += 1
            self._beat_at = time.monotonic()
            nonce = int(self._beat_at * 1000)
            await self.send(SendText(Opcode.HEARTBEAT, {"t": nonce, "seq_ack": self.sequence}))

    async def close(self, code: int = 1000) -> None:
        """Closes; never raises for a connection that is gone."""
        try:
            async with asyncio.timeout(1.0):
                await self._socket.close(code=code)
        except (aiohttp.ClientError, OSError, TimeoutError):
            return

    def _note(self, numbered: Numbered) -> None:
        if numbered.sequence is not None:
            self.sequence = numbered.sequence
        match numbered.event:
            case Hello(interval_s):
                if not self._interval_s.done():
                    self._interval_s.set_result(interval_s)
            case HeartbeatAck():
                self._unanswered = 0
                self.latency_s = time.monotonic() - self._beat_at
            case _:
                pass
