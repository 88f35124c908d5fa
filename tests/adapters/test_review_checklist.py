"""The eight questions of the review checklist, one test each (TASK-32)."""

import ast
import asyncio
from dataclasses import fields
from pathlib import Path

from recipes.tasks.deliveries import Deliveries, RoomBusy
from recipes.tasks.in_memory import TasksInMemory
from recipes.tasks.progress_rules import progress_line
from recipes.tasks.task import NewsState, Task, TaskKind, TaskRequest, TaskState
from recipes.tasks.tools import InputArguments, PermissionArguments, SpawnArguments, TaskArguments
from recipes.tasks.work import Activity
from tests.adapters.test_backend_tasks import office
from tests.architecture.sources import ROOT
from tests.manual_clock import ManualClock
from tests.rules.test_task_deliveries import Blocking, Floor, Room, kept_with, over, told
from tests.task_setup import MIA, desk_room, task


async def test_question_1_can_one_converse_while_work_is_queued_or_running(tmp_path: Path) -> None:
    """TASK-32, TASK-1: accepted work is waited for by nobody; every other tool answers meanwhile."""
    async with office(tmp_path) as room:
        running = await room.spawn("wait")
        await room.came(running, "running")
        queued = await room.spawn("echo later")
        async with asyncio.timeout(1.0):
            assert ":" in await room.use("get_current_time", turn_id="another")
            assert "processing" in await room.use("get_agent_task_status", turn_id="another")
        assert (await room.came(queued, "queued")).state is TaskState.QUEUED
        await room.use("cancel_agent_task", task_id=running.short_id)
        assert (await room.came(queued, "completed")).result == "later"


async def test_question_2_does_every_request_enter_the_same_session(tmp_path: Path) -> None:
    """TASK-32: one backend, and one identity for an owner, whatever the conversation and the process."""
    store = TasksInMemory()
    owners: list[str] = []
    for number in range(2):
        async with office(tmp_path, store) as room:
            for name in ("one", "two"):
                await room.came(await room.spawn(f"echo {name} {number}"), "completed")
            owners += [work.owner for work in room.backend.prompts]
    assert owners == [MIA.id] * 4


def test_question_3_does_the_front_know_nothing_of_how_the_backend_works() -> None:
    """TASK-32, TASK-2, TASK-21: no session, subagent, permission or mode in what models and people handle."""

    def names(kind: type) -> set[str]:
        return {one.name for one in fields(kind)}

    assert names(Task) == {
        *("id", "key", "kind", "request", "state", "created_at", "updated_at"),
        *("result", "artifacts", "error", "news", "announced"),
    }
    assert names(TaskRequest) == {
        *("title", "message", "place", "requester", "asked_by"),
        *("recipe_name", "recipe_form", "inputs", "due_at"),
    }
    assert set(SpawnArguments.model_fields) == {"objective", "input_refs"}
    assert set(TaskArguments.model_fields) == {"task_id"}
    assert set(PermissionArguments.model_fields) == {"decision", "permission_id"}
    assert set(InputArguments.model_fields) == {"answer", "task_id"}


async def test_question_4_are_tool_events_for_progress_alone() -> None:
    """TASK-32, TASK-10: whatever is told of them, no state, queue, result or news changes."""
    async with desk_room(ManualClock()) as room:
        first = await room.accept("one", TaskKind.DELEGATED)
        await room.accept("two", TaskKind.DELEGATED)
        await room.at_work("one")
        before = (await room.store.latest(9), await room.store.moves(first.id))
        for words in ("completed", "cancelled", "delegated", "respond_permission: always"):
            room.desk.active(first.id, Activity(words=words, done=7, total=3))
            await asyncio.sleep(0)
        assert (await room.store.latest(9), await room.store.moves(first.id)) == before
        assert room.backend.began == ["one"]
        room.backend.end("one")
        await room.until(("one", "completed"))


async def test_question_5_is_completion_told_only_from_a_final_result() -> None:
    """TASK-32, TASK-24: a task that is under way is no news, whatever it holds."""
    under_way = [
        task(state.value, state=state, result="done!")
        for state in TaskState
        if state not in (TaskState.COMPLETED, TaskState.FAILED, TaskState.CANCELLED)
    ]
    store, room = await kept_with(*under_way, over()), Room(voice=Floor(hears=[True]))
    async with Deliveries(news=store, announcement=room, clock=Blocking(), process="one") as deliveries:
        for one in under_way:
            deliveries.tell(one)
        async with asyncio.timeout(5):
            while await store.untold():
                await asyncio.sleep(0.001)
    assert room.done == ["remembers"]


def test_question_6_does_no_front_manage_a_process_of_the_backend() -> None:
    """TASK-32: what people see and say starts, stops and knows no process; adapters own theirs."""
    processes = {"subprocess", "multiprocessing", "signal", "recipes.backends"}
    fronts = ("bot/discord_chat", "bot/voice_scenes", "recipes/tasks", "recipes/reminders")
    found: list[str] = []
    for file in (file for front in fronts for file in sorted((ROOT / front).rglob("*.py"))):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            match node:
                case ast.Import(names=names):
                    named = [alias.name for alias in names]
                case ast.ImportFrom(module=str(module)):
                    named = [module]
                case ast.Attribute(attr=attr) if attr.startswith("create_subprocess") or attr == "Popen":
                    named = ["subprocess"]
                case _:
                    continue
            found += [f"{file.name}: {one}" for one in named if one in processes]
    assert found == []


async def test_question_7_does_an_interruption_postpone_words_and_cancel_nothing() -> None:
    """TASK-32, TASK-11, TASK-12: said over, it is said again; the task stays what it was."""
    store, floor = await kept_with(over()), Floor(hears=[False, True])
    before = await store.moves(over().id)
    await told(store, Room(voice=floor))
    (kept,) = await store.latest(1)
    assert (kept.state, kept.result, kept.news) == (TaskState.COMPLETED, "gold", NewsState.TOLD)
    assert await store.moves(over().id) == before
    assert floor.hears == []


async def test_question_8_order_session_progress_and_retries(tmp_path: Path) -> None:
    """TASK-32, TASK-3, TASK-10, TASK-11: first come, first served; a bar; a telling that is tried again."""
    async with office(tmp_path) as room:
        tasks = [await room.spawn(f"echo {number}") for number in range(4)]
        for one in tasks:
            await room.came(one, "completed")
        assert [work.objective for work in room.backend.prompts] == [f"echo {number}" for number in range(4)]
        assert len({work.owner for work in room.backend.prompts}) == 1
    line = progress_line(task(state=TaskState.RUNNING), Activity(words="reading", done=1, total=2))
    assert line == "▰▰▰▰▰▱▱▱▱▱ 1 of 2 · reading"
    store, shown = await kept_with(over()), Room(posts=[RoomBusy])
    await told(store, shown)
    assert shown.done == ["posted gold", "remembers"]
