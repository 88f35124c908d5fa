"""The stored form of turns: what goes in comes out, and what is not a turn is refused."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.conversation.turns import AssistantTurn, ToolInvocation, Turn
from sessions.failures import TurnUnreadable
from sessions.turn_decoding import decode_invocation, decode_turn
from sessions.turn_encoding import encode_invocation, encode_turn
from sessions.turn_record import VERSION, TurnKind, TurnRecord
from tests.scene_values import (
    assistant_turn,
    assistant_turns,
    invocation,
    invocations,
    native_round,
    system_turns,
    turns,
    user_turn,
    user_turns,
)

places = st.lists(st.integers(0, 5), max_size=6)


@given(turns)
def test_a_turn_comes_back_equal(turn: Turn) -> None:
    """CORE-7, CORE-32, CORE-38: every value, citations and native items included."""
    assert decode_turn(encode_turn(turn)) == turn


@given(assistant_turns)
def test_native_items_come_back_as_the_identical_string(turn: AssistantTurn) -> None:
    """CORE-7, CORE-34: opaque text, whatever it holds."""
    read = decode_turn(encode_turn(turn))
    assert isinstance(read, AssistantTurn)
    before = [one.continuation.items_json for one in turn.rounds if one.continuation]
    assert [one.continuation.items_json for one in read.rounds if one.continuation] == before


@given(turns)
def test_a_moment_keeps_its_offset(turn: Turn) -> None:
    """CORE-22, CORE-24: the clock on the wall is part of the value, not only the instant."""
    read = decode_turn(encode_turn(turn))
    assert repr_of_moments(read) == repr_of_moments(turn)


def repr_of_moments(turn: Turn) -> list[str]:
    moments = [getattr(turn, name, None) for name in ("at", "created_at", "completed_at")]
    return [moment.isoformat() for moment in moments if moment is not None]


@given(turns)
def test_a_record_is_ascii(turn: Turn) -> None:
    """CORE-7: so that no database refuses or changes what a room or a provider wrote."""
    assert encode_turn(turn).body.isascii()
    assert "\0" not in encode_turn(turn).body


@given(invocations)
def test_an_invocation_comes_back_equal(one: ToolInvocation) -> None:
    """TEXT-11: the tool journal keeps the whole invocation."""
    assert decode_invocation(encode_invocation(one)) == one


@given(user_turns | system_turns)
def test_user_and_system_records_cannot_hold_rounds(turn: Turn) -> None:
    """CORE-1: the decoder refuses them, even empty ones."""
    record = encode_turn(turn)
    for rounds in ([], [{"content": []}]):
        body = json.dumps({**json.loads(record.body), "rounds": rounds})
        with pytest.raises(TurnUnreadable, match="rounds does not belong there"):
            decode_turn(TurnRecord(kind=record.kind, version=VERSION, body=body))


@given(turns, st.data())
def test_a_record_read_as_another_kind_is_refused(turn: Turn, data: st.DataObject) -> None:
    """CORE-1: kinds do not pass for one another."""
    record = encode_turn(turn)
    other = data.draw(st.sampled_from([kind for kind in TurnKind if kind is not record.kind]))
    with pytest.raises(TurnUnreadable):
        decode_turn(TurnRecord(kind=other, version=VERSION, body=record.body))


@given(turns)
def test_a_record_of_a_newer_version_is_refused_by_its_version(turn: Turn) -> None:
    """CORE-32: it is not half read."""
    record = encode_turn(turn)
    with pytest.raises(TurnUnreadable, match=f"version {VERSION + 1}"):
        decode_turn(TurnRecord(kind=record.kind, version=VERSION + 1, body=record.body))


@given(turns, places, st.sampled_from([None, 1.5, 7, True, "x", [], {}, [1], {"part": "?"}, "2026-13-01"]))
def test_a_broken_record_is_refused_and_nothing_else_happens(
    turn: Turn, way: list[int], value: object
) -> None:
    """CORE-32: whatever stands in a field, the reader either gives a turn or says `TurnUnreadable`."""
    record = encode_turn(turn)
    body = json.loads(record.body)
    place: object = body
    for step in way:
        keys = (
            list(place)
            if isinstance(place, dict)
            else list(range(len(place)))
            if isinstance(place, list)
            else []
        )
        if not keys:
            break
        key = keys[step % len(keys)]
        inner = place[key]  # type: ignore[index] # `place` is a dict or a list here
        if not isinstance(inner, (dict, list)) or step == way[-1]:
            place[key] = value  # type: ignore[index] # same
            break
        place = inner
    try:
        decode_turn(TurnRecord(kind=record.kind, version=VERSION, body=json.dumps(body)))
    except TurnUnreadable:
        return


@pytest.mark.parametrize("body", ["", "{", "[]", "7", "null", '{"id":"a"}', "[" * 100_000])
def test_what_is_no_record_is_refused(body: str) -> None:
    """CORE-32."""
    for kind in TurnKind:
        with pytest.raises(TurnUnreadable):
            decode_turn(TurnRecord(kind=kind, version=VERSION, body=body))


def test_the_failure_names_the_place_and_not_the_content() -> None:
    """CORE-30, CORE-32: what a room said does not get into the log this way."""
    record = encode_turn(assistant_turn("a", native_round(invocation("i", result="a secret"))))
    body = record.body.replace('"completed"', '"a secret"')
    with pytest.raises(TurnUnreadable) as caught:
        decode_turn(TurnRecord(kind=record.kind, version=VERSION, body=body))
    assert str(caught.value) == "assistant.rounds[0].invocations[0].status is none of the known values"


def test_the_stored_form_stays_as_it_was() -> None:
    """CORE-32: databases out there hold this form; a change of it needs a new version."""
    assert encode_turn(user_turn("u")) == TurnRecord(
        kind=TurnKind.USER,
        version=1,
        body='{"id":"u","at":"2026-11-30T12:00:00+00:00","content":[{"part":"text","text":"hello"}],'
        '"speaker":{"id":"7","name":"Ada"}}',
    )
    assert encode_turn(assistant_turn("a", native_round(invocation("i")))).body == (
        '{"id":"a","run_id":"run-a","created_at":"2026-11-30T12:00:00+00:00",'
        '"completed_at":"2026-11-30T12:00:02+00:00","rounds":[{"content":[{"part":"tool","invocation_id":"i"}],'
        '"invocations":[{"id":"i","provider_call_id":"call_0","name":"clock","arguments":"{}","result":"12:00",'
        '"status":"completed","started_at":"2026-11-30T12:00:00+00:00",'
        '"finished_at":"2026-11-30T12:00:00+00:00"}],"continuation":{"scope":{"protocol":"responses",'
        '"provider":"openai","endpoint":"https://api.openai.com/v1","model":"gpt-5",'
        '"conversation":"discord:channel:42"},"items_json":"[{\\"type\\":\\"message\\"}]"}}]}'
    )
