"""A participant behind real sockets: its voice websocket, its UDP address, its transport key.

Every message that a RESUME may ask for again is numbered and kept. The bot sits here, and @discordjs/voice.
"""

from __future__ import annotations

import json
import os
import struct
from typing import Any

from aiohttp import web

from tests.fake_discord.connections import reset
from tests.fake_discord.voice.media import MediaPacket
from tests.fake_discord.voice.room import Room
from voice.transport.rtp import MalformedPacket, parse_header, payload_of
from voice.transport.transport_crypto import NotAuthentic, TransportCipher, cipher_for

HELLO, READY, HEARTBEAT_ACK, SESSION_DESCRIPTION, RESUMED = 8, 2, 6, 4, 9
_UNNUMBERED = {HELLO, HEARTBEAT_ACK, RESUMED}


class Wire:
    """`outgoing` is None while the websocket is away; what is said then waits for the RESUME."""

    def __init__(self, user_id: int, room: Room, *, session_id: str, token: str, with_dave: bool) -> None:
        self.user_id = user_id
        self.room = room
        self.session_id = session_id
        self.token = token
        self.with_dave = with_dave
        self.ssrc = room.new_ssrc()
        self.key = os.urandom(32)
        self.mode: str | None = None
        self.address: tuple[str, int] | None = None
        self.transport: Any = None
        self.said: list[tuple[int, Any]] = []
        """What the client said: opcode and data, binary ones as bytes."""
        self.speaking: list[int] = []
        self.sent: list[MediaPacket] = []
        """What the client sent, DAVE payloads as they came."""
        self.reports: list[tuple[int, ...]] = []
        """RTCP sender reports, field by field."""
        self.bad_datagrams = 0
        self.keepalives = 0
        self.acknowledged: int | None = None
        """The last number that a heartbeat acknowledged."""
        self.resumable = True
        self.closed_by_server = False
        self.socket: web.WebSocketResponse | None = None
        self.request: web.Request | None = None
        self._writer: Any = None
        self._sequence = 0
        self._log: list[tuple[int, str | bytes]] = []
        self._sealing: TransportCipher | None = None
        self._opening: TransportCipher | None = None

    # the websocket

    def attach(self, socket: web.WebSocketResponse, request: web.Request, writer: Any) -> None:
        self.socket, self.request, self._writer = socket, request, writer
        self.closed_by_server = False

    def detach(self, socket: web.WebSocketResponse) -> None:
        if self.socket is socket:
            self.socket = self.request = self._writer = None

    def text(self, op: int, data: Any) -> None:
        message = {"op": op, "d": data}
        if op not in _UNNUMBERED:
            self._sequence += 1
            message["seq"] = self._sequence
        self._put(op, json.dumps(message))

    def binary(self, op: int, payload: bytes) -> None:
        self._sequence += 1
        self._put(op, struct.pack(">HB", self._sequence, op) + payload)

    def raw(self, message: str | bytes) -> None:
        """Anything at all, for hostile tests."""
        if self._writer is not None:
            self._writer.put_nowait(message)

    def replay(self, after: int) -> None:
        for number, message in self._log:
            if number > after:
                self.raw(message)

    def close(self, code: int) -> None:
        self.closed_by_server = True
        if self._writer is not None:
            self._writer.put_nowait(code)

    def cut(self) -> None:
        """A TCP reset: no closing frame."""
        if self.request is not None:
            reset(self.request.transport)

    def _put(self, op: int, message: str | bytes) -> None:
        if op not in _UNNUMBERED:
            self._log.append((self._sequence, message))
        self.raw(message)

    # sound

    def choose(self, mode: str) -> None:
        self.mode = mode
        self._sealing, self._opening = cipher_for(mode, self.key), cipher_for(mode, self.key)

    def hear(self, packet: MediaPacket) -> None:
        if self.address is None or self._sealing is None:
            return
        clear, secret = packet.rtp()
        self.datagram(self._sealing.seal(clear, secret))

    def datagram(self, data: bytes) -> None:
        """Any bytes from the voice server's port."""
        if self.address is not None:
            self.transport.sendto(data, self.address)

    def received(self, data: bytes) -> MediaPacket | None:
        """A datagram of the client, as a packet."""
        if len(data) == 8:
            self.keepalives += 1
            return None
        if self._opening is None:
            return None
        if data[1:2] == b"\xc8":
            self._reported(data, self._opening)
            return None
        try:
            header = parse_header(data)
            payload = payload_of(header, self._opening.open(data, header.clear_size))
        except (MalformedPacket, NotAuthentic):
            self.bad_datagrams += 1
            return None
        packet = MediaPacket(
            ssrc=header.ssrc,
            sequence=header.sequence,
            timestamp=header.timestamp,
            payload=payload,
            payload_type=header.payload_type,
            marker=header.marker,
        )
        self.sent.append(packet)
        return packet

    def _reported(self, data: bytes, opening: TransportCipher) -> None:
        """An RTCP sender report: 8 bytes in the clear, then as every packet."""
        try:
            plain = data[:8] + opening.open(data, 8)
        except NotAuthentic:
            self.bad_datagrams += 1
        else:
            self.reports.append(struct.unpack(">BBHIQIII", plain))
