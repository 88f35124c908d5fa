"""Messages of the voice gateway with anything changed in them: refused, or every value is in its range."""

import json
import struct
from typing import Any, assert_never

from hypothesis import given
from hypothesis import strategies as st

from tests.hostile.budgets import Budget, examples, go_on
from tests.hostile.mutations import EDITS, WRONG_FIELDS, Edit, WrongField, edited, wrong
from tests.rules.test_gateway_messages import VALID
from voice.transport import gateway_events as events
from voice.transport.gateway_messages import MalformedMessage, parse_binary, parse_text

_TEXTS = [{"op": op, "d": data, "seq": 4} for op, data, _ in VALID]
_BINARY = [
    struct.pack(">HB", 7, op) + rest for op in range(25, 32) for rest in (b"\0\1", b"\1" + bytes(40), b"")
]
_WRONG = st.tuples(st.sampled_from(_TEXTS), st.lists(WRONG_FIELDS, min_size=1, max_size=2))
_GARBLED = st.tuples(st.sampled_from(_TEXTS), EDITS)


def attack_texts(budget: Budget) -> None:
    @budget
    @given(
        changes=st.lists(_WRONG, min_size=10, max_size=30), garbled=st.lists(_GARBLED, min_size=1, max_size=3)
    )
    def holds(changes: list[tuple[Any, list[WrongField]]], garbled: list[tuple[Any, list[Edit]]]) -> None:
        texts = [wrong(message, fields) for message, fields in changes]
        texts += [
            edited(json.dumps(one).encode(), edits).decode("utf-8", "replace") for one, edits in garbled
        ]
        for text in texts:
            try:
                numbered = parse_text(text)
            except MalformedMessage:
                continue
            assert numbered.sequence is None or _is(numbered.sequence, 32)
            assert in_range(numbered.event), text

    holds()


def attack_binary(budget: Budget) -> None:
    @budget
    @given(messages=st.lists(st.tuples(st.sampled_from(_BINARY), EDITS), min_size=1, max_size=20))
    def holds(messages: list[tuple[bytes, list[Edit]]]) -> None:
        for message, edits in messages:
            changed = edited(message, edits)
            try:
                numbered = parse_binary(changed)
            except MalformedMessage:
                continue
            assert numbered.sequence == int.from_bytes(changed[:2], "big")
            assert in_range(numbered.event), changed
            head, rest = _parts(numbered.event)
            assert rest == changed[head:]

    holds()


def in_range(event: events.GatewayEvent) -> bool:
    """Whether every field is what the rest of the transport relies on."""
    match event:
        case events.Hello(interval_s):
            return type(interval_s) is float and 0.1 <= interval_s <= 600
        case events.Ready(ssrc, ip, port, modes):
            words = (
                type(ip) is str
                and len(ip) < 256
                and all(type(one) is str and len(one) <= 100 for one in modes)
            )
            return _is(ssrc, 32) and words and 0 < port < 65_536 and len(modes) <= 1_000
        case events.SessionDescription():
            return len(event.key) == 32 and len(event.mode) <= 100 and _is(event.dave_version, 16)
        case events.HeartbeatAck(nonce):
            return _is(nonce, 63)
        case events.Speaking(user_id, ssrc, speaking):
            return _is_user(user_id) and _is(ssrc, 32) and _is(speaking, 8)
        case events.ClientsConnected(user_ids):
            return len(user_ids) <= 1_000 and all(map(_is_user, user_ids))
        case events.ClientConnected(user_id, audio_ssrc):
            return _is_user(user_id) and (audio_ssrc is None or (audio_ssrc > 0 and _is(audio_ssrc, 32)))
        case events.ClientDisconnected(user_id):
            return _is_user(user_id)
        case events.TransitionPrepared(transition_id, version):
            return _is(transition_id, 16) and _is(version, 16)
        case events.EpochPrepared(epoch, version):
            return _is(epoch, 63) and _is(version, 16)
        case events.TransitionExecuted(transition_id):
            return _is(transition_id, 16)
        case events.CommitAnnounced(transition_id, rest) | events.Welcomed(transition_id, rest):
            return _is(transition_id, 16) and type(rest) is bytes
        case events.Proposed(revoked, rest):
            return type(revoked) is bool and type(rest) is bytes
        case events.ExternalSenderGiven(rest):
            return type(rest) is bytes
        case events.Ignored(opcode):
            return _is(opcode, 8)
        case events.Resumed():
            return True
        case _:
            assert_never(event)


def _is(value: int, bits: int) -> bool:
    return type(value) is int and 0 <= value < 1 << bits


def _is_user(value: int) -> bool:
    return _is(value, 64) and 0 < value < 1 << 64


def _parts(event: events.GatewayEvent) -> tuple[int, bytes]:
    """Where in a binary message its payload begins, and that."""
    match event:
        case events.ExternalSenderGiven(rest):
            return 3, rest
        case events.Proposed(_, rest):
            return 4, rest
        case events.CommitAnnounced(_, rest) | events.Welcomed(_, rest):
            return 5, rest
        case _:
            return 1 << 20, b""


def test_no_text_is_misunderstood() -> None:
    """VOX-5: valid messages with fields missing, of another form, out of range, and bytes changed."""
    go_on(attack_texts, examples(500), 9)


def test_no_binary_message_is_misunderstood() -> None:
    """VOX-5: every opcode, cut and changed: what is behind the head comes out whole."""
    go_on(attack_binary, examples(800), 5)
