"""States of tasks, who sees them, and the desk that moves them (TASK-1, TASK-2, TASK-3, TASK-12, TASK-13)."""

import asyncio
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recipes.run_scene import Standing
from recipes.tasks.desk import TaskRefused
from recipes.tasks.in_memory import TasksInMemory
from recipes.tasks.progress_rules import CardPacing, due_in_s, progress_line, was_shown
from recipes.tasks.task import Task, TaskKind, TaskState
from recipes.tasks.task_rules import (
    FINAL,
    MOST_AT_ONCE,
    MOVES,
    IllegalTaskMove,
    may_see,
    moved,
    next_to_start,
    shown_state,
)
from recipes.tasks.work import Activity
from tests.manual_clock import ManualClock
from tests.task_setup import GENERAL, MIA, PRIVATE, SAM, ScriptedWorker, desk_room, request, task


@given(st.lists(st.sampled_from(TaskState), max_size=12))
def test_any_order_of_moves_keeps_to_the_table(wanted: list[TaskState]) -> None:
    """TASK-2: an illegal move is an error and changes nothing; a final state is left by no move."""
    state = TaskState.QUEUED
    for to in wanted:
        if to in MOVES[state]:
            assert moved(state, to) is to
            state = to
        else:
            with pytest.raises(IllegalTaskMove):
                moved(state, to)
    if state in FINAL:
        assert not MOVES[state]
    else:
        assert TaskState.FAILED in MOVES[state]


def test_the_table_says_what_the_spec_says() -> None:
    """TASK-2."""
    assert {TaskState.COMPLETED, TaskState.CANCELLED, TaskState.FAILED} == FINAL
    assert [to for to in MOVES[TaskState.QUEUED] if to not in (TaskState.CANCELLING, TaskState.FAILED)] == [
        TaskState.RUNNING
    ]
    comes_to_completed = {state for state, to in MOVES.items() if TaskState.COMPLETED in to}
    assert comes_to_completed == {TaskState.RUNNING, TaskState.FINALIZING}
    assert MOVES[TaskState.CANCELLING] == {TaskState.CANCELLED, TaskState.FAILED}


open_tasks = st.lists(
    st.tuples(
        st.sampled_from(TaskKind), st.sampled_from([state for state in TaskState if state not in FINAL])
    ),
    max_size=12,
).map(lambda made: [task(str(n), kind=kind, state=state) for n, (kind, state) in enumerate(made)])


@given(open_tasks)
def test_a_lane_holds_one_backend_task_and_some_recipes(tasks: list[Task]) -> None:
    """TASK-3, TASK-25: strictly first come, first served for the backend; what was handed on is no bar."""
    begins = next_to_start(tasks)
    assert all(one.state is TaskState.QUEUED for one in begins)
    recipes = [one for one in tasks if one.kind is TaskKind.RECIPE and one.state is not TaskState.QUEUED]
    assert len(recipes) + sum(one.kind is TaskKind.RECIPE for one in begins) <= max(
        MOST_AT_ONCE, len(recipes)
    )
    delegated = [one for one in tasks if one.kind is TaskKind.DELEGATED]
    in_lane = [one for one in delegated if one.state not in (TaskState.QUEUED, TaskState.DELEGATED)]
    waiting = [one for one in delegated if one.state is TaskState.QUEUED]
    expected = waiting[:1] if not in_lane else []
    assert [one for one in begins if one.kind is TaskKind.DELEGATED] == expected


def test_who_sees_a_task() -> None:
    """TASK-13: members their own, managers those of the server, the owner all; private stays private."""
    mine, hidden = task("a"), task("b", request=request("b", place=PRIVATE))
    elsewhere = replace(GENERAL, guild_id="8")
    asked = [
        (mine, MIA.id, Standing.MEMBER, GENERAL, True),
        (mine, SAM.id, Standing.MEMBER, GENERAL, False),
        (mine, SAM.id, Standing.MANAGER, GENERAL, True),
        (mine, SAM.id, Standing.MANAGER, elsewhere, False),
        (mine, SAM.id, Standing.OWNER, elsewhere, True),
        (hidden, SAM.id, Standing.MANAGER, GENERAL, False),
        (hidden, SAM.id, Standing.MANAGER, PRIVATE, True),
        (hidden, MIA.id, Standing.MEMBER, GENERAL, True),
    ]
    for one, user_id, standing, place, expected in asked:
        assert may_see(one, user_id=user_id, standing=standing, place=place) is expected


def test_progress_is_one_line_and_two_seconds_apart() -> None:
    """TASK-10, TASK-30: queued and running look the same; a bar where counts are known."""
    assert shown_state(TaskState.QUEUED) == shown_state(TaskState.RUNNING) == "processing"
    assert progress_line(task(), None) == "processing"
    running = task(state=TaskState.RUNNING)
    bar = progress_line(running, Activity(words="reading", done=3, total=6))
    assert bar == "▰▰▰▰▰▱▱▱▱▱ 3 of 6 · reading"
    assert progress_line(task(state=TaskState.CANCELLING), Activity(words="x")) == "stopping"
    pacing = CardPacing()
    assert due_in_s(pacing, "a", 10.0) == 0.0
    pacing = was_shown(pacing, "a", 10.0)
    assert due_in_s(pacing, "a", 10.5) is None
    assert due_in_s(pacing, "b", 10.5) == 1.5
    assert due_in_s(pacing, "b", 13.0) == 0.0


async def test_accepting_never_waits_for_the_work() -> None:
    """TASK-1: two tasks work at once, the same request twice is one task."""
    async with desk_room(ManualClock()) as room:
        first = await room.accept("dig")
        second = await room.accept("swim")
        assert (await room.accept("dig")).id == first.id
        assert len(first.short_id) == 6 != second.short_id
        await room.at_work("dig")
        await room.at_work("swim")
        assert sorted(room.worker.began) == ["dig", "swim"]
        room.worker.end("swim", "wet")
        room.worker.fail("dig", "No gold.")
        await room.until(("swim", "completed"), ("dig", "failed"))
        ended = await room.store.find(second.id)
        failed = await room.store.find(first.id)
        moves = [move.state.value for move in await room.store.moves(second.id)]
    assert ended is not None
    assert failed is not None
    assert (ended.result, failed.error) == ("wet", "No gold.")
    assert moves == ["queued", "running", "completed"]


async def test_backend_work_goes_one_by_one_until_it_is_handed_on() -> None:
    """TASK-3, TASK-25: the second begins when the first is delegated, not before."""
    async with desk_room(ManualClock()) as room:
        first = await room.accept("one", TaskKind.DELEGATED)
        await room.accept("two", TaskKind.DELEGATED)
        await room.at_work("one")
        await asyncio.sleep(0.02)
        assert room.backend.began == ["one"]
        assert room.backend.watch is not None
        await room.backend.watch.delegated(first.id)
        await room.at_work("two")
        await room.backend.watch.finalizing(first.id)
        room.backend.end("one")
        await room.until(("one", "completed"))


@pytest.mark.parametrize("state", ["queued", "running", "delegated", "finalizing"])
async def test_cancel_in_every_state(state: str) -> None:
    """TASK-12: `cancelling` until the end is confirmed, then `cancelled`."""
    async with desk_room(ManualClock()) as room:
        await room.accept("ahead", TaskKind.DELEGATED)
        await room.at_work("ahead")
        if state != "queued":
            room.backend.end("ahead")
        asked = await room.accept("it", TaskKind.DELEGATED)
        if state != "queued":
            await room.until(("it", "running"))
            await room.at_work("it")
        assert room.backend.watch is not None
        if state in ("delegated", "finalizing"):
            await room.backend.watch.delegated(asked.id)
        if state == "finalizing":
            await room.backend.watch.finalizing(asked.id)
        current = await room.store.find(asked.id)
        assert current is not None
        assert current.state.value == state
        await room.desk.cancel(current)
        await room.until(("it", "cancelled"))
        moves = [move.state.value for move in await room.store.moves(asked.id)]
        with pytest.raises(TaskRefused):
            await room.desk.cancel(current)
    assert moves[-2:] == ["cancelling", "cancelled"]


async def test_a_stop_that_fails_says_so() -> None:
    """TASK-12: a failed stop becomes `failed` with its reason."""
    async with desk_room(ManualClock(), worker=ScriptedWorker(stops=False)) as room:
        asked = await room.accept("it")
        await room.until(("it", "running"))
        await room.at_work("it")
        await room.desk.cancel(asked)
        await room.until(("it", "failed"))
        ended = await room.store.find(asked.id)
    assert ended is not None
    assert ended.error == "It does not stop."


async def test_another_process_goes_on_with_everything() -> None:
    """TASK-3: queued and running tasks end in the next process; nothing accepted is lost."""
    store = TasksInMemory()
    async with desk_room(ManualClock(), store) as room:
        for title in ("one", "two", "three"):
            await room.accept(title, TaskKind.DELEGATED)
        stopping = await room.accept("four")
        await room.at_work("one")
        await room.at_work("four")
        await store.move(stopping.id, TaskState.CANCELLING, ManualClock().now())
    async with desk_room(ManualClock(), store) as room:
        for title in ("one", "two", "three"):
            await room.at_work(title)
            room.backend.end(title)
            await room.until((title, "completed"))
        await room.until(("four", "cancelled"))
    assert await store.unfinished() == ()


async def test_too_many_open_tasks_are_refused_and_a_retry_is_a_new_task() -> None:
    """TASK-13: with a sentence that says what to do."""
    async with desk_room(ManualClock()) as room:
        tasks = [await room.accept(f"n{number}") for number in range(20)]
        with pytest.raises(TaskRefused, match="20 open tasks"):
            await room.accept("more")
        with pytest.raises(TaskRefused, match="not over"):
            await room.desk.retry(tasks[0])
        await room.until(("n0", "running"))
        await room.at_work("n0")
        room.worker.end("n0")
        await room.until(("n0", "completed"))
        ended = await room.store.find(tasks[0].id)
        assert ended is not None
        again = await room.desk.retry(ended)
    assert again.id != ended.id
    assert again.request == ended.request
