"""What an earlier process left unfinished is put together as it was being answered (TEXT-11, SCENE-7)."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from bot.discord_chat.unfinished_replies import put_together
from sessions.inbox import InboxRow
from sessions.inbox_rules import InboxState
from sessions.outbox import OutboxPiece
from sessions.outbox_rules import PieceState

AT = datetime(2026, 1, 1, tzinfo=UTC)


def row(message_id: int, run_id: str | None = None, *, session: str = "discord:channel:1") -> InboxRow:
    """Being answered by `run_id`, or accepted only."""
    return InboxRow(
        message_id=str(message_id),
        session_id=session,
        payload="",
        at=AT,
        state=InboxState.ACCEPTED if run_id is None else InboxState.ANSWERING,
        run_id=run_id,
    )


def piece(message_id: int, *, session: str = "discord:channel:1", number: int = 0) -> OutboxPiece:
    """A piece of the reply that was named by `message_id`."""
    return OutboxPiece(
        reply_id=f"reply:{message_id}",
        number=number,
        session_id=session,
        channel_id="1",
        nonce=f"{message_id}-{number}",
        at=AT,
        state=PieceState.POSTED,
    )


def test_messages_of_one_run_are_answered_together_under_the_name_it_began_with() -> None:
    """TEXT-11: the first message may be gone, the name stays."""
    unfinished = put_together([row(3, "run"), row(4, "run")], [piece(2), piece(2, number=1)])
    (reply,) = unfinished.replies
    assert (reply.reply_id, [one.message_id for one in reply.rows], reply.begun) == (
        "reply:2",
        ["3", "4"],
        True,
    )
    assert unfinished.orphans == ()


def test_what_nobody_had_begun_with_stays_apart_and_comes_after() -> None:
    """SCENE-7."""
    replies = put_together([row(1), row(2, "run"), row(3)], [piece(2)]).replies
    assert [(reply.reply_id, reply.begun) for reply in replies] == [
        ("reply:2", True),
        ("reply:1", False),
        ("reply:3", False),
    ]


def test_a_reply_that_a_reset_or_a_deletion_left_alone_is_an_orphan() -> None:
    """TEXT-11: it is given up, and never taken for the reply of another room."""
    unfinished = put_together([row(9, "run", session="discord:channel:2")], [piece(5)])
    assert unfinished.orphans == ("reply:5",)
    assert unfinished.replies[0].reply_id == "reply:9"


def test_two_unfinished_runs_of_a_room_keep_their_own_replies() -> None:
    """TEXT-11: a run whose end could not be stored, and the one after it."""
    replies = put_together([row(1, "a"), row(2, "b")], [piece(2), piece(1)]).replies
    assert [reply.reply_id for reply in replies] == ["reply:1", "reply:2"]


@given(
    st.dictionaries(st.integers(1, 30), st.sampled_from([None, "a", "b"])),
    st.sets(st.integers(1, 30), max_size=9),
)
def test_every_row_is_in_one_reply_and_no_name_is_given_twice(
    rows: dict[int, str | None], pieces: set[int]
) -> None:
    """SCENE-7: nothing lost, nothing answered twice, whatever was left."""

    def room(message_id: int) -> str:
        return f"discord:channel:{1 + message_id % 3}"

    unfinished = put_together(
        [row(message_id, run, session=room(message_id)) for message_id, run in rows.items()],
        [piece(message_id, session=room(message_id)) for message_id in pieces],
    )
    in_replies = [int(one.message_id) for reply in unfinished.replies for one in reply.rows]
    assert sorted(in_replies) == sorted(rows)
    names = [reply.reply_id for reply in unfinished.replies]
    assert len(set(names)) == len(names)
    assert not set(names) & set(unfinished.orphans)
    for reply in unfinished.replies:
        assert {one.session_id for one in reply.rows} == {room(int(reply.reply_id.removeprefix("reply:")))}
