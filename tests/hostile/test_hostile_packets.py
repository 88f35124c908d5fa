"""RTP packets that are authentic and whose lengths lie: what comes out is what RFC 3550 says, or nothing."""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fake_discord.voice.media import MediaPacket
from tests.hostile.budgets import Budget, examples, go_on
from tests.hostile.mutations import EDITS, Edit, edited
from voice.transport import rtp
from voice.transport.rtp import DatagramKind, MalformedPacket
from voice.transport.transport_crypto import AES256_GCM, PREFERRED_MODES, NotAuthentic, cipher_for

_KEY = bytes(range(32))
_PACKETS = st.builds(
    MediaPacket,
    ssrc=st.integers(0, 2**32 - 1),
    sequence=st.integers(0, 65_535),
    timestamp=st.integers(0, 2**32 - 1),
    payload=st.binary(max_size=60),
    payload_type=st.sampled_from([120, 120, 72, 76, 77, 0]),
    marker=st.booleans(),
    extension=st.none() | st.sampled_from([b"", bytes(4), bytes(16)]),
    contributors=st.lists(st.integers(0, 2**32 - 1), max_size=3).map(tuple),
    padding=st.sampled_from([0, 0, 1, 4, 200]),
)
_FIRST = st.integers(0, 255) | st.none()
_CHANGES = st.lists(
    st.tuples(
        _PACKETS, _FIRST, st.one_of(st.just([]), EDITS), st.one_of(st.just([]), EDITS), st.integers(-4, 4)
    ),
    min_size=1,
    max_size=12,
)


def payload_by_the_figure(clear: bytes, plaintext: bytes) -> bytes | None:
    """RFC 3550, sections 5.1 and 5.3.1; None when a length does not fit."""
    if len(clear) < 12 or clear[0] >> 6 != 2:
        return None
    extended, padded = clear[0] & 0x10, clear[0] & 0x20
    if len(clear) != 12 + 4 * (clear[0] & 0x0F) + (4 if extended else 0):
        return None
    words = int.from_bytes(clear[-2:], "big") if extended else 0
    padding = plaintext[-1] if padded and plaintext else 0
    if (padded and not padding) or 4 * words + padding > len(plaintext):
        return None
    return plaintext[4 * words : len(plaintext) - padding]


def attack(budget: Budget, mode: str = AES256_GCM) -> None:
    sealing, opening = cipher_for(mode, _KEY), cipher_for(mode, _KEY)

    @budget
    @given(changes=_CHANGES, datagram_edits=EDITS)
    def holds(
        changes: list[tuple[MediaPacket, int | None, list[Edit], list[Edit], int]], datagram_edits: list[Edit]
    ) -> None:
        for packet, first, of_clear, of_secret, moved in changes:
            clear, secret = packet.rtp()
            clear = edited(clear, of_clear) if first is None else bytes([first]) + clear[1:]
            whole, cut = clear + edited(secret, of_secret), max(0, len(clear) + moved)
            clear, secret = whole[:cut], whole[cut:]
            datagram = sealing.seal(clear, secret)
            assert opened(datagram) == payload_by_the_figure(clear, secret)
            changed = edited(datagram, datagram_edits)
            assert changed == datagram or opened(changed) is None

    def opened(datagram: bytes) -> bytes | None:
        kind = rtp.datagram_kind(datagram)
        assert (kind is DatagramKind.RTP) <= (12 <= len(datagram) <= rtp.MAXIMUM_DATAGRAM)
        try:
            header = rtp.parse_header(datagram)
            return rtp.payload_of(header, opening.open(datagram, header.clear_size))
        except (MalformedPacket, NotAuthentic):
            return None

    holds()


@pytest.mark.parametrize("mode", PREFERRED_MODES)
def test_no_length_in_a_packet_is_believed(mode: str) -> None:
    """VOX-1, VOX-5: header, CSRCs, extension and padding changed before the packet is sealed, and after."""
    go_on(partial(attack, mode=mode), examples(500), 6)
