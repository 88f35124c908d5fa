"""RTP as Discord sends it (VOX-1): what a datagram is, its header, and the payload behind its extension.

Hostile-proof: every length is checked before it is used, and nothing but `MalformedPacket` is raised. In
the `rtpsize` modes the fixed header, the CSRCs and the first four bytes of the extension stand in the
clear and are authenticated; the words of the extension and the padding are encrypted with the payload. Of
RTCP 8 bytes stand in the clear.
Source: RFC 3550, section 5.1; RFC 5761, section 4 (RTCP on the same port); `wire/discord-voice.md`.
"""

import struct
from enum import Enum
from typing import NamedTuple

OPUS_PAYLOAD_TYPE = 120
DISCOVERY_SIZE = 74
KEEPALIVE_SIZE = 8
MAXIMUM_DATAGRAM = 2048
_FIXED = struct.Struct(">BBHII")
_WORDS = struct.Struct(">H")
_RTCP_TYPES = range(200, 205)
_SENDER_REPORT, _REPORT_WORDS = 200, 6
_RTCP_FIXED = struct.Struct(">BBHI")
_SENDER_INFO = struct.Struct(">QIII")
_NTP_EPOCH_S = 2_208_988_800
"""From 1900, where NTP begins, to 1970."""


class MalformedPacket(ValueError):
    """The bytes are no packet of this kind; the message says why in a few words, to be counted by."""


class DatagramKind(Enum):
    """What came in on the voice port."""

    RTP = "rtp"
    RTCP = "rtcp"
    DISCOVERY = "discovery"
    KEEPALIVE = "keepalive"
    NOISE = "noise"


class RtpHeader(NamedTuple):
    """A parsed header. `clear_size` bytes are authenticated and not encrypted; timestamps count at 48 kHz."""

    payload_type: int
    marker: bool
    sequence: int
    timestamp: int
    ssrc: int
    clear_size: int
    extension_words: int
    padded: bool


def datagram_kind(datagram: bytes) -> DatagramKind:
    """Tells RTP from what else shares the port; says nothing of validity."""
    size = len(datagram)
    if size == KEEPALIVE_SIZE:
        return DatagramKind.KEEPALIVE
    if size == DISCOVERY_SIZE and datagram[0] == 0 and datagram[1] == 2:
        return DatagramKind.DISCOVERY
    if size < _FIXED.size or size > MAXIMUM_DATAGRAM or datagram[0] >> 6 != 2:
        return DatagramKind.NOISE
    return DatagramKind.RTCP if datagram[1] in _RTCP_TYPES else DatagramKind.RTP


def parse_header(datagram: bytes) -> RtpHeader:
    """The header of an RTP datagram.

    Raises:
        MalformedPacket: it is shorter than its own counts say, or of another version.
    """
    size = len(datagram)
    if size < _FIXED.size:
        raise MalformedPacket("truncated header")
    first, second, sequence, timestamp, ssrc = _FIXED.unpack_from(datagram)
    if first >> 6 != 2:
        raise MalformedPacket("not RTP version 2")
    clear_size = _FIXED.size + 4 * (first & 0x0F)
    extension_words = 0
    if first & 0x10:
        clear_size += 4
        if size < clear_size:
            raise MalformedPacket("truncated extension")
        (extension_words,) = _WORDS.unpack_from(datagram, clear_size - 2)
    if size < clear_size:
        raise MalformedPacket("truncated CSRC list")
    return RtpHeader(
        second & 0x7F,
        bool(second & 0x80),
        sequence,
        timestamp,
        ssrc,
        clear_size,
        extension_words,
        bool(first & 0x20),
    )


def payload_of(header: RtpHeader, plaintext: bytes) -> bytes:
    """What is left of the decrypted part without the extension's words and the padding.

    Raises:
        MalformedPacket: the extension or the padding is longer than the packet.
    """
    start = 4 * header.extension_words
    end = len(plaintext)
    if start > end:
        raise MalformedPacket("extension longer than packet")
    if header.padded:
        padding = plaintext[-1] if end > start else 0
        if padding == 0 or start + padding > end:
            raise MalformedPacket("padding longer than packet")
        end -= padding
    return plaintext[start:end] if start or end != len(plaintext) else plaintext


def build_header(*, sequence: int, timestamp: int, ssrc: int, marker: bool = False) -> bytes:
    """A header of 12 bytes for an Opus frame, counters taken modulo their width."""
    second = OPUS_PAYLOAD_TYPE | (0x80 if marker else 0)
    return _FIXED.pack(0x80, second, sequence & 0xFFFF, timestamp & 0xFFFFFFFF, ssrc & 0xFFFFFFFF)


def sender_report(
    *, ssrc: int, wall_s: float, timestamp: int, packets: int, octets: int
) -> tuple[bytes, bytes]:
    """An RTCP sender report without report blocks (RFC 3550, section 6.4.1): in the clear, and encrypted."""
    clear = _RTCP_FIXED.pack(0x80, _SENDER_REPORT, _REPORT_WORDS, ssrc & 0xFFFFFFFF)
    ntp = int((wall_s + _NTP_EPOCH_S) * 2**32) % 2**64
    counts = (timestamp & 0xFFFFFFFF, packets & 0xFFFFFFFF, octets & 0xFFFFFFFF)
    return clear, _SENDER_INFO.pack(ntp, *counts)


def discovery_request(ssrc: int) -> bytes:
    """Asks the voice server how it sees this socket's address."""
    return struct.pack(">HHI", 1, DISCOVERY_SIZE - 4, ssrc & 0xFFFFFFFF) + bytes(DISCOVERY_SIZE - 8)


def parse_discovery(datagram: bytes) -> tuple[str, int]:
    """Address and port of an answer to `discovery_request`.

    Raises:
        MalformedPacket: it is no such answer.
    """
    if len(datagram) != DISCOVERY_SIZE or datagram[:2] != b"\x00\x02":
        raise MalformedPacket("no discovery answer")
    address = datagram[8:-2].split(b"\0", 1)[0]
    if not address or not address.isascii():
        raise MalformedPacket("no address in discovery answer")
    return address.decode("ascii"), int.from_bytes(datagram[-2:], "big")
