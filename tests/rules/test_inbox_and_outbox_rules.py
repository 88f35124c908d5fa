"""The machines of a message and of a reply piece, and the names that a crash must not change."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions import inbox_rules, outbox_rules
from sessions.failures import IllegalMove
from sessions.inbox_rules import InboxState
from sessions.outbox_rules import PieceState, nonce_for, reply_id_for


def test_every_move_of_a_message_is_in_the_table_or_raises() -> None:
    """SCENE-7: accepted -> answering -> done | dropped, and a run may take over from another."""
    legal = {
        (InboxState.ACCEPTED, InboxState.ANSWERING),
        (InboxState.ACCEPTED, InboxState.DROPPED),
        (InboxState.ANSWERING, InboxState.ANSWERING),
        (InboxState.ANSWERING, InboxState.DONE),
        (InboxState.ANSWERING, InboxState.DROPPED),
    }
    for state, to in itertools.product([None, *InboxState], InboxState):
        if (state, to) in legal:
            inbox_rules.check_move("1", state, to)
            assert state in inbox_rules.origins(to)
        else:
            with pytest.raises(IllegalMove):
                inbox_rules.check_move("1", state, to)
            assert state not in inbox_rules.origins(to)


def test_every_move_of_a_piece_is_in_the_table_or_raises() -> None:
    """TEXT-11: planned -> posted -> finished | abandoned; settled pieces stay."""
    open_states = {PieceState.PLANNED, PieceState.POSTED}
    for state, to in itertools.product([None, *PieceState], PieceState):
        if state in open_states and to is not PieceState.PLANNED:
            outbox_rules.check_move("r", 0, state, to)
            assert state in outbox_rules.origins(to)
        else:
            with pytest.raises(IllegalMove):
                outbox_rules.check_move("r", 0, state, to)
            assert state not in outbox_rules.origins(to)


def test_a_start_resumes_exactly_what_can_still_move() -> None:
    """SCENE-7, TEXT-11."""
    assert {InboxState.ACCEPTED, InboxState.ANSWERING} == inbox_rules.UNFINISHED
    assert {PieceState.PLANNED, PieceState.POSTED} == outbox_rules.UNSETTLED


snowflakes = st.integers(1, 2**64 - 1).map(str)


@given(snowflakes, st.integers(0, 999), snowflakes, st.integers(0, 999))
def test_nonces_fit_and_differ(one: str, first: int, other: str, second: int) -> None:
    """TEXT-11: at most 25 characters, the same for the same piece and for no other."""
    assert len(nonce_for(one, first)) <= 25
    assert (nonce_for(one, first) == nonce_for(other, second)) is ((one, first) == (other, second))


def test_a_nonce_that_discord_would_cut_is_refused() -> None:
    """TEXT-11: a cut nonce could be another piece's."""
    with pytest.raises(ValueError, match="25"):
        nonce_for("1" * 20, 12345)


@given(snowflakes, snowflakes)
def test_a_reply_is_named_by_its_message(one: str, other: str) -> None:
    """TEXT-11."""
    assert (reply_id_for(one) == reply_id_for(other)) is (one == other)
