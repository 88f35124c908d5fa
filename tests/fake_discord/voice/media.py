"""A packet of sound on its way through the voice server, and what a bad network does to it."""

from __future__ import annotations

import asyncio
import random
import struct
from collections.abc import Callable
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaPacket:
    """RTP without transport encryption; `payload` is what the sender's DAVE made of its Opus."""

    ssrc: int
    sequence: int
    timestamp: int
    payload: bytes
    payload_type: int = 120
    marker: bool = False
    extension: bytes | None = struct.pack(">I", 0x10FF_0000)
    """Words behind the extension's header; Discord sends the audio level there."""
    contributors: tuple[int, ...] = ()
    padding: int = 0

    def rtp(self) -> tuple[bytes, bytes]:
        """The clear header and what is encrypted behind it."""
        first = 0x80 | len(self.contributors)
        first |= 0x10 if self.extension is not None else 0
        first |= 0x20 if self.padding else 0
        clear = struct.pack(
            ">BBHII",
            first,
            self.payload_type | self.marker << 7,
            self.sequence & 0xFFFF,
            self.timestamp & 0xFFFFFFFF,
            self.ssrc,
        )
        clear += b"".join(struct.pack(">I", one) for one in self.contributors)
        secret = self.payload
        if self.extension is not None:
            clear += struct.pack(">HH", 0xBEDE, len(self.extension) // 4)
            secret = self.extension + secret
        if self.padding:
            secret += bytes(self.padding - 1) + bytes([self.padding])
        return clear, secret


@dataclass(kw_only=True)
class Network:
    """The way from the server to one participant. Probabilities per packet; delays in seconds."""

    chance: random.Random
    loss: float = 0.0
    duplication: float = 0.0
    reordering: float = 0.0
    """A reordered packet comes after the next one of its SSRC."""
    delay_s: float = 0.0
    jitter_s: float = 0.0
    decorate: Callable[[MediaPacket], MediaPacket] = lambda packet: packet
    lost: int = 0

    def __post_init__(self) -> None:
        self._late: dict[int, MediaPacket] = {}

    def carry(self, packet: MediaPacket, deliver: Callable[[MediaPacket], None]) -> None:
        """Delivers the packet: now, later, twice, after the next one, or never."""
        packet = self.decorate(packet)
        if self.chance.random() < self.loss:
            self.lost += 1
            return
        if packet.ssrc not in self._late and self.chance.random() < self.reordering:
            self._late[packet.ssrc] = packet
            return
        self._after_a_while(packet, deliver)
        if self.chance.random() < self.duplication:
            self._after_a_while(replace(packet), deliver)
        late = self._late.pop(packet.ssrc, None)
        if late is not None:
            self._after_a_while(late, deliver)

    def _after_a_while(self, packet: MediaPacket, deliver: Callable[[MediaPacket], None]) -> None:
        wait_s = self.delay_s + self.chance.uniform(0, self.jitter_s)
        if wait_s:
            asyncio.get_running_loop().call_later(wait_s, deliver, packet)
        else:
            deliver(packet)
