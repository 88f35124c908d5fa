"""RTP packets, the two transport ciphers.

What is accepted, what is refused, and that nothing else is raised.
"""

import struct
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice.transport import rtp
from voice.transport.rtp import DatagramKind, MalformedPacket
from voice.transport.transport_crypto import (
    AES256_GCM,
    PREFERRED_MODES,
    XCHACHA20_POLY1305,
    NonceExhausted,
    NotAuthentic,
    TransportCipher,
    UnknownMode,
    choose_mode,
    cipher_for,
)

KEY = bytes(range(32))
WORD = st.binary(min_size=4, max_size=4)


def packet_of(
    payload: bytes, *, contributors: list[bytes], extension: list[bytes] | None, padding: int, marker: bool
) -> tuple[bytes, bytes]:
    """Clear header and the plaintext behind it, built by the RFC's figure."""
    first = 0x80 | (0x20 if padding else 0) | (0x10 if extension is not None else 0) | len(contributors)
    clear = struct.pack(">BBHII", first, 120 | marker << 7, 65535, 0xFFFFFFFF, 7) + b"".join(contributors)
    if extension is not None:
        clear += struct.pack(">HH", 0xBEDE, len(extension))
    pad = bytes(padding - 1) + bytes([padding]) if padding else b""
    return clear, b"".join(extension or []) + payload + pad


@given(
    payload=st.binary(max_size=300),
    contributors=st.lists(WORD, max_size=15),
    extension=st.none() | st.lists(WORD, max_size=20),
    padding=st.integers(0, 255),
    marker=st.booleans(),
    mode=st.sampled_from(PREFERRED_MODES),
)
def test_a_packet_with_any_header_gives_back_its_payload(
    payload: bytes,
    contributors: list[bytes],
    extension: list[bytes] | None,
    padding: int,
    marker: bool,
    mode: str,
) -> None:
    """VOX-1: CSRC, header extension and padding under both transport ciphers."""
    clear, plaintext = packet_of(
        payload, contributors=contributors, extension=extension, padding=padding, marker=marker
    )
    packet = cipher_for(mode, KEY).seal(clear, plaintext)
    header = rtp.parse_header(packet)
    assert (header.sequence, header.timestamp, header.ssrc, header.marker) == (65535, 0xFFFFFFFF, 7, marker)
    assert header.payload_type == rtp.OPUS_PAYLOAD_TYPE
    assert header.clear_size == len(clear)
    assert rtp.payload_of(header, cipher_for(mode, KEY).open(packet, header.clear_size)) == payload


@given(datagram=st.binary(max_size=120), plaintext=st.binary(max_size=120))
def test_no_bytes_raise_anything_but_malformed(datagram: bytes, plaintext: bytes) -> None:
    """VOX-5: truncated and forged headers are refused by name."""
    rtp.datagram_kind(datagram)
    for forced in (datagram, b"\x9f\x78" + datagram, b"\xbf\x78" + datagram):
        try:
            header = rtp.parse_header(forced)
            assert header.clear_size <= len(forced)
            assert len(rtp.payload_of(header, plaintext)) <= len(plaintext)
        except MalformedPacket:
            pass
    with suppress(MalformedPacket):
        rtp.parse_discovery(datagram)


def test_datagrams_are_told_apart() -> None:
    header = rtp.build_header(sequence=70_000, timestamp=1, ssrc=2)
    assert rtp.datagram_kind(header + bytes(20)) is DatagramKind.RTP
    assert rtp.datagram_kind(bytes(8)) is DatagramKind.KEEPALIVE
    for kind in range(200, 205):
        assert rtp.datagram_kind(bytes([0x80, kind]) + bytes(30)) is DatagramKind.RTCP
    answer = b"\x00\x02\x00\x46" + bytes(4) + b"127.0.0.1".ljust(64, b"\0") + b"\xc3\x50"
    assert rtp.datagram_kind(answer) is DatagramKind.DISCOVERY
    assert rtp.parse_discovery(answer) == ("127.0.0.1", 50_000)
    assert rtp.datagram_kind(b"") is DatagramKind.NOISE
    assert rtp.datagram_kind(header + bytes(4_000)) is DatagramKind.NOISE
    assert len(rtp.discovery_request(5)) == rtp.DISCOVERY_SIZE
    with pytest.raises(MalformedPacket):
        rtp.parse_discovery(b"\x00\x02\x00\x46" + bytes(70))


@pytest.mark.parametrize("mode", PREFERRED_MODES)
@given(at=st.integers(0, 10_000), flip=st.integers(1, 255), payload=st.binary(max_size=60))
def test_a_changed_packet_is_not_opened(mode: str, at: int, flip: int, payload: bytes) -> None:
    """VOX-5: a change of any byte, also of the clear header, is noticed."""
    clear = rtp.build_header(sequence=1, timestamp=2, ssrc=3)
    packet = bytearray(cipher_for(mode, KEY).seal(clear, payload))
    packet[at % len(packet)] ^= flip
    with pytest.raises(NotAuthentic):
        cipher_for(mode, KEY).open(bytes(packet), len(clear))


@pytest.mark.parametrize("mode", PREFERRED_MODES)
def test_truncated_packets_are_not_opened(mode: str) -> None:
    packet = cipher_for(mode, KEY).seal(bytes(12), b"opus")
    for size in range(len(packet)):
        with pytest.raises(NotAuthentic):
            cipher_for(mode, KEY).open(packet[:size], 12)


@pytest.mark.parametrize("mode", PREFERRED_MODES)
def test_nonces_count_up_and_never_come_twice(mode: str) -> None:
    cipher = cipher_for(mode, KEY)
    suffixes = [cipher.seal(bytes(12), b"x")[-4:] for _ in range(3)]
    assert suffixes == [b"\0\0\0\0", b"\0\0\0\1", b"\0\0\0\2"]
    exhaust(cipher)
    assert cipher.seal(bytes(12), b"x")[-4:] == b"\xff\xff\xff\xff"
    with pytest.raises(NonceExhausted):
        cipher.seal(bytes(12), b"x")


def exhaust(cipher: TransportCipher) -> None:
    cipher._nonces._next = 2**32 - 1  # type: ignore[attr-defined] # a test cannot seal four billion packets


def test_aes_is_preferred_and_unknown_modes_are_refused() -> None:
    assert choose_mode(["x", XCHACHA20_POLY1305, AES256_GCM]) == AES256_GCM
    assert choose_mode([XCHACHA20_POLY1305]) == XCHACHA20_POLY1305
    with pytest.raises(UnknownMode):
        choose_mode(["xsalsa20_poly1305"])
    with pytest.raises(UnknownMode):
        cipher_for("xsalsa20_poly1305", KEY)
    with pytest.raises(UnknownMode):
        cipher_for(AES256_GCM, b"short")
