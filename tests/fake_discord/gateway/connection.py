"""One gateway socket: frames in and out, compression, closing.

Everything to the bot goes through one queue and one writer, so that the order of the calls is the order
of the frames. The socket does not know what its session means; `gateway.py` does.
"""

from __future__ import annotations

import asyncio
import json
import struct
import zlib
from collections.abc import Callable
from typing import Any

from aiohttp import WSMsgType, web

from tests.fake_discord.connections import reset
from tests.fake_discord.entities import Json
from tests.fake_discord.gateway.session import Session
from tests.fake_discord.recorder import Direction, Frame, Recorder
from tests.fake_discord.snowflakes import Clock

HEARTBEAT, HEARTBEAT_ACK = 1, 11
_ANSWERED_WITHIN_S = 2.0
_UNNUMBERED = (HEARTBEAT, HEARTBEAT_ACK)


class Connection:
    def __init__(
        self, request: web.Request, socket: web.WebSocketResponse, *, recorder: Recorder, clock: Clock
    ) -> None:
        self._request = request
        self._socket = socket
        self._recorder = recorder
        self._clock = clock
        compressed = request.query.get("compress") == "zlib-stream"
        self._deflate = zlib.compressobj() if compressed else None
        self._outgoing: asyncio.Queue[str | int] = asyncio.Queue()
        self.session: Session | None = None
        self.last_heartbeat_at: float | None = None

    @property
    def version(self) -> str:
        return self._request.query.get("v", "")

    @property
    def closed(self) -> bool:
        return self._socket.closed

    def send(self, op: int, data: Any = None) -> None:
        text = json.dumps({"op": op, "d": data, "s": None, "t": None}, separators=(",", ":"))
        self.send_text(text, op=op, data=data)

    def send_text(
        self, text: str, *, op: int, event: str | None = None, sequence: int | None = None, data: Any = None
    ) -> None:
        self._record(Direction.TO_BOT, op=op, event=event, sequence=sequence, data=data)
        self._outgoing.put_nowait(text)

    def close(self, code: int) -> None:
        """Closes once everything sent before is out."""
        self._outgoing.put_nowait(code)

    def cut(self) -> None:
        """The network fails: a TCP reset, no closing frame."""
        reset(self._request.transport)

    def _record(
        self, direction: Direction, *, op: int, event: str | None, sequence: int | None, data: Any
    ) -> None:
        recorder = self._recorder
        frame = Frame(
            number=None if op in _UNNUMBERED else recorder.next_number(),
            direction=direction,
            at=self._clock(),
            session_id=self.session.id if self.session else None,
            op=op,
            event=event,
            sequence=sequence,
            data=data,
        )
        recorder.passed(frame)

    async def serve(self, received: Callable[[Connection, int, Any], None]) -> int | None:
        """Runs until the socket is closed by either side; gives the code that the bot closed with, if any."""
        async with asyncio.TaskGroup() as tasks:
            writer = tasks.create_task(self._write())
            try:
                async for message in self._socket:
                    if message.type not in (WSMsgType.TEXT, WSMsgType.BINARY):
                        break
                    self._take(message.data, received)
            finally:
                writer.cancel()
        return self._socket.close_code

    def _take(self, text: str | bytes, received: Callable[[Connection, int, Any], None]) -> None:
        try:
            frame: Json = json.loads(text)
            op, data = int(frame["op"]), frame.get("d")
        except (ValueError, KeyError, TypeError):
            self.close(4002)
            return
        self._record(Direction.FROM_BOT, op=op, event=None, sequence=None, data=data)
        received(self, op, data)

    async def _write(self) -> None:
        try:
            while True:
                item = await self._outgoing.get()
                if isinstance(item, int):
                    # Not `close()`: it ends the TCP connection before the client could answer, and the
                    # client then knows no code.
                    await self._socket.send_frame(struct.pack("!H", item), WSMsgType.CLOSE)
                    await asyncio.sleep(_ANSWERED_WITHIN_S)
                    self.cut()
                    return
                if self._deflate is None:
                    await self._socket.send_str(item)
                else:
                    packed = self._deflate.compress(item.encode())
                    await self._socket.send_bytes(packed + self._deflate.flush(zlib.Z_SYNC_FLUSH))
        except ConnectionError:
            return  # the reader sees the end too and cleans up
