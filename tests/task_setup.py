"""Tasks for tests: requests, and a desk whose workers are told what to do."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from core.clock import Clock
from core.conversation.turns import Speaker
from core.failures import Failure
from core.identifiers import RandomIds
from recipes.run_scene import Place
from recipes.tasks.desk import TaskDesk
from recipes.tasks.in_memory import TasksInMemory
from recipes.tasks.steps import Body, Steps, StepsInMemory
from recipes.tasks.task import Task, TaskKind, TaskRequest, TaskResult, TaskState
from recipes.tasks.work import Activity, StopFailed, TaskWatch

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
MIA = Speaker(id="111", name="Mia")
SAM = Speaker(id="222", name="Sam")
GENERAL = Place(session_id="discord:channel:42", guild_id="7", channel_id="42", is_private=False)
PRIVATE = Place(session_id="discord:channel:44", guild_id="7", channel_id="44")


def request(title: str = "dig", **more: Any) -> TaskRequest:
    given: dict[str, Any] = {
        "title": title,
        "message": f"The owner said: {title}",
        "place": GENERAL,
        "requester": MIA,
    }
    return TaskRequest(**{**given, **more})


def task(name: str = "dig", **more: Any) -> Task:
    given: dict[str, Any] = {
        "id": f"task_{name:0>17}",
        "key": name,
        "kind": TaskKind.RECIPE,
        "request": request(name),
        "state": TaskState.QUEUED,
        "created_at": NOON,
        "updated_at": NOON,
    }
    return Task(**{**given, **more})


class RunsHere:
    """`DurableRuns` in a TaskGroup; `cut` ends the process, `recorded` outlives it."""

    def __init__(self, body: Body, tasks: asyncio.TaskGroup) -> None:
        self._body = body
        self._tasks = tasks
        self.running: dict[str, asyncio.Task[None]] = {}
        self.recorded: dict[str, dict[str, str]] = {}
        self.forgotten: list[str] = []

    async def start(self, run_id: str) -> None:
        steps = StepsInMemory(self.recorded.setdefault(run_id, {}))
        self.running[run_id] = self._tasks.create_task(self._body(run_id, steps))

    async def forget(self, run_ids: Iterable[str]) -> None:
        self.forgotten += run_ids

    async def cut(self) -> None:
        for running in self.running.values():
            running.cancel()
        if self.running:
            await asyncio.wait(list(self.running.values()))


@dataclass
class ScriptedWorker:
    """Ends each task when it is told how; `stops` False: it does not let itself be stopped."""

    stops: bool = True
    began: list[str] = field(default_factory=list)
    ends: dict[str, asyncio.Future[str]] = field(default_factory=dict)
    watch: TaskWatch | None = None

    async def result_of(self, task: Task, steps: Steps, watch: TaskWatch) -> TaskResult:
        self.watch = watch
        self.began.append(task.request.title)
        watch.active(task.id, Activity(words="at work"))
        end = self.ends.setdefault(task.request.title, asyncio.get_running_loop().create_future())

        async def waited() -> str:
            return await asyncio.shield(end)

        return TaskResult(text=await steps.run("work", waited))

    async def confirm_stop(self, task: Task) -> None:
        if not self.stops:
            raise StopFailed("It does not stop.", reason="test")

    def end(self, title: str, result: str = "gold") -> None:
        self.ends[title].set_result(result)

    def fail(self, title: str, advice: str) -> None:
        self.ends[title].set_exception(Failure(advice, reason="test"))


@dataclass(kw_only=True)
class DeskRoom:
    """A desk that works."""

    desk: TaskDesk
    store: TasksInMemory
    worker: ScriptedWorker
    backend: ScriptedWorker
    runs: RunsHere
    told: list[tuple[str, str]]

    async def until(self, *states: tuple[str, str]) -> None:
        """Wait until these titles came to these states."""
        async with asyncio.timeout(5):
            while not set(states) <= set(self.told):
                await asyncio.sleep(0)

    async def at_work(self, title: str) -> None:
        """Wait until somebody works on it."""
        async with asyncio.timeout(5):
            while title not in self.worker.began + self.backend.began:
                await asyncio.sleep(0)

    async def accept(self, title: str, kind: TaskKind = TaskKind.RECIPE, **more: Any) -> Task:
        return await self.desk.accept(kind, more.pop("key", title), request(title, **more))


@asynccontextmanager
async def desk_room(
    clock: Clock, store: TasksInMemory | None = None, **parts: ScriptedWorker
) -> AsyncIterator[DeskRoom]:
    """Open until the end of the block, where the process ends."""
    kept = store or TasksInMemory()
    worker, backend = parts.get("worker", ScriptedWorker()), parts.get("backend", ScriptedWorker())
    desk = TaskDesk(store=kept, reader=kept, clock=clock, new_id=RandomIds())
    told: list[tuple[str, str]] = []

    async def changed(one: Task) -> None:
        told.append((one.request.title, one.state.value))

    desk.listen(changed)
    async with asyncio.TaskGroup() as tasks:
        runs = RunsHere(desk.perform, tasks)
        desk.use(runs, {TaskKind.RECIPE: worker, TaskKind.DELEGATED: backend})
        async with desk:
            yield DeskRoom(desk=desk, store=kept, worker=worker, backend=backend, runs=runs, told=told)
        await runs.cut()
