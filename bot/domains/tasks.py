"""Tasks, put together over the open database (TASK).

opened       stores and the desk; nothing runs
running      workers and the durable execution, while runs go on
announcing   the news of tasks, while there are rooms to tell
"""

import asyncio
from collections.abc import AsyncGenerator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from importlib import import_module
from typing import Protocol, Self, cast

from bot.domains.domain import DomainRuntime
from bot.run_extras import RunExtras
from bot.task_spaces import SceneTaskSpaces
from core.clock import Clock
from core.identifiers import NewId
from recipes.tasks.background import RecipeWork
from recipes.tasks.deliveries import Deliveries, TaskAnnouncement
from recipes.tasks.desk import TaskDesk
from recipes.tasks.personal_data import TaskPersonalData
from recipes.tasks.starts import TaskStarts
from recipes.tasks.steps import Body, DurableRuns
from recipes.tasks.storage.tables import metadata
from recipes.tasks.storage.tasks import StoredTasks
from recipes.tasks.task import Task, TaskKind
from recipes.tasks.work import TaskWorker
from sessions.storage.database import Database


class _Engine(Protocol):
    """The module that holds the durable execution."""

    def DbosRuns(self, *, url: str, body: Body) -> "_OpenRuns": ...  # noqa: N802 - the name of a class


class _OpenRuns(DurableRuns, Protocol):
    async def __aenter__(self) -> Self: ...
    async def __aexit__(self, *ending: object) -> None: ...


class LateRuns:
    """The durable execution, imported and launched when the first task needs it, or never (TASK-35)."""

    def __init__(self, *, url: str, body: Body) -> None:
        self._url = url
        self._body = body
        self._stack = AsyncExitStack()
        self._opening = asyncio.Lock()
        self._runs: DurableRuns | None = None
        self._closed = False

    async def start(self, run_id: str) -> None:
        """See `DurableRuns`. When the process stops already, the next one begins it."""
        if not self._closed:
            await (await self._opened()).start(run_id)

    async def forget(self, run_ids: Iterable[str]) -> None:
        """See `DurableRuns`."""
        await (await self._opened()).forget(run_ids)

    async def aclose(self) -> None:
        """End it, if it ever began."""
        self._closed = True
        async with self._opening:
            await self._stack.aclose()

    async def _opened(self) -> DurableRuns:
        async with self._opening:
            if self._runs is None:
                engine = await asyncio.to_thread(import_module, "recipes.tasks.durable")
                runs = cast("_Engine", engine).DbosRuns(url=self._url, body=self._body)
                self._runs = await self._stack.enter_async_context(runs)
            return self._runs


class OpenedTasks:
    """Tasks over the open database. `steps_url`: where the recorded steps are kept; None: nothing runs."""

    def __init__(self, database: Database, *, steps_url: str | None, clock: Clock, new_id: NewId) -> None:
        self._clock = clock
        self._new_id = new_id
        self._steps_url = steps_url
        self._deliveries: Deliveries | None = None
        self.store = StoredTasks(database)
        self.desk = TaskDesk(store=self.store, reader=self.store, clock=clock, new_id=new_id)
        self.starts = TaskStarts(self.desk)
        self.personal_data = TaskPersonalData(
            persons=self.store, tables=frozenset(metadata.tables), forgotten=self.desk.forgotten
        )

    @asynccontextmanager
    async def running(self, runtime: DomainRuntime, space_extras: RunExtras) -> AsyncGenerator[None]:
        """Do the work of tasks; recipes run with the tools of `space_extras`."""
        if self._steps_url is None:
            yield
            return
        workers: dict[TaskKind, TaskWorker] = {}
        if runtime.endpoint is not None:
            spaces = SceneTaskSpaces(
                endpoint=runtime.endpoint,
                personas=runtime.personas,
                models=runtime.models,
                extras=space_extras,
                max_tokens=runtime.max_tokens,
                clock=self._clock,
            )
            workers[TaskKind.RECIPE] = RecipeWork(
                generation=runtime.generation,
                spaces=spaces,
                ledger=self.store,
                clock=self._clock,
                new_id=self._new_id,
            )
        runs = LateRuns(url=self._steps_url, body=self.desk.perform)
        self.desk.use(runs, workers)
        self.desk.listen(self._changed)
        async with self.desk:
            try:
                yield
            finally:
                await runs.aclose()

    @asynccontextmanager
    async def announcing(self, announcement: TaskAnnouncement) -> AsyncGenerator[None]:
        """Bring the news of tasks to people."""
        process = self._new_id("process", self._clock.now())
        async with Deliveries(
            news=self.store, announcement=announcement, clock=self._clock, process=process
        ) as deliveries:
            self._deliveries = deliveries
            try:
                yield
            finally:
                self._deliveries = None

    async def _changed(self, task: Task) -> None:
        if self._deliveries is not None:
            self._deliveries.tell(task)
