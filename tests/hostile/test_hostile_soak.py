"""The same attacks with ever other examples, for the greater part of an hour."""

from functools import partial

import pytest

from tests.hostile import (
    test_hostile_call,
    test_hostile_counters,
    test_hostile_gateway,
    test_hostile_members,
    test_hostile_messages,
    test_hostile_packets,
    test_lossy_websocket,
)
from tests.hostile.budgets import SOAK_MINUTES, Attack, keep_on
from voice.transport.transport_crypto import AES256_GCM, XCHACHA20_POLY1305

ATTACKS: dict[str, tuple[Attack, float]] = {
    "gateway": (test_hostile_gateway.attack, 8),
    "members": (test_hostile_members.attack, 8),
    "members, XChaCha20": (partial(test_hostile_members.attack, mode=XCHACHA20_POLY1305), 6),
    "lossy websocket": (test_lossy_websocket.attack, 3),
    "call, noise": (test_hostile_call.attack_by_noise, 3),
    "call, gateway": (test_hostile_call.attack_by_gateway, 10),
    "counters": (test_hostile_counters.attack, 4),
    "packets": (partial(test_hostile_packets.attack, mode=AES256_GCM), 2),
    "packets, XChaCha20": (partial(test_hostile_packets.attack, mode=XCHACHA20_POLY1305), 2),
    "texts": (test_hostile_messages.attack_texts, 2),
    "binary": (test_hostile_messages.attack_binary, 2),
}
"""With the minutes of an hour that each one has; ten are `test_random_datagrams_at_length`'s."""


@pytest.mark.soak
@pytest.mark.parametrize("name", ATTACKS)
def test_attacks_at_length(name: str) -> None:
    """VOX-5: as long as `PARLEY_HOSTILE_MINUTES` says, an hour by default."""
    attack, minutes = ATTACKS[name]
    keep_on(attack, minutes * SOAK_MINUTES / 60)
