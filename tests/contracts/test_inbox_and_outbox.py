"""Contract of `Inbox`, `Outbox`, `Replies`, `ToolJournal` and `Retention`."""

from dataclasses import replace
from datetime import timedelta

import pytest

from core.conversation.turns import AssistantTurn
from sessions.bindings import ChannelBinding
from sessions.failures import IllegalMove, StaleGeneration, UnknownSession
from sessions.inbox import InboxRow, NewMessage
from sessions.inbox_rules import InboxState
from sessions.outbox import OutboxPiece, PlannedPiece
from sessions.outbox_rules import PieceState
from sessions.replies import BegunReply, CommittedReply, SpokenTurn
from sessions.stores import SceneStores
from sessions.tool_journal import RecordedTool, StartedTool
from tests.scene_values import NOON, assistant_turn, invocation, user_turn

ROOM = ChannelBinding(channel_id=42)
SESSION = ROOM.session_id
ODD = '\0 \ud800 \\ " \\u0041 ä 😀'  # what rooms and models may write, and databases may refuse


def message(message_id: str) -> NewMessage:
    return NewMessage(
        message_id=message_id, session_id=SESSION, payload=f"payload {message_id}{ODD}", at=NOON
    )


def piece(number: int = 0, reply_id: str = "r") -> PlannedPiece:
    return PlannedPiece(
        reply_id=reply_id, number=number, session_id=SESSION, channel_id="42", nonce=f"1-{number}", at=NOON
    )


def begun(*message_ids: str, turn_id: str = "u", text: str = "hello", run_id: str = "run-1") -> BegunReply:
    return BegunReply(
        session_id=SESSION,
        generation=0,
        run_id=run_id,
        turns=(SpokenTurn(turn=user_turn(turn_id, text), message_ids=message_ids),),
        first_piece=piece(),
    )


def committed(*message_ids: str, turn: AssistantTurn | None = None) -> CommittedReply:
    return CommittedReply(session_id=SESSION, generation=0, reply_id="r", message_ids=message_ids, turn=turn)


async def accepted(stores: SceneStores, *message_ids: str) -> None:
    await stores.sessions.open(ROOM, NOON)
    for message_id in message_ids:
        assert await stores.inbox.accept(message(message_id))


async def states(stores: SceneStores) -> dict[str, InboxState]:
    return {row.message_id: row.state for row in await stores.inbox.unfinished()}


async def turn_ids(stores: SceneStores) -> list[str]:
    return [stored.turn.id for stored in (await stores.history.window(SESSION, 100)).turns]


async def test_a_message_is_accepted_once_whatever_became_of_it(stores: SceneStores) -> None:
    """SCENE-7: unique by message id; a gateway resume brings messages again."""
    await accepted(stores, "1", "2", "3")
    await stores.inbox.begin("run-1", ["1", "2"])
    await stores.inbox.finish(["2"])
    await stores.inbox.finish(["3"], dropped="too_old")
    for message_id in ("1", "2", "3"):
        assert not await stores.inbox.accept(message(message_id))
    assert await states(stores) == {"1": InboxState.ANSWERING}


async def test_unfinished_messages_come_in_the_order_of_their_arrival(stores: SceneStores) -> None:
    """SCENE-7: the start resumes accepted and answering ones, each with its own data."""
    await accepted(stores, "30", "10", "20")
    await stores.inbox.begin("run-1", ["20"])
    first, second, third = await stores.inbox.unfinished()
    assert [first.message_id, second.message_id, third.message_id] == ["30", "10", "20"]
    assert third == InboxRow(
        message_id="20",
        session_id=SESSION,
        payload=f"payload 20{ODD}",
        at=NOON,
        state=InboxState.ANSWERING,
        run_id="run-1",
    )


async def test_another_run_may_take_messages_over(stores: SceneStores) -> None:
    """SCENE-5, SCENE-7: a burst restarts the run; so does a start after a crash."""
    await accepted(stores, "1", "2")
    await stores.inbox.begin("run-1", ["1"])
    await stores.inbox.begin("run-2", ["1", "2"])
    assert [row.run_id for row in await stores.inbox.unfinished()] == ["run-2", "run-2"]


async def test_an_illegal_move_moves_nothing(stores: SceneStores) -> None:
    """SCENE-7: all messages of a step, or none."""
    await accepted(stores, "1", "2")
    await stores.inbox.begin("run-1", ["2"])
    await stores.inbox.finish(["2"])
    with pytest.raises(IllegalMove):
        await stores.inbox.begin("run-2", ["1", "2"])
    with pytest.raises(IllegalMove):
        await stores.inbox.begin("run-2", ["1", "unknown"])
    with pytest.raises(IllegalMove):
        await stores.inbox.finish(["1"])
    with pytest.raises(IllegalMove):
        await stores.inbox.finish(["1", "2"], dropped="off")
    assert await states(stores) == {"1": InboxState.ACCEPTED}


async def test_a_message_needs_an_open_session(stores: SceneStores) -> None:
    """SCENE-8."""
    with pytest.raises(UnknownSession):
        await stores.inbox.accept(message("1"))
    with pytest.raises(UnknownSession):
        await stores.outbox.plan(piece())
    assert await stores.inbox.unfinished() == ()
    assert await stores.outbox.unsettled() == ()


async def test_a_piece_is_planned_once_and_followed(stores: SceneStores) -> None:
    """TEXT-11: planned before its first request; after a crash the plan finds what was posted."""
    await stores.sessions.open(ROOM, NOON)
    planned = await stores.outbox.plan(piece(0))
    assert planned == OutboxPiece(
        reply_id="r",
        number=0,
        session_id=SESSION,
        channel_id="42",
        nonce="1-0",
        at=NOON,
        state=PieceState.PLANNED,
    )
    await stores.outbox.posted("r", 0, "900")
    again = await stores.outbox.plan(piece(0))
    assert (again.state, again.message_id) == (PieceState.POSTED, "900")
    await stores.outbox.plan(piece(1))
    assert [one.number for one in await stores.outbox.pieces("r")] == [0, 1]
    assert [one.message_id for one in await stores.outbox.unsettled()] == ["900", None]


async def test_a_settled_or_unknown_piece_is_not_posted(stores: SceneStores) -> None:
    """TEXT-11."""
    await accepted(stores)
    await stores.outbox.plan(piece(0))
    await stores.replies.commit(committed())
    for number in (0, 1):
        with pytest.raises(IllegalMove):
            await stores.outbox.posted("r", number, "900")


async def test_a_reply_begins_in_one_step(stores: SceneStores) -> None:
    """SCENE-7, TEXT-11: messages answering, turn in the history, first piece planned."""
    await accepted(stores, "1", "2")
    await stores.replies.begin(begun("1", "2"))
    assert await states(stores) == {"1": InboxState.ANSWERING, "2": InboxState.ANSWERING}
    assert await turn_ids(stores) == ["u"]
    found = await stores.history.find(SESSION, "2")
    assert found is not None
    assert found.message_ids == ("1", "2")
    assert [one.state for one in await stores.outbox.pieces("r")] == [PieceState.PLANNED]


async def test_several_turns_begin_together(stores: SceneStores) -> None:
    """SCENE-5: everything said while a reply was written; each message leads to its own turn."""
    await accepted(stores, "1", "2")
    await stores.history.window(SESSION, 10)
    several = replace(
        begun(),
        turns=(
            SpokenTurn(turn=user_turn("u1"), message_ids=("1",)),
            SpokenTurn(turn=user_turn("notice")),
            SpokenTurn(turn=user_turn("u2"), message_ids=("2",)),
        ),
    )
    for _ in range(2):
        await stores.replies.begin(several)
        assert await turn_ids(stores) == ["u1", "notice", "u2"]
    assert await states(stores) == {"1": InboxState.ANSWERING, "2": InboxState.ANSWERING}
    found = await stores.history.find(SESSION, "2")
    assert found is not None
    assert (found.turn.id, found.message_ids) == ("u2", ("2",))


async def test_a_reply_that_begins_again_keeps_one_turn_and_its_post(stores: SceneStores) -> None:
    """SCENE-5, TEXT-11: the burst has grown, or the process was killed; the turn is replaced in its place."""
    await accepted(stores, "1", "2")
    await stores.replies.begin(begun("1"))
    await stores.outbox.posted("r", 0, "900")
    assert await turn_ids(stores) == ["u"]
    await stores.replies.begin(begun("1", "2", text="hello and more", run_id="run-2"))
    window = await stores.history.window(SESSION, 10)
    assert [stored.turn for stored in window.turns] == [user_turn("u", "hello and more")]
    found = await stores.history.find(SESSION, "2")
    assert found is not None
    assert found.message_ids == ("1", "2")
    (kept,) = await stores.outbox.pieces("r")
    assert (kept.state, kept.message_id) == (PieceState.POSTED, "900")


async def test_a_reply_that_cannot_begin_leaves_nothing(stores: SceneStores) -> None:
    """SCENE-7, TEXT-11."""
    await accepted(stores, "1")
    with pytest.raises(IllegalMove):
        await stores.replies.begin(begun("1", "unknown"))
    await stores.sessions.reset(SESSION, NOON)
    with pytest.raises(StaleGeneration):
        await stores.replies.begin(begun())
    assert await turn_ids(stores) == []
    assert await stores.outbox.pieces("r") == ()


async def test_a_reply_is_committed_in_one_step(stores: SceneStores) -> None:
    """CORE-23, SCENE-7, TEXT-11: turn, pieces and messages together; the posts lead to the turn."""
    await accepted(stores, "1")
    await stores.replies.begin(begun("1"))
    await stores.outbox.plan(piece(1))
    await stores.outbox.plan(piece(2))
    await stores.outbox.posted("r", 0, "900")
    await stores.outbox.posted("r", 1, "901")
    assert await stores.replies.commit(committed("1", turn=assistant_turn("a")))
    assert await states(stores) == {}
    assert await turn_ids(stores) == ["u", "a"]
    assert await stores.outbox.unsettled() == ()
    assert {one.state for one in await stores.outbox.pieces("r")} == {PieceState.FINISHED}
    found = await stores.history.find(SESSION, "901")
    assert found is not None
    assert (found.turn.id, found.message_ids) == ("a", ("900", "901"))


async def test_a_reply_takes_the_place_of_one_that_broke_off(stores: SceneStores) -> None:
    """CORE-23: in one step with its coming, and only when it comes."""
    await accepted(stores, "1")
    await stores.replies.begin(begun("1"))
    await stores.replies.commit(committed("1", turn=replace(assistant_turn("cut"), interrupted=True)))
    again = replace(committed(), reply_id="r2", replaces="cut")
    await stores.replies.commit(again)
    assert await turn_ids(stores) == ["u", "cut"]
    await stores.replies.commit(replace(again, turn=assistant_turn("whole")))
    assert await turn_ids(stores) == ["u", "whole"]
    await stores.replies.commit(replace(again, reply_id="r3", turn=assistant_turn("other")))
    assert await turn_ids(stores) == ["u", "whole", "other"]


async def test_a_reply_that_is_refused_replaces_nothing(stores: SceneStores) -> None:
    """CORE-23."""
    await accepted(stores, "1")
    await stores.replies.begin(begun("1"))
    await stores.replies.commit(committed("1", turn=assistant_turn("cut")))
    await stores.replies.begin(replace(begun(turn_id="v"), first_piece=None))
    again = replace(committed(turn=assistant_turn("v")), reply_id="r2", replaces="cut")
    with pytest.raises(ValueError):
        await stores.replies.commit(again)
    assert await turn_ids(stores) == ["u", "cut", "v"]


async def test_a_reply_without_a_turn_is_settled_too(stores: SceneStores) -> None:
    """CORE-23: a failed run commits no turn."""
    await accepted(stores, "1")
    await stores.replies.begin(begun("1"))
    assert await stores.replies.commit(committed("1"))
    assert await turn_ids(stores) == ["u"]
    assert await states(stores) == {}
    assert await stores.outbox.unsettled() == ()


async def test_a_reply_is_committed_once(stores: SceneStores) -> None:
    """CORE-23: the second commit changes nothing."""
    await accepted(stores, "1")
    await stores.replies.begin(begun("1"))
    await stores.replies.commit(committed("1", turn=assistant_turn("a")))
    with pytest.raises(IllegalMove):
        await stores.replies.commit(committed("1", turn=assistant_turn("a2")))
    with pytest.raises(ValueError, match="turn a"):
        await stores.replies.commit(committed(turn=assistant_turn("a")))
    assert await turn_ids(stores) == ["u", "a"]


async def test_a_reply_to_a_session_reset_meanwhile_is_settled_and_not_kept(stores: SceneStores) -> None:
    """CORE-18: what was posted is finished, the history stays empty."""
    await accepted(stores, "1")
    await stores.replies.begin(begun("1"))
    await stores.outbox.posted("r", 0, "900")
    await stores.sessions.reset(SESSION, NOON)
    assert not await stores.replies.commit(committed("1", turn=assistant_turn("a")))
    assert await turn_ids(stores) == []
    assert await states(stores) == {}
    assert await stores.outbox.unsettled() == ()


async def test_a_reply_to_a_session_never_opened_is_refused(stores: SceneStores) -> None:
    """SCENE-8."""
    with pytest.raises(UnknownSession):
        await stores.replies.commit(committed())
    with pytest.raises(UnknownSession):
        await stores.replies.begin(begun())


async def test_an_abandoned_reply_stays_abandoned(stores: SceneStores) -> None:
    """SCENE-2, TEXT-11: with its reason; what was settled before keeps its state."""
    await accepted(stores, "1", "2")
    await stores.replies.begin(begun("1", "2"))
    await stores.inbox.finish(["2"])
    for reason in ("forbidden", "again"):
        await stores.replies.abandon("r", ["1", "2", "unknown"], reason)
    (one,) = await stores.outbox.pieces("r")
    assert (one.state, one.reason) == (PieceState.ABANDONED, "forbidden")
    assert await states(stores) == {}
    assert await turn_ids(stores) == ["u"]


async def test_tools_that_ran_are_known_until_the_reply_is_settled(stores: SceneStores) -> None:
    """TEXT-11: in order, finished or cut off; not run again after a crash."""
    await accepted(stores, "1")
    await stores.replies.begin(begun("1"))
    started = [
        StartedTool(reply_id="r", invocation_id=name, name="clock", arguments=ODD, at=NOON)
        for name in ("j", "i")
    ]
    for tool in (*started, started[0]):
        await stores.tools.started(tool)
    await stores.tools.finished("r", invocation("i", result="\ud800 \0"))
    expected = (
        RecordedTool(started=started[0], finished=None),
        RecordedTool(started=started[1], finished=invocation("i", result="\ud800 \0")),
    )
    assert await stores.tools.recorded("r") == expected
    await stores.tools.started(started[1])
    assert await stores.tools.recorded("r") == expected
    assert await stores.tools.recorded("another") == ()
    await stores.replies.commit(committed("1"))
    assert await stores.tools.recorded("r") == ()


async def test_an_abandoned_reply_forgets_its_tools(stores: SceneStores) -> None:
    """TEXT-11."""
    await stores.tools.started(
        StartedTool(reply_id="r", invocation_id="i", name="clock", arguments="{}", at=NOON)
    )
    await stores.replies.abandon("r", [], "forbidden")
    assert await stores.tools.recorded("r") == ()


async def test_a_tool_that_never_started_cannot_finish(stores: SceneStores) -> None:
    """TEXT-11: it was written before its handler ran."""
    with pytest.raises(IllegalMove):
        await stores.tools.finished("r", invocation("i"))


async def test_settled_rows_are_forgotten_after_their_time(stores: SceneStores) -> None:
    """SCENE-7: what still waits is kept, however old."""
    await accepted(stores, "1", "2")
    await stores.replies.begin(begun("1"))
    await stores.replies.commit(committed("1"))
    assert await stores.retention.forget_settled(NOON) == 0
    assert await stores.retention.forget_settled(NOON + timedelta(seconds=1)) == 2
    assert await states(stores) == {"2": InboxState.ACCEPTED}
    assert await stores.outbox.pieces("r") == ()
    assert await stores.inbox.accept(message("1"))
