"""Contract of `Sessions`, `History`, `HistoryEdits` and `HistoryExport`."""

from dataclasses import replace
from datetime import timedelta

import pytest

from core.conversation.content import Text
from core.conversation.turns import AssistantTurn, Notice, Round, Turn
from sessions.bindings import ChannelBinding, ConsoleBinding
from sessions.failures import StaleGeneration, UnknownSession, UnknownTurn
from sessions.history import Extent, StoredTurn, Window
from sessions.inbox import NewMessage
from sessions.outbox import PlannedPiece
from sessions.outbox_rules import PieceState
from sessions.stores import SceneStores
from tests.scene_values import NOON, assistant_turn, invocation, native_round, user_turn

ROOM = ChannelBinding(channel_id=42, guild_id=7)
OTHER = ChannelBinding(channel_id=43, guild_id=7)
LATER = NOON + timedelta(hours=1)


async def opened(stores: SceneStores, *turns: Turn) -> str:
    """The id of a room's session that holds these turns."""
    session = await stores.sessions.open(ROOM, NOON)
    for turn in turns:
        await stores.history.append(session.session_id, session.generation, turn)
    return session.session_id


async def turns_of(stores: SceneStores, session_id: str, limit: int = 100) -> list[Turn]:
    return [stored.turn for stored in (await stores.history.window(session_id, limit)).turns]


async def test_a_session_is_opened_once(stores: SceneStores) -> None:
    """SCENE-1: the first input makes it, later ones find it."""
    first = await stores.sessions.open(ROOM, NOON)
    assert (first.session_id, first.generation, first.created_at) == ("discord:channel:42", 0, NOON)
    assert await stores.sessions.open(ROOM, LATER) == first
    assert (await stores.sessions.open(ConsoleBinding(), NOON)).session_id == "console:local"


async def test_turns_keep_their_order(stores: SceneStores) -> None:
    """CORE-18, SCENE-1."""
    turns = [
        user_turn("u1"),
        assistant_turn("a1"),
        user_turn("u2"),
        assistant_turn("a2", native_round(invocation("i"))),
    ]
    session_id = await opened(stores, *turns)
    window = await stores.history.window(session_id, 10)
    assert [stored.turn for stored in window.turns] == turns
    positions = [stored.position for stored in window.turns]
    assert positions == sorted(set(positions))
    assert not window.earlier


async def test_a_session_sees_no_other_ones_turns(stores: SceneStores) -> None:
    """SCENE-6."""
    session_id = await opened(stores, user_turn("u1"))
    await stores.sessions.open(OTHER, NOON)
    assert await turns_of(stores, OTHER.session_id) == []
    await stores.history.append(OTHER.session_id, 0, user_turn("u1", "same id, other room"))
    assert await turns_of(stores, session_id) == [user_turn("u1")]


@pytest.mark.parametrize(
    ("limit", "ids", "earlier"),
    [
        (1, ["t4"], True),
        (4, ["t1", "t2", "t3", "t4"], True),
        (5, ["t0", "t1", "t2", "t3", "t4"], False),
        (9, ["t0", "t1", "t2", "t3", "t4"], False),
    ],
)
async def test_a_window_holds_the_latest(
    stores: SceneStores, limit: int, ids: list[str], earlier: bool
) -> None:
    """CORE-28."""
    session_id = await opened(stores, *(user_turn(f"t{number}") for number in range(5)))
    for _ in range(2):
        window = await stores.history.window(session_id, limit)
        assert ([stored.turn.id for stored in window.turns], window.earlier) == (ids, earlier)


async def test_a_window_that_was_read_before_follows_later_turns(stores: SceneStores) -> None:
    """CORE-28: whatever an adapter keeps in memory, it is never behind."""
    session_id = await opened(stores)
    assert await stores.history.window(session_id, 2) == Window(turns=())
    for number in range(5):
        await stores.history.append(session_id, 0, user_turn(f"t{number}"))
        for limit in (2, 4):
            ids = [f"t{seen}" for seen in range(number + 1)][-limit:]
            window = await stores.history.window(session_id, limit)
            assert [stored.turn.id for stored in window.turns] == ids
            assert window.earlier is (number + 1 > limit)


async def test_a_turn_is_stored_once(stores: SceneStores) -> None:
    """CORE-23: committed once."""
    session_id = await opened(stores, user_turn("u1"))
    with pytest.raises(ValueError, match="u1"):
        await stores.history.append(session_id, 0, user_turn("u1", "again"))
    assert await turns_of(stores, session_id) == [user_turn("u1")]


async def test_a_session_that_was_never_opened_takes_nothing(stores: SceneStores) -> None:
    """SCENE-8."""
    with pytest.raises(UnknownSession):
        await stores.history.append("discord:channel:1", 0, user_turn("u1"))
    with pytest.raises(UnknownSession):
        await stores.sessions.reset("discord:channel:1", LATER)
    assert await turns_of(stores, "discord:channel:1") == []


async def test_a_reset_forgets_and_refuses_stale_work(stores: SceneStores) -> None:
    """CORE-18: the generation rejects what began before."""
    session_id = await opened(stores, user_turn("u1"))
    await stores.history.append(session_id, 0, user_turn("u2"), ["m2"])
    await turns_of(stores, session_id)
    assert (await stores.sessions.reset(session_id, LATER)).generation == 1
    assert await turns_of(stores, session_id) == []
    assert await stores.history.find(session_id, "m2") is None
    with pytest.raises(StaleGeneration):
        await stores.history.append(session_id, 0, assistant_turn("a1"))
    await stores.history.append(session_id, 1, user_turn("u1", "anew"), ["m2"])
    assert await turns_of(stores, session_id) == [user_turn("u1", "anew")]
    assert (await stores.sessions.open(ROOM, NOON)).generation == 1
    assert (await stores.sessions.open(ROOM, NOON)).reset_at == LATER


async def test_a_reset_drops_waiting_messages_of_its_own_session(stores: SceneStores) -> None:
    """CORE-18, SCENE-7: a restart does not answer what was reset away."""
    session_id = await opened(stores)
    await stores.sessions.open(OTHER, NOON)
    await accept(stores, "1", session_id)
    await accept(stores, "2", OTHER.session_id)
    await stores.sessions.reset(session_id, LATER)
    assert [row.message_id for row in await stores.inbox.unfinished()] == ["2"]


async def accept(stores: SceneStores, message_id: str, session_id: str) -> None:
    message = NewMessage(message_id=message_id, session_id=session_id, payload="", at=NOON)
    assert await stores.inbox.accept(message)


async def test_a_deleted_channel_closes_its_session(stores: SceneStores) -> None:
    """SCENE-2: nothing is left to answer or to post there, however often it is closed."""
    session_id = await opened(stores, user_turn("u1"))
    await stores.sessions.open(OTHER, NOON)
    for number, binding in enumerate((ROOM, OTHER)):
        await accept(stores, str(number), binding.session_id)
        await stores.outbox.plan(
            PlannedPiece(
                reply_id=f"r{number}",
                number=0,
                session_id=binding.session_id,
                channel_id="42",
                nonce="n",
                at=NOON,
            )
        )
    for moment in (NOON, LATER):
        await stores.sessions.close(session_id, moment)
    assert [row.message_id for row in await stores.inbox.unfinished()] == ["1"]
    assert [piece.reply_id for piece in await stores.outbox.unsettled()] == ["r1"]
    (piece,) = await stores.outbox.pieces("r0")
    assert (piece.state, piece.reason) == (PieceState.ABANDONED, "channel_deleted")
    assert (await stores.sessions.open(ROOM, LATER)).closed_at == NOON
    assert await turns_of(stores, session_id) == [user_turn("u1")]


async def test_closing_what_was_never_opened_does_nothing(stores: SceneStores) -> None:
    """SCENE-2."""
    await stores.sessions.close(ROOM.session_id, NOON)
    assert (await stores.sessions.open(ROOM, LATER)).closed_at is None


async def test_a_message_finds_its_turn(stores: SceneStores) -> None:
    """SCENE-4, SCENE-5: a burst of messages is one turn."""
    session_id = await opened(stores)
    position = await stores.history.append(session_id, 0, user_turn("u1"), ["9", "10"])
    for message_id in ("9", "10"):
        found = await stores.history.find(session_id, message_id)
        assert found is not None
        assert (found.position, found.turn, found.message_ids) == (position, user_turn("u1"), ("9", "10"))
    assert await stores.history.find(session_id, "11") is None
    assert await stores.history.find(OTHER.session_id, "9") is None


async def test_an_edited_message_changes_its_turn_in_place(stores: SceneStores) -> None:
    """SCENE-4."""
    session_id = await opened(stores, user_turn("u1"), assistant_turn("a1"))
    before = await stores.history.window(session_id, 10)
    await stores.edits.replace_content(session_id, "u1", (Text(text="changed"),))
    after = await stores.history.window(session_id, 10)
    assert after.turns == (
        StoredTurn(position=before.turns[0].position, turn=user_turn("u1", "changed")),
        before.turns[1],
    )


@pytest.mark.parametrize("turn_id", ["a1", "nobody"])
async def test_only_user_turns_follow_edits(stores: SceneStores, turn_id: str) -> None:
    """SCENE-4."""
    session_id = await opened(stores, assistant_turn("a1"))
    with pytest.raises(UnknownTurn):
        await stores.edits.replace_content(session_id, turn_id, (Text(text="changed"),))
    assert await turns_of(stores, session_id) == [assistant_turn("a1")]


async def test_a_deleted_message_takes_its_turn_out(stores: SceneStores) -> None:
    """SCENE-4."""
    session_id = await opened(stores, user_turn("u1"))
    await stores.history.append(session_id, 0, user_turn("u2"), ["2"])
    await turns_of(stores, session_id)
    assert await stores.edits.remove(session_id, "u2")
    assert not await stores.edits.remove(session_id, "u2")
    assert await turns_of(stores, session_id) == [user_turn("u1")]
    assert await stores.history.find(session_id, "2") is None
    await stores.history.append(session_id, 0, user_turn("u3"), ["2"])
    assert await turns_of(stores, session_id) == [user_turn("u1"), user_turn("u3")]


async def test_an_edited_result_voids_what_was_built_on_it(stores: SceneStores) -> None:
    """CORE-9."""
    session_id = await opened(
        stores,
        assistant_turn("a0", native_round()),
        user_turn("u1"),
        assistant_turn("a1", native_round(), native_round(invocation("i%_\"'/"))),
        assistant_turn("a2", native_round()),
    )
    for _ in range(2):
        await stores.edits.edit_result(session_id, "i%_\"'/", "13:00")
        a0, _, a1, a2 = (turn for turn in await turns_of(stores, session_id))
        assert a0 == assistant_turn("a0", native_round())
        assert [one.continuation is None for one in rounds_of(a1)] == [False, True]
        assert [one.continuation is None for one in rounds_of(a2)] == [True]
        assert rounds_of(a1)[1].invocations[0].result == "13:00"
        assert rounds_of(a1)[1].invocations[0].result_edited
    with pytest.raises(UnknownTurn):
        await stores.edits.edit_result(session_id, "j", "13:00")


def rounds_of(turn: Turn) -> tuple[Round, ...]:
    assert isinstance(turn, AssistantTurn)
    return turn.rounds


async def test_interrupted_turns_stay_here(stores: SceneStores) -> None:
    """CORE-23, CORE-39: in the history, and left out of exports."""
    session_id = await opened(
        stores, user_turn("u1"), assistant_turn("a1", interrupted=True), user_turn("u2"), assistant_turn("a2")
    )
    assert "a1" in [turn.id for turn in await turns_of(stores, session_id)]
    assert [turn.id async for turn in stores.export.exported_turns(session_id)] == ["u1", "u2", "a2"]


async def test_notices_and_what_is_said_of_them_stay_here(stores: SceneStores) -> None:
    """REC-9, CORE-20: in the history with their source, and left out of exports."""
    notice = replace(user_turn("n1"), speaker=None, notice=Notice(source="recipe:dig", about="7"))
    comment = replace(assistant_turn("a1"), proactive=True)
    session_id = await opened(stores, user_turn("u1"), assistant_turn("a0"), notice, comment)
    kept = await turns_of(stores, session_id)
    assert [turn.id for turn in kept] == ["u1", "a0", "n1", "a1"]
    assert kept[2] == notice
    assert [turn.id async for turn in stores.export.exported_turns(session_id)] == ["u1", "a0"]


async def test_how_much_is_stored_is_counted_from_the_oldest_turn(stores: SceneStores) -> None:
    """CORE-39: what `/session show` tells; a reset leaves nothing to count."""
    session_id = await opened(stores)
    assert await stores.export.extent(session_id) == Extent(records=0, first=None)
    oldest = user_turn("u1")
    for turn in (oldest, assistant_turn("a1"), user_turn("u2")):
        await stores.history.append(session_id, 0, turn)
    assert await stores.export.extent(session_id) == Extent(records=3, first=oldest)
    await stores.sessions.reset(session_id, LATER)
    assert await stores.export.extent(session_id) == Extent(records=0, first=None)


async def test_a_long_history_is_exported_completely_and_in_order(stores: SceneStores) -> None:
    """CORE-39: across every page of the reading."""
    ids = [f"t{number}" for number in range(450)]
    session_id = await opened(stores, *(user_turn(turn_id) for turn_id in ids))
    assert [turn.id async for turn in stores.export.exported_turns(session_id)] == ids


async def test_direct_messages_are_found_newest_first(stores: SceneStores) -> None:
    """SCENE-7: the start asks them for what was missed; guild channels come by the gateway."""
    for number, guild_id in ((1, None), (2, 7), (3, None), (4, None)):
        binding = ChannelBinding(channel_id=number, guild_id=guild_id)
        await stores.sessions.open(binding, NOON + timedelta(seconds=number))
    await stores.sessions.open(ConsoleBinding(), LATER)
    await stores.sessions.close("discord:channel:4", LATER)
    found = [session.session_id for session in await stores.sessions.direct(5)]
    assert found == ["discord:channel:3", "discord:channel:1"]
    assert len(await stores.sessions.direct(1)) == 1
