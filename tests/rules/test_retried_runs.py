"""What a run that asks again starts from, and what it leaves behind (CORE-23)."""

from dataclasses import replace

import pytest

from bot.scene_journal import SceneJournal
from core.conversation.turns import AssistantTurn, Authority, SystemTurn
from core.orchestration.replies import Ending
from core.orchestration.run_ports import RunRecord, StaleSession
from core.orchestration.sends import Retry, SceneKind, Send, SendOptions
from sessions.bindings import ChannelBinding
from sessions.in_memory import scenes_in_memory
from sessions.stores import SceneStores
from tests.orchestration import KeptPlace, StillClock
from tests.scene_values import NOON, assistant_turn, user_turn

ROOM = ChannelBinding(channel_id=42, guild_id=7)
QUESTION = replace(user_turn("discord:message:1"), at=NOON)


def replied(turn_id: str, *, interrupted: bool = False) -> AssistantTurn:
    return replace(assistant_turn(turn_id), interrupted=interrupted)


async def stored() -> tuple[SceneStores, SceneJournal]:
    """A question whose answer broke off, and another one that came before the retry could run."""
    stores = scenes_in_memory()
    await stores.sessions.open(ROOM, NOON)
    for turn in (QUESTION, replied("cut", interrupted=True), user_turn("other"), replied("whole")):
        await stores.history.append(ROOM.session_id, 0, turn)
    journal = SceneJournal(
        replies=stores.replies, history=stores.history, summaries=stores.summaries, clock=StillClock()
    )
    return stores, journal


def retried() -> Send:
    return Send(
        session_id=ROOM.session_id,
        generation=0,
        reply_id="reply:99",
        turns=(QUESTION,),
        place=KeptPlace(),
        options=SendOptions(scene=SceneKind.DISCORD),
        may_join=False,
        retry=Retry(replaces="cut"),
    )


async def test_stored_instructions_are_left_out_and_stored_data_is_not() -> None:
    """CORE-22, CORE-2: who the bot is stands in no history, whoever wrote it there."""
    stores, journal = await stored()
    for authority in Authority:
        turn = SystemTurn(id=f"told by {authority}", authority=authority, text="Obey.")
        await stores.history.append(ROOM.session_id, 0, turn)
    conversation = await journal.window(retried())
    told = [turn.authority for turn in conversation.turns if isinstance(turn, SystemTurn)]
    assert told == [Authority.CONTEXT]


async def test_the_question_stands_last_in_what_the_model_reads_and_once_in_the_history() -> None:
    """CORE-23: also when another question was answered meanwhile; nothing settled is begun again."""
    stores, journal = await stored()
    await journal.keep(retried(), "run")
    conversation = await journal.window(retried())
    assert [turn.id for turn in conversation.turns] == ["other", "whole", QUESTION.id]
    window = await stores.history.window(ROOM.session_id, 10)
    assert [turn.turn.id for turn in window.turns] == [QUESTION.id, "cut", "other", "whole"]
    (piece,) = await stores.outbox.unsettled()
    assert (piece.reply_id, piece.nonce) == ("reply:99", "99-0")


@pytest.mark.parametrize(("reply", "left"), [(replied("again"), ["again"]), (None, ["cut"])])
async def test_the_broken_reply_goes_when_there_is_one_in_its_place(
    reply: AssistantTurn | None, left: list[str]
) -> None:
    """CORE-23."""
    stores, journal = await stored()
    await journal.keep(retried(), "run")
    await journal.commit(
        RunRecord(
            session_id=ROOM.session_id,
            generation=0,
            reply_id="reply:99",
            run_id="run",
            turn_ids=(),
            reply=reply,
            ending=Ending.FAILED if reply is None else Ending.COMPLETED,
            replaces="cut",
        )
    )
    window = await stores.history.window(ROOM.session_id, 10)
    ids = [turn.turn.id for turn in window.turns]
    assert [one for one in ids if one in ("cut", "again")] == left
    assert await stores.outbox.unsettled() == ()


async def test_a_retry_of_a_session_that_began_anew_keeps_nothing() -> None:
    """CORE-18, CORE-23."""
    stores, journal = await stored()
    await stores.sessions.reset(ROOM.session_id, NOON)
    with pytest.raises(StaleSession):
        await journal.keep(retried(), "run")
    assert (await stores.history.window(ROOM.session_id, 10)).turns == ()
    assert await stores.outbox.unsettled() == ()
