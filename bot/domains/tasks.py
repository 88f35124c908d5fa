"""Tasks, put together over the open database (TASK).

opened       stores and the desk; nothing runs
running      workers and the durable execution, while runs go on
announcing   the news of tasks, while there are rooms to tell
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol, Self, cast

from bot.backend_choice import OpensBackend
from bot.discord_chat.cards.permission_card import answer_permission_buttons
from bot.discord_chat.client import ParleyClient
from bot.discord_chat.commands.parts import CommandParts
from bot.discord_chat.commands.reminder import ReminderParts, add_reminder_commands
from bot.discord_chat.commands.task import TaskParts, add_task_commands
from bot.domains.domain import DomainRuntime
from bot.recipe_members import RecipeMembers
from bot.run_extras import RunExtras
from bot.scene_zones import StoredZones
from bot.task_delegates import TaskDelegates
from bot.task_spaces import SceneTaskSpaces
from bot.tokens_beside import CountedGeneration, Served
from core.clock import Clock
from core.generation.requests import GenerationInput, ModelEndpoint
from core.identifiers import NewId
from recipes.library import RecipeLibrary
from recipes.reminders.reminders import ReminderRuns, Reminders, ReminderWork
from recipes.tasks.background import RecipeWork
from recipes.tasks.delegated import DelegatedWork
from recipes.tasks.deliveries import Deliveries, TaskAnnouncement
from recipes.tasks.desk import TaskDesk
from recipes.tasks.inputs import PendingInputs
from recipes.tasks.permissions import Permissions
from recipes.tasks.personal_data import TaskPersonalData
from recipes.tasks.retention import SettledTasks
from recipes.tasks.starts import TaskStarts
from recipes.tasks.steps import Body, DurableRuns
from recipes.tasks.storage.tables import metadata
from recipes.tasks.storage.tasks import StoredTasks
from recipes.tasks.task import Task, TaskKind
from recipes.tasks.task_rules import FINAL
from recipes.tasks.task_runs import TaskRuns
from recipes.tasks.visible_tasks import VisibleTasks
from recipes.tasks.work import TaskWorker
from sessions.storage.database import Database


class _Engine(Protocol):
    """The module that holds the durable execution."""

    def DbosRuns(self, *, url: str, body: Body, slot: str) -> "_OpenRuns": ...  # noqa: N802 - the name of a class


class _OpenRuns(DurableRuns, Protocol):
    async def __aenter__(self) -> Self: ...
    async def __aexit__(self, *ending: object) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class StepsPlace:
    """The database of recorded steps, and whose runs this process takes over: those of its slot."""

    url: str
    slot: str = "0"


class LateRuns:
    """The durable execution, imported and launched when the first task needs it, or never (TASK-35)."""

    def __init__(self, *, place: StepsPlace, body: Body) -> None:
        self._place = place
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
                runs = cast("_Engine", engine).DbosRuns(
                    url=self._place.url, body=self._body, slot=self._place.slot
                )
                self._runs = await self._stack.enter_async_context(runs)
            return self._runs


class TaskDisplay(Protocol):
    """Shows how far tasks are."""

    def changed(self, task: Task) -> None: ...
    def active(self, task_id: str) -> None: ...


class OpenedTasks:
    """Tasks over the open database. `steps`: where the recorded steps are kept; None: nothing runs."""

    def __init__(
        self,
        database: Database,
        *,
        steps: StepsPlace | None,
        delegates: TaskDelegates,
        zones: StoredZones,
        clock: Clock,
        new_id: NewId,
    ) -> None:
        self._clock = clock
        self._new_id = new_id
        self._steps = steps
        self._delegates = delegates
        self._deliveries: Deliveries | None = None
        self._display: TaskDisplay | None = None
        self.store = StoredTasks(database, slot="0" if steps is None else steps.slot)
        self.desk = TaskDesk(store=self.store, reader=self.store, clock=clock, new_id=new_id)
        self.starts = TaskStarts(self.desk)
        self.permissions = Permissions(clock=clock, new_id=new_id)
        self.visible = VisibleTasks(self.store)
        self.inputs = PendingInputs(clock=clock)
        self.runs = TaskRuns(
            desk=self.desk,
            visible=self.visible,
            permissions=self.permissions,
            inputs=self.inputs,
            delegates=delegates,
            clock=clock,
        )
        self.reminders = Reminders(desk=self.desk, zones=zones, clock=clock)
        self._zones = zones
        self.reminder_runs = ReminderRuns(self.reminders)
        self.personal_data = TaskPersonalData(
            persons=self.store,
            tables=frozenset(metadata.tables),
            stop=self.desk.stop_all_of,
            forgotten=self.desk.forgotten,
        )
        self.retention = SettledTasks(self.store, self.desk)
        self.desk.listen(self._changed)
        self.desk.listen_to_activity(self._active)

    @asynccontextmanager
    async def running(
        self, runtime: DomainRuntime, space_extras: RunExtras, backend: OpensBackend | None = None
    ) -> AsyncGenerator[None]:
        """Do the work of tasks; recipes run with the tools of `space_extras`."""
        if self._steps is None:
            yield
            return
        async with AsyncExitStack() as stack:
            workers: dict[TaskKind, TaskWorker] = {}
            if runtime.endpoint is not None:
                workers[TaskKind.RECIPE] = self._recipe_work(runtime, runtime.endpoint, space_extras)
            if backend is not None:
                workers[TaskKind.DELEGATED] = DelegatedWork(
                    backend=await stack.enter_async_context(backend()),
                    permissions=self.permissions,
                    inputs=self.inputs,
                    ledger=self.store,
                    media=runtime.media,
                    clock=self._clock,
                )
                self.runs.look_back_in(runtime.history)
            workers[TaskKind.REMINDER] = ReminderWork(self._clock)
            runs = LateRuns(place=self._steps, body=self.desk.perform)
            self.desk.use(runs, workers)
            stack.push_async_callback(runs.aclose)
            await stack.enter_async_context(self.desk)  # it closes first: nothing begins any more
            yield

    async def _served(self, request: GenerationInput) -> Served | None:
        """For whom a task works, whose id its requests have."""
        task = await self.store.find(request.run_id)
        if task is None:
            return None
        return Served(session_id=task.request.place.session_id, person=task.request.requester.id)

    def _recipe_work(
        self, runtime: DomainRuntime, endpoint: ModelEndpoint, space_extras: RunExtras
    ) -> RecipeWork:
        spaces = SceneTaskSpaces(
            endpoint=endpoint,
            profile=runtime.profile,
            personas=runtime.personas,
            models=runtime.models,
            extras=space_extras,
            max_tokens=runtime.max_tokens,
            clock=self._clock,
        )
        return RecipeWork(
            generation=CountedGeneration(runtime.generation, runtime.spent, self._served),
            spaces=spaces,
            ledger=self.store,
            clock=self._clock,
            new_id=self._new_id,
        )

    @asynccontextmanager
    async def announcing(
        self,
        announcement: TaskAnnouncement,
        display: TaskDisplay | None = None,
        *,
        tells: Callable[[Task], bool],
    ) -> AsyncGenerator[None]:
        """Bring the news of tasks to people, and show how far they are; of those that `tells` names."""
        process = self._new_id("process", self._clock.now())
        async with Deliveries(
            news=self.store, announcement=announcement, clock=self._clock, process=process, tells=tells
        ) as deliveries:
            self._deliveries, self._display = deliveries, display
            for task in await self.store.unfinished():
                await self._changed(task)
            try:
                yield
            finally:
                self._deliveries = self._display = None

    def add_commands(
        self, parts: CommandParts, client: ParleyClient, recipes: RecipeLibrary, members: RecipeMembers
    ) -> None:
        """`/task`, `/reminder`, and the buttons of cards."""
        tasks = TaskParts(
            parts=parts,
            desk=self.desk,
            visible=self.visible,
            permissions=self.permissions,
            delegates=self._delegates,
            recipes=recipes,
            members=members,
        )
        add_task_commands(tasks, client)
        answer_permission_buttons(client, self.permissions, parts)
        add_reminder_commands(
            ReminderParts(parts=parts, reminders=self.reminders, desk=self.desk, zones=self._zones)
        )

    async def _changed(self, task: Task) -> None:
        if task.state in FINAL:
            self.permissions.task_over(task.id)
        if self._deliveries is not None:
            self._deliveries.tell(task)
        if self._display is not None:
            self._display.changed(task)

    def _active(self, task_id: str) -> None:
        if self._display is not None:
            self._display.active(task_id)
