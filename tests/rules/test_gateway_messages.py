"""The voice gateway's messages: each opcode's value, and nothing but `MalformedMessage` for anything else."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voice.transport import gateway_events as events
from voice.transport import gateway_messages as messages
from voice.transport.gateway_events import (
    Numbered,
)
from voice.transport.gateway_messages import (
    MalformedMessage,
    Opcode,
    parse_binary,
    parse_text,
)

KEY = list(range(32))
VALID: list[tuple[int, Any, object]] = [
    (8, {"heartbeat_interval": 13750}, events.Hello(13.75)),
    (2, {"ssrc": 5, "ip": "127.0.0.1", "port": 9, "modes": ["a"]}, events.Ready(5, "127.0.0.1", 9, ("a",))),
    (
        4,
        {"mode": "m", "secret_key": KEY, "dave_protocol_version": 1},
        events.SessionDescription("m", bytes(KEY), 1),
    ),
    (4, {"mode": "m", "secret_key": KEY}, events.SessionDescription("m", bytes(KEY), 0)),
    (5, {"user_id": "7", "ssrc": 8, "speaking": 1}, events.Speaking(7, 8, 1)),
    (6, {"t": 12}, events.HeartbeatAck(12)),
    (6, 12, events.HeartbeatAck(12)),
    (9, None, events.Resumed()),
    (11, {"user_ids": ["1", "2"]}, events.ClientsConnected((1, 2))),
    (12, {"user_id": "1", "audio_ssrc": 3, "video_ssrc": 4}, events.ClientConnected(1, 3)),
    (12, {"user_id": "1", "audio_ssrc": 0}, events.ClientConnected(1, None)),
    (13, {"user_id": "1"}, events.ClientDisconnected(1)),
    (21, {"transition_id": 3, "protocol_version": 0}, events.TransitionPrepared(3, 0)),
    (22, {"transition_id": 3}, events.TransitionExecuted(3)),
    (24, {"epoch": 1, "protocol_version": 1}, events.EpochPrepared(1, 1)),
    (99, {"new": True}, events.Ignored(99)),
    (18, {"flags": 2, "user_id": "1"}, events.Ignored(18)),
]


@pytest.mark.parametrize(("op", "data", "event"), VALID)
def test_every_opcode_has_its_value(op: int, data: Any, event: object) -> None:
    """VOX-1: text messages of gateway version 8, with and without a sequence number."""
    assert parse_text(json.dumps({"op": op, "d": data, "seq": 4})) == Numbered(event, 4)  # type: ignore[arg-type] # the table
    assert parse_text(json.dumps({"op": op, "d": data})) == Numbered(event, None)  # type: ignore[arg-type] # the table


def test_binary_messages_carry_sequence_opcode_and_payload() -> None:
    """VOX-1: opcodes 25, 27, 29 and 30."""
    assert parse_binary(b"\1\2\x19xy") == Numbered(events.ExternalSenderGiven(b"xy"), 258)
    assert parse_binary(b"\0\2\x1b\0xy") == Numbered(events.Proposed(False, b"xy"), 2)
    assert parse_binary(b"\0\2\x1b\1xy") == Numbered(events.Proposed(True, b"xy"), 2)
    assert parse_binary(b"\0\2\x1d\0\7xy") == Numbered(events.CommitAnnounced(7, b"xy"), 2)
    assert parse_binary(b"\0\2\x1e\0\7xy") == Numbered(events.Welcomed(7, b"xy"), 2)
    assert parse_binary(b"\0\2\xffxy") == Numbered(events.Ignored(255), 2)


def test_what_is_sent() -> None:
    assert messages.SendText(Opcode.SPEAKING, {"ssrc": 1}).encoded() == '{"op":5,"d":{"ssrc":1}}'
    assert messages.SendBinary(Opcode.MLS_KEY_PACKAGE, b"kp").encoded() == b"\x1akp"


def test_secrets_are_not_in_a_repr() -> None:
    description = events.SessionDescription("m", bytes(KEY), 1)
    assert "\\x01" not in repr(description)
    assert "hidden" not in repr(messages.SendText(Opcode.IDENTIFY, {"token": "hidden"}))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=500)
@given(op=st.sampled_from([row[0] for row in VALID]), data=JSON, seq=JSON)
@pytest.mark.timeout(300)
def test_hostile_json_is_refused_or_understood(op: int, data: Any, seq: Any) -> None:
    """VOX-5: any JSON behind any opcode."""
    for text in (json.dumps({"op": op, "d": data, "seq": seq}), json.dumps({"op": op, "d": data}), str(data)):
        with suppress(MalformedMessage):
            parse_text(text)


@settings(max_examples=500)
@given(row=st.sampled_from(VALID), path=st.integers(0, 5), value=JSON)
def test_one_wrong_field_is_refused_or_understood(
    row: tuple[int, Any, object], path: int, value: Any
) -> None:
    """VOX-5: a valid message with one field replaced or missing."""
    op, data, _ = row
    if not isinstance(data, dict):
        return
    key = sorted(data)[path % len(data)]
    missing = {name: one for name, one in data.items() if name != key}
    for changed in ({**data, key: value}, missing):
        with suppress(MalformedMessage):
            parse_text(json.dumps({"op": op, "d": changed}))


@settings(max_examples=2_000)
@given(
    message=st.one_of(
        st.binary(max_size=40),
        st.builds(lambda op, rest: bytes([0, 1, op]) + rest, st.integers(20, 35), st.binary(max_size=40)),
    )
)
def test_hostile_binary_is_refused_or_understood(message: bytes) -> None:
    """VOX-5: any bytes as a binary message."""
    with suppress(MalformedMessage):
        parse_binary(message)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"op":"x"}', "[" * 100_000, '{"op":2,"d":{"ssrc":1e999}}', '{"op":NaN}']
)
def test_texts_that_are_no_messages(text: str) -> None:
    with pytest.raises(MalformedMessage):
        parse_text(text)
