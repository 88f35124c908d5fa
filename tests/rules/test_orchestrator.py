"""The scheduler and its runs, with scripted generations."""

import asyncio
from dataclasses import replace

import pytest

from core.conversation.content import Text
from core.conversation.turns import AssistantTurn, Notice, UserTurn
from core.failures import Failure, GenerationFailed
from core.generation.events import StreamEvent, TextDelta, ToolCallStarted
from core.markers.stickers import StickerCatalog, StickerEntry
from core.orchestration.hooks import ReplyDelivered, RunFailed, RunInterrupted, RunStarted
from core.orchestration.replies import Ending, StickerChosen
from core.orchestration.sends import Answered, Dropped, Failed, SceneKind, SendOptions, Stopped
from tests.orchestration import AT, KeptSink, World, says, settled


async def test_a_send_is_delivered_and_then_committed_once() -> None:
    """CORE-23, CORE-33: one turn, after generation and delivery finished."""
    world = World(says("Hello ", "there"))
    async with world.orchestrator as orchestrator:
        outcome = await orchestrator.submit(world.send("hi")).outcome()
    assert outcome == Answered()
    assert world.sink("hi").text == "Hello there"
    assert world.sink("hi").ended.ending is Ending.COMPLETED
    [record] = world.journal.records
    assert record.reply is not None
    assert record.reply.text == "Hello there"
    assert record.turn_ids == ("hi",)


async def test_a_reply_is_as_old_as_its_run_and_over_with_its_last_words() -> None:
    """CORE-24: whatever is done before the model is asked, and after it has said everything."""
    world, (text, finished) = World(), says("Hello")

    async def think() -> None:
        world.clock.seconds += 2

    world.generation.scripts.append((think, text, think, finished))
    world.clock.seconds = 10.0
    async with world.orchestrator as orchestrator:
        assert await orchestrator.submit(world.send("one")).outcome() == Answered()
    (record,) = world.journal.records
    assert record.reply is not None
    since = AT.timestamp()
    assert record.reply.created_at.timestamp() - since == 10
    assert record.reply.completed_at.timestamp() - since == 12


async def test_nothing_is_committed_before_the_sink_has_finished() -> None:
    """CORE-23."""
    world = World(says("Hello"))
    hold = asyncio.Event()
    world.place.next_sink = lambda: KeptSink(hold=hold)
    async with world.orchestrator as orchestrator:
        ticket = orchestrator.submit(world.send("hi"))
        await settled()
        assert world.sink("hi").ended.ending is Ending.COMPLETED
        assert world.journal.records == []
        hold.set()
        await ticket.outcome()
    assert len(world.journal.records) == 1


async def test_sends_of_a_session_run_in_order_and_sessions_side_by_side() -> None:
    """CORE-18."""
    gate = asyncio.Event()
    world = World((gate, *says("slow")), says("other"), says("second"))
    async with world.orchestrator as orchestrator:
        first = orchestrator.submit(world.send("one", may_join=False))
        second = orchestrator.submit(world.send("two", may_join=False))
        other = orchestrator.submit(world.send("three", session="elsewhere"))
        assert await other.outcome() == Answered()
        assert world.journal.opened == [("one",), ("three",)]
        gate.set()
        assert await first.outcome() == Answered()
        assert await second.outcome() == Answered()
    assert world.journal.opened == [("one",), ("three",), ("two",)]


async def test_what_waits_together_gets_one_reply() -> None:
    """CORE-18: several messages become one run with all of their turns."""
    gate = asyncio.Event()
    world = World((gate, *says("first")), says("both"))
    async with world.orchestrator as orchestrator:
        orchestrator.submit(world.send("one"))
        await settled()
        second = orchestrator.submit(world.send("two"))
        third = orchestrator.submit(world.send("three"))
        assert orchestrator.waiting_count() == 1
        gate.set()
        assert await second.outcome() == await third.outcome() == Answered()
    assert world.journal.opened == [("one",), ("two", "three")]
    assert world.sink("two").text == "both"


async def test_an_idle_session_costs_no_task() -> None:
    """CORE-18."""
    world = World()
    async with world.orchestrator as orchestrator:
        before = len(asyncio.all_tasks())
        for number in range(20):
            await orchestrator.submit(world.send(str(number), session=str(number))).outcome()
        await settled()
        assert len(asyncio.all_tasks()) == before
        assert orchestrator.waiting_count() == orchestrator.running_count() == 0


async def test_stopping_keeps_what_was_visible_as_interrupted() -> None:
    """CORE-23, CORE-24, CORE-36: the provider's stream is closed at once."""
    never = asyncio.Event()
    world = World((TextDelta(text="Once upon"), never, *says(" a time")))
    async with world.orchestrator as orchestrator:
        ticket = orchestrator.submit(world.send("tell"))
        await settled()
        assert orchestrator.stop("room")
        assert await ticket.outcome() == Stopped()
    assert world.generation.open_streams == 0
    assert world.sink("tell").ended.ending is Ending.STOPPED
    [record] = world.journal.records
    assert record.reply is not None
    assert record.reply.text == "Once upon"
    assert record.reply.interrupted
    assert record.reply.run_id == record.run_id
    assert record.reply.created_at <= record.reply.completed_at


async def test_stopping_before_any_text_keeps_nothing() -> None:
    """CORE-23."""
    world = World((asyncio.Event(),))
    async with world.orchestrator as orchestrator:
        ticket = orchestrator.submit(world.send("tell"))
        await settled()
        orchestrator.stop("room")
        assert await ticket.outcome() == Stopped()
        assert not orchestrator.stop("room")
    assert world.journal.records[0].reply is None


async def test_a_run_can_be_stopped_before_it_began_to_generate() -> None:
    world = World(says("never said"))
    async with world.orchestrator as orchestrator:
        ticket = orchestrator.submit(world.send("tell"))
        await asyncio.sleep(0)
        assert orchestrator.stop("room")
        assert await ticket.outcome() == Stopped()
    assert world.sink("tell").text == ""


async def test_a_failure_is_told_with_an_id_and_the_next_send_runs() -> None:
    """CORE-30."""
    failure = GenerationFailed("The model is busy. Try again in a minute.", reason="HTTP 500")
    world = World((TextDelta(text="Well"), failure), says("better"))
    failed: list[RunFailed] = []

    async def on_failure(event: RunFailed) -> None:
        failed.append(event)

    world.hooks.subscribe(RunFailed, on_failure)
    async with world.orchestrator as orchestrator:
        outcome = await orchestrator.submit(world.send("one")).outcome()
        assert isinstance(outcome, Failed)
        assert outcome.failure is failure
        assert world.sink("one").ended.advice == failure.advice
        assert world.sink("one").ended.error_id == outcome.error_id == failed[0].error_id
        assert await orchestrator.submit(world.send("two")).outcome() == Answered()
    assert world.journal.records[0].reply is not None
    assert world.journal.records[0].reply.interrupted
    assert world.journal.records[0].ending is Ending.FAILED


async def test_a_defect_is_a_plain_sentence_and_ends_this_run_only() -> None:
    """CORE-30: no exception's words reach the room."""
    world = World((ValueError("secret path /etc"),), says("fine"))
    async with world.orchestrator as orchestrator:
        outcome = await orchestrator.submit(world.send("one")).outcome()
        assert isinstance(outcome, Failed)
        assert "secret" not in (world.sink("one").ended.advice or "")
        assert await orchestrator.submit(world.send("two")).outcome() == Answered()


async def test_an_empty_answer_is_a_failure_that_says_so() -> None:
    """CORE-30."""
    world = World(says(" \n"))
    async with world.orchestrator as orchestrator:
        outcome = await orchestrator.submit(world.send("one")).outcome()
    assert isinstance(outcome, Failed)
    assert "empty answer" in (world.sink("one").ended.advice or "")


async def test_storage_that_cannot_open_a_run_is_told_and_nothing_is_settled() -> None:
    world = World()
    world.journal.open_failure = OSError("disk full")
    async with world.orchestrator as orchestrator:
        assert isinstance(await orchestrator.submit(world.send("one")).outcome(), Failed)
    assert world.sink("one").ended.ending is Ending.FAILED
    assert world.journal.records == []


async def test_storage_that_cannot_commit_fails_the_run_and_not_the_scheduler() -> None:
    world = World()
    world.journal.commit_failure = OSError("disk full")
    async with world.orchestrator as orchestrator:
        assert isinstance(await orchestrator.submit(world.send("one")).outcome(), Failed)
        world.journal.commit_failure = None
        assert await orchestrator.submit(world.send("two")).outcome() == Answered()


@pytest.mark.parametrize("failing", [1, 3, 4])
async def test_what_was_shown_is_kept_as_soon_as_storage_can(failing: int) -> None:
    """CORE-23: a reply that people have read is not forgotten for a moment's trouble; tried four times."""
    world = World(says("Hello"))
    busy = Failure("I could not save that.", reason="locked")
    world.journal.commit_failures = [busy] * failing
    async with world.orchestrator as orchestrator:
        first, second = (orchestrator.submit(world.send(text, may_join=False)) for text in ("one", "two"))
        outcome = await first.outcome()
        assert world.clock.seconds == pytest.approx(sum((0.5, 2.0, 8.0)[:failing]))
        assert await second.outcome() == Answered()
    kept = [turn.text for turn in world.journal.history["room"] if isinstance(turn, AssistantTurn)]
    if failing < 4:
        assert outcome == Answered()
        assert kept == ["Hello", "fine"], "in their order: the next send has waited"
    else:
        assert isinstance(outcome, Failed)
        assert kept == ["fine"]


async def test_a_sink_that_breaks_ends_the_generation() -> None:
    world = World((TextDelta(text="Hello"), asyncio.Event()))
    world.place.next_sink = lambda: KeptSink(fail=RuntimeError("channel gone"))
    async with world.orchestrator as orchestrator:
        assert isinstance(await orchestrator.submit(world.send("one")).outcome(), Failed)
    assert world.generation.open_streams == 0
    assert world.journal.records[0].reply is None


async def test_a_reset_drops_what_waits_and_stores_nothing_of_what_runs() -> None:
    """CORE-18."""
    gate = asyncio.Event()
    world = World((TextDelta(text="old"), gate, *says(" news")), says("new"))
    async with world.orchestrator as orchestrator:
        running = orchestrator.submit(world.send("one"))
        await settled()
        waiting = orchestrator.submit(world.send("two"))
        world.journal.generations["room"] = 1
        orchestrator.reset("room", 1)
        assert await waiting.outcome() == Dropped(reason="reset")
        assert await running.outcome() == Dropped(reason="reset")
        assert await orchestrator.submit(world.send("three", generation=1)).outcome() == Answered()
    assert [record.reply is None for record in world.journal.records] == [True, False]


async def test_a_send_of_an_older_generation_is_refused_by_storage() -> None:
    """CORE-18: also when the reset came between acceptance and submission."""
    world = World()
    world.journal.generations["room"] = 1
    async with world.orchestrator as orchestrator:
        outcome = await orchestrator.submit(world.send("late")).outcome()
    assert isinstance(outcome, Dropped)
    assert world.sink("late").text == ""
    assert world.sink("late").ended.ending is Ending.SUPERSEDED
    assert world.generation.open_streams == 0
    assert world.journal.opened == []
    assert world.journal.records == []


async def test_nothing_is_shown_before_the_turns_are_kept() -> None:
    """SCENE-7: the inbox stands before anything visible, though the model is asked beside it."""
    world = World(says("Hello"))
    world.journal.keeping = asyncio.Event()
    async with world.orchestrator as orchestrator:
        ticket = orchestrator.submit(world.send("hi"))
        await settled()
        assert len(world.generation.requests) == 1
        assert world.sink("hi").told == []
        world.journal.keeping.set()
        assert await ticket.outcome() == Answered()
    assert world.sink("hi").text == "Hello"


async def test_a_stop_waits_until_the_turns_are_kept() -> None:
    """CORE-23: so that what was stopped is settled, and no later start answers it."""
    world = World(says("Hello"))
    world.journal.keeping = asyncio.Event()
    async with world.orchestrator as orchestrator:
        ticket = orchestrator.submit(world.send("hi"))
        await settled()
        assert orchestrator.stop("room")
        await settled()
        world.journal.keeping.set()
        assert await ticket.outcome() == Stopped()
    assert [record.ending for record in world.journal.records] == [Ending.STOPPED]


async def test_a_burst_before_any_text_is_answered_once() -> None:
    """SCENE-5: the run begins anew with both messages as one."""
    world = World((asyncio.Event(),), says("both"))
    async with world.orchestrator as orchestrator:
        first = orchestrator.submit(world.send("one"))
        await settled()
        second = orchestrator.submit(world.send("two"), belongs_to_running=True)
        assert await first.outcome() == await second.outcome() == Answered()
    assert world.journal.opened == [("one",), ("one", "two")]
    assert [record.turn_ids for record in world.journal.records] == [("one", "two")]
    assert world.sink("one").text == "both"
    assert world.generation.closed == 2


async def test_an_edit_while_a_run_gives_way_is_answered_once() -> None:
    """SCENE-5, TEXT-6: what is answered waits already; the run that ends answers nothing any more."""
    world = World((asyncio.Event(),), says("both"))
    async with world.orchestrator as orchestrator:
        first = orchestrator.submit(world.send("one"))
        await settled()
        second = orchestrator.submit(world.send("two"), belongs_to_running=True)
        edited = replace(world.send("one").turns[0], content=(Text(text="as it reads now"),))
        assert orchestrator.edit("room", edited, world.send("one").place)
        assert orchestrator.turn("room", "one") == edited
        assert await first.outcome() == await second.outcome() == Answered()
    assert world.journal.opened == [("one",), ("one", "two")]
    assert len(world.generation.requests) == 2


async def test_what_is_taken_back_while_a_run_gives_way_is_not_answered() -> None:
    """SCENE-5, TEXT-6."""
    world = World((asyncio.Event(),), says("two"))
    async with world.orchestrator as orchestrator:
        orchestrator.submit(world.send("one"))
        await settled()
        second = orchestrator.submit(world.send("two"), belongs_to_running=True)
        assert orchestrator.withdraw("room", "one")
        assert not await orchestrator.discard("room", "one", world.send("one").place)
        assert await second.outcome() == Answered()
    assert world.journal.opened == [("one",), ("two",)]


async def test_a_change_waits_while_turns_are_being_kept() -> None:
    """TEXT-6, CORE-18: before that there is nothing to change yet, and then it would be kept as it was."""
    world = World(says("fine"))
    world.journal.keeping = asyncio.Event()
    async with world.orchestrator as orchestrator, asyncio.TaskGroup() as tasks:
        ticket = orchestrator.submit(world.send("one"))
        await settled()
        waiting = tasks.create_task(orchestrator.begun("room"))
        await settled()
        assert not waiting.done()
        world.journal.keeping.set()
        await waiting
        assert await ticket.outcome() == Answered()
        await orchestrator.begun("room")


@pytest.mark.parametrize("how", ["discard", "stop"])
async def test_what_begins_anew_can_still_be_taken_back_or_stopped(how: str) -> None:
    """TEXT-6: what was shown is settled by the run that showed it; nothing comes after it."""
    world = World((TextDelta(text="Well"), asyncio.Event()), says("never asked"))
    async with world.orchestrator as orchestrator:
        ticket = orchestrator.submit(world.send("one"))
        await settled()
        edited = replace(world.send("one").turns[0], content=(Text(text="as it reads now"),))
        assert orchestrator.edit("room", edited, world.send("one").place)
        if how == "stop":
            assert orchestrator.stop("room")
            assert await ticket.outcome() == Stopped()
        else:
            assert not orchestrator.withdraw("room", "one")
            assert await orchestrator.discard("room", "one", world.send("one").place)
            assert await ticket.outcome() == Dropped(reason="withdrawn")
    expected = Ending.STOPPED if how == "stop" else Ending.WITHDRAWN
    assert [(one.turn_ids, one.ending) for one in world.journal.records] == [(("one",), expected)]
    assert len(world.generation.requests) == 1


@pytest.mark.parametrize(
    "shown", [TextDelta(text="Well"), ToolCallStarted(invocation_id="call_1", name="look")]
)
async def test_a_message_after_something_was_shown_is_answered_next(shown: StreamEvent) -> None:
    """SCENE-5: visible text, or a tool that may have had effects."""
    gate = asyncio.Event()
    world = World((shown, gate, *says(" then")), says("next"))
    async with world.orchestrator as orchestrator:
        first = orchestrator.submit(world.send("one"))
        await settled()
        second = orchestrator.submit(world.send("two"), belongs_to_running=True)
        gate.set()
        assert await first.outcome() == await second.outcome() == Answered()
    assert [record.turn_ids for record in world.journal.records] == [("one",), ("two",)]


async def test_a_message_of_its_own_never_disturbs_the_run() -> None:
    """SCENE-5: only what belongs to the running question restarts it."""
    gate = asyncio.Event()
    world = World((gate, *says("first")), says("second"))
    async with world.orchestrator as orchestrator:
        orchestrator.submit(world.send("one"))
        await settled()
        second = orchestrator.submit(world.send("two"))
        gate.set()
        await second.outcome()
    assert [record.turn_ids for record in world.journal.records] == [("one",), ("two",)]


async def test_pending_sends_are_cancelled_and_the_run_goes_on() -> None:
    """CORE-18."""
    gate = asyncio.Event()
    world = World((gate, *says("done")))
    async with world.orchestrator as orchestrator:
        running = orchestrator.submit(world.send("one"))
        await settled()
        waiting = orchestrator.submit(world.send("two"))
        orchestrator.cancel_pending("room")
        assert await waiting.outcome() == Dropped(reason="cancelled")
        gate.set()
        assert await running.outcome() == Answered()


async def test_a_deleted_question_that_waits_is_taken_back() -> None:
    gate = asyncio.Event()
    world = World((gate, *says("done")), says("rest"))
    async with world.orchestrator as orchestrator:
        orchestrator.submit(world.send("one"))
        await settled()
        orchestrator.submit(world.send("two"))
        last = orchestrator.submit(world.send("three"))
        assert orchestrator.withdraw("room", "two")
        assert not orchestrator.withdraw("room", "one")
        gate.set()
        await last.outcome()
    assert world.journal.opened == [("one",), ("three",)]


async def test_queued_sends_keep_the_stickers_and_supplement_of_their_submission() -> None:
    """CORE-18, CORE-29."""
    wave = StickerCatalog(entries=(StickerEntry(id="wave", description="waves"),))
    world = World(says("Hi <|STICKER wave|>"), says("Hi <|STICKER wave|>"))
    async with world.orchestrator as orchestrator:
        await orchestrator.submit(world.send("one", options=SendOptions(stickers=wave))).outcome()
        await orchestrator.submit(world.send("two")).outcome()
    assert StickerChosen(sticker_id="wave") in world.sink("one").told
    assert not any(isinstance(event, StickerChosen) for event in world.sink("two").told)
    replies = [record.reply for record in world.journal.records]
    assert [reply and reply.sticker_id for reply in replies] == ["wave", None]


@pytest.mark.parametrize(
    ("options", "speaks"),
    [
        (SendOptions(), True),
        (SendOptions(scene=SceneKind.DISCORD), False),
        (SendOptions(background=True), False),
        (SendOptions(scene=SceneKind.DISCORD, background=True), False),
    ],
)
def test_only_a_send_that_is_neither_scene_nor_background_speaks(
    options: SendOptions, *, speaks: bool
) -> None:
    """CORE-19."""
    assert options.speaks is speaks


async def test_silence_is_honoured_only_where_it_was_offered() -> None:
    """CORE-20, CORE-29."""
    world = World(says("<|SILENT|>"), says("<|SILENT|>"))
    quiet = Notice(source="recipe:news", silence_allowed=True)
    async with world.orchestrator as orchestrator:
        offered = await orchestrator.submit(world.send("one", notice=quiet)).outcome()
        refused = await orchestrator.submit(world.send("two")).outcome()
    assert offered == Answered(silent=True)
    assert world.sink("one").ended.ending is Ending.SILENT
    assert isinstance(refused, Failed)


async def test_a_reply_to_notices_alone_is_proactive() -> None:
    """CORE-20."""
    world = World(says("It is done."), says("Hello."))
    async with world.orchestrator as orchestrator:
        await orchestrator.submit(world.send("one", notice=Notice(source="task"))).outcome()
        await orchestrator.submit(world.send("two")).outcome()
    assert [record.reply and record.reply.proactive for record in world.journal.records] == [True, False]


async def test_a_reply_that_goes_round_in_circles_is_ended() -> None:
    """CORE-46."""
    line = "The cat sat down on the mat. "
    world = World(says(*([line] * 50)), cut_repeats=True)
    async with world.orchestrator as orchestrator:
        assert await orchestrator.submit(world.send("one")).outcome() == Answered()
    assert world.sink("one").text.strip() == line.strip()
    reply = world.journal.records[0].reply
    assert reply is not None
    assert reply.text == world.sink("one").text
    assert not reply.interrupted


async def test_hooks_hear_of_each_run_and_cannot_break_one() -> None:
    """CORE-27, CORE-33."""
    world = World(says("Hello"), (TextDelta(text="Once"), asyncio.Event()))
    heard: list[object] = []

    async def broken(event: ReplyDelivered) -> None:
        raise RuntimeError("subscriber")

    async def listen(event: RunStarted | ReplyDelivered | RunInterrupted) -> None:
        heard.append(event)

    world.hooks.subscribe(ReplyDelivered, broken)
    world.hooks.subscribe(RunStarted, listen)
    world.hooks.subscribe(ReplyDelivered, listen)
    world.hooks.subscribe(RunInterrupted, listen)
    async with world.orchestrator as orchestrator:
        assert await orchestrator.submit(world.send("one")).outcome() == Answered()
        ticket = orchestrator.submit(world.send("two"))
        await settled()
        orchestrator.stop("room")
        await ticket.outcome()
    kinds = [type(event) for event in heard]
    assert kinds == [RunStarted, ReplyDelivered, RunStarted, RunInterrupted]
    assert len(world.hook_failures) == 1


async def test_closing_leaves_runs_without_an_ending() -> None:
    """SCENE-7: what the process did not finish, the next start resumes."""
    world = World((TextDelta(text="Once"), asyncio.Event()))
    async with world.orchestrator as orchestrator:
        orchestrator.submit(world.send("one"))
        orchestrator.submit(world.send("two", may_join=False))
        await settled()
    assert world.generation.open_streams == 0
    assert world.journal.records == []


async def test_cancelling_at_every_await_point_leaves_no_task_and_no_half_turn() -> None:
    """CORE-23, CORE-36: a run is stopped after each number of steps of the loop that it takes."""
    finished_at: int | None = None
    for steps in range(400):
        world = World((*says("Hello ", "there ", "friend"),))
        before = len(asyncio.all_tasks())
        async with world.orchestrator as orchestrator:
            ticket = orchestrator.submit(world.send("hi"))
            for _ in range(steps):
                await asyncio.sleep(0)
            if not orchestrator.stop("room"):
                orchestrator.cancel_pending("room")
            outcome = await ticket.outcome()
        assert len(asyncio.all_tasks()) == before
        assert world.generation.open_streams == 0
        sink_text = world.sink("hi").text if world.place.sinks else ""
        history = world.journal.history.get("room", [])
        replies = [turn for turn in history if isinstance(turn, AssistantTurn)]
        people = [turn for turn in history if isinstance(turn, UserTurn)]
        assert len(people) <= 1
        if outcome == Answered():
            assert [reply.text for reply in replies] == ["Hello there friend"]
            finished_at = finished_at or steps
        else:
            assert outcome in {Stopped(), Dropped(reason="cancelled")}
            assert all(reply.interrupted for reply in replies)
            assert [reply.text for reply in replies] == ([sink_text] if sink_text else [])
        if finished_at is not None and steps > finished_at + 5:
            break
    assert finished_at is not None
    assert finished_at > 5


async def test_closing_at_every_await_point_leaves_no_task_and_no_half_turn() -> None:
    """CORE-23: the same for a process that stops; a committed turn is whole, or there is none."""
    committed = 0
    for steps in range(120):
        world = World((*says("Hello ", "there"),))
        before = len(asyncio.all_tasks())
        async with world.orchestrator as orchestrator:
            orchestrator.submit(world.send("hi"))
            for _ in range(steps):
                await asyncio.sleep(0)
        assert len(asyncio.all_tasks()) == before
        assert world.generation.open_streams == 0
        replies = [record.reply for record in world.journal.records]
        assert all(reply is not None and reply.text == "Hello there" for reply in replies)
        assert not any(reply.interrupted for reply in replies if reply is not None)
        committed += len(replies)
    assert 0 < committed < 120
