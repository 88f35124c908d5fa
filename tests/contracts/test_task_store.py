"""Both stores of tasks keep the same promises (TASK-2, TASK-3, TASK-11)."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from bot.data_folder import process_slot
from recipes.tasks.in_memory import TasksInMemory
from recipes.tasks.storage.schema import TASKS
from recipes.tasks.storage.tasks import StoredTasks
from recipes.tasks.task import Artifact, NewsState, TaskInput, TaskKind, TaskState
from recipes.tasks.task_rules import IllegalTaskMove
from recipes.tasks.task_store import Outcome, UnknownTask
from sessions.storage.database import Database, sqlite_url
from tests.contracts.scene_contract import POSTGRESQL, empty_server
from tests.task_setup import MIA, NOON, SAM, request, task

ODD = Artifact(name="\ud83d.bin", media_type="application/octet-stream", content=bytes(range(256)))
ADAPTERS = ["memory", "sqlite", *(["postgresql"] if POSTGRESQL else [])]


@asynccontextmanager
async def opened(adapter: str, folder: Path) -> AsyncIterator[TasksInMemory | StoredTasks]:
    if adapter == "memory":
        yield TasksInMemory()
        return
    url = sqlite_url(folder / "tasks.db")
    if adapter == "postgresql":
        url = POSTGRESQL or ""
        await empty_server()
    async with Database(url, (TASKS,)) as database:
        yield StoredTasks(database)


@pytest.mark.parametrize("adapter", ADAPTERS)
async def test_a_task_is_accepted_once_and_moves_by_the_table(adapter: str, tmp_path: Path) -> None:
    """TASK-2: every move with its time; an illegal one changes nothing."""
    odd = request(
        "dig \ud83d \x00 now",
        due_at=NOON,
        inputs=(TaskInput(name="a", media_type="text/plain", text="\ud83d"),),
    )
    async with opened(adapter, tmp_path) as store:
        made = await store.accept(task("dig", request=odd))
        assert await store.find(made.id) == made
        assert (await store.accept(task("other", key="dig"))).id == made.id
        with pytest.raises(IllegalTaskMove):
            await store.move(made.id, TaskState.COMPLETED, NOON)
        await store.move(made.id, TaskState.RUNNING, NOON + timedelta(seconds=1))
        assert [one.id for one in await store.unfinished()] == [made.id]
        ended = await store.move(
            made.id,
            TaskState.COMPLETED,
            NOON + timedelta(seconds=2),
            Outcome(result="gold", artifacts=(ODD,)),
        )
        assert await store.find(made.id) == ended
        moves = await store.moves(made.id)
        with pytest.raises(UnknownTask):
            await store.move("nothing", TaskState.RUNNING, NOON)
        assert await store.unfinished() == ()
    assert (ended.result, ended.updated_at) == ("gold", NOON + timedelta(seconds=2))
    assert ended.artifacts == (ODD,)
    assert [(move.state.value, (move.at - NOON).seconds) for move in moves] == [
        ("queued", 0),
        ("running", 1),
        ("completed", 2),
    ]


@pytest.mark.parametrize("adapter", ADAPTERS)
async def test_news_claims_and_effects(adapter: str, tmp_path: Path) -> None:
    """TASK-3, TASK-11."""
    later = NOON + timedelta(seconds=60)
    async with opened(adapter, tmp_path) as store:
        made = await store.accept(task("dig"))
        assert await store.untold() == ()
        await store.move(made.id, TaskState.RUNNING, NOON)
        await store.move(made.id, TaskState.FAILED, NOON, Outcome(error="No."))
        assert [one.error for one in await store.untold()] == ["No."]
        assert await store.claim(made.id, "one", later, NOON)
        assert not await store.claim(made.id, "two", later, NOON)
        assert await store.claim(made.id, "two", later + timedelta(seconds=60), later)
        first = await store.intend(made.id, "post:0", NOON)
        again = await store.intend(made.id, "post:0", later)
        await store.settle(made.id, "post:0", "123")
        assert (first.is_new, again.is_new, again.intended_at) == (True, False, NOON)
        assert [(one.key, one.receipt) for one in await store.effects(made.id)] == [("post:0", "123")]
        await store.set_news(made.id, NewsState.TOLD, announced=1)
        assert await store.untold() == ()
        with pytest.raises(UnknownTask):
            await store.intend("nothing", "x", NOON)


@pytest.mark.parametrize("adapter", ADAPTERS)
async def test_what_was_told_long_ago_goes(adapter: str, tmp_path: Path) -> None:
    """TASK-35: what is open or was not told of stays, however old."""
    async with opened(adapter, tmp_path) as store:
        old, untold, is_open = [await store.accept(task(name)) for name in ("old", "untold", "open")]
        for one in (old, untold):
            await store.move(one.id, TaskState.RUNNING, NOON)
            await store.move(one.id, TaskState.COMPLETED, NOON, Outcome(result="gold"))
        await store.set_news(old.id, NewsState.TOLD, announced=1)
        await store.intend(old.id, "post:0", NOON)
        assert await store.forget_over(NOON) == ()
        assert await store.forget_over(NOON + timedelta(days=45)) == (old.id,)
        assert {one.id for one in await store.latest(9)} == {untold.id, is_open.id}
        assert await store.effects(old.id) == ()


@pytest.mark.parametrize("adapter", ADAPTERS[1:])
async def test_a_process_goes_on_with_the_tasks_of_its_slot_alone(adapter: str, tmp_path: Path) -> None:
    """TASK-3, TASK-35, SET-6: several processes on one database; the data folder of each is its slot."""
    async with opened(adapter, tmp_path) as first:
        assert isinstance(first, StoredTasks)
        mine = await first.accept(task("mine"))
        second = StoredTasks(first._database, slot=await asyncio.to_thread(process_slot, tmp_path))
        other = await second.accept(task("other"))
        assert [one.id for one in await first.unfinished()] == [mine.id]
        assert [one.id for one in await second.unfinished()] == [other.id]
        assert await second.find(mine.id) == mine
    assert await asyncio.to_thread(process_slot, tmp_path) == second._slot


@pytest.mark.parametrize("adapter", ADAPTERS)
async def test_lists_and_what_is_forgotten(adapter: str, tmp_path: Path) -> None:
    """TASK-13, MEM-6."""
    async with opened(adapter, tmp_path) as store:
        mine = [await store.accept(task(name)) for name in ("a", "b")]
        other = await store.accept(task("c", request=request("c", requester=SAM)))
        bell = await store.accept(task("bell", kind=TaskKind.REMINDER))
        over = await store.accept(task("over", kind=TaskKind.REMINDER, state=TaskState.FAILED))
        assert await store.open_of(MIA.id) == (*mine, bell)
        assert [one.id for one in await store.of_person(MIA.id, 9)] == [mine[1].id, mine[0].id]
        assert len(await store.of_guild("7", 9)) == len(await store.latest(9)) == 3
        assert [one.id for one in await store.tasks_of(MIA.id)] == [one.id for one in (*mine, bell, over)]
        assert set(await store.forget_tasks_of(MIA.id)) == {one.id for one in (*mine, bell, over)}
        assert [one.id for one in await store.latest(9)] == [other.id]
        assert await store.moves(mine[0].id) == ()
