"""The desk: accepts tasks, has them begun, stops them, and answers for them (TASK-1, TASK-3, TASK-12).

    accept   the row is written, and that is the answer; the work begins beside it
    perform  called by the durable execution, in this process or after a crash in the next one
    cancel   `cancelling` is stored first; the end of the work makes it `cancelled`

One for the process; it owns what begins tasks, and nothing that a person waits for.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Self

import structlog

from core.clock import Clock
from core.failures import UNEXPECTED, Failure
from core.identifiers import NewId
from core.sentences import sentence
from recipes.tasks.steps import DurableRuns, Steps
from recipes.tasks.task import Task, TaskKind, TaskRequest, TaskState
from recipes.tasks.task_rules import FINAL, MOST_OPEN, IllegalTaskMove, is_open, next_to_start
from recipes.tasks.task_store import Outcome, TaskReader, TaskStore, UnknownTask
from recipes.tasks.work import Activity, StopFailed, TaskWorker
from sessions.failures import StorageFailed

_log = structlog.get_logger()
_TOO_MANY: Final = {
    TaskKind.RECIPE: sentence("There are {most} open tasks of yours; `/task stop` ends one.", most=MOST_OPEN),
    TaskKind.DELEGATED: sentence(
        "There are {most} open tasks of yours; `/task stop` ends one.", most=MOST_OPEN
    ),
    TaskKind.REMINDER: sentence(
        "There are {most} reminders of yours; `/reminder cancel` takes one back.", most=MOST_OPEN
    ),
}
_STOPS_LOOKED_AT: Final = 50
_STOPS_LOOKED_AT_AFTER_S: Final = 0.1
_STORED_AGAIN_AFTER_S: Final = (0.5, 2.0, 10.0, 30.0)

Listener = Callable[[Task], Awaitable[None]]
"""Told of a task that changed; raises nothing."""


class TaskRefused(Exception):
    """It is not accepted; the message is one sentence for the person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Working:
    """What a task does now, and since when (monotonic seconds)."""

    activity: Activity
    since: float


class TaskDesk:
    """Used as an async context manager once workers and the durable execution are there."""

    def __init__(self, *, store: TaskStore, reader: TaskReader, clock: Clock, new_id: NewId) -> None:
        self._store = store
        self._reader = reader
        self._clock = clock
        self._new_id = new_id
        self._workers: Mapping[TaskKind, TaskWorker] = {}
        self._runs: DurableRuns | None = None
        self._scopes: dict[str, asyncio.Timeout] = {}
        self._working: dict[str, Working] = {}
        self._listeners: list[Listener] = []
        self._watchers: list[Callable[[str], None]] = []
        self._starting = asyncio.Lock()
        self._tasks = asyncio.TaskGroup()
        self._open = False

    def use(self, runs: DurableRuns, workers: Mapping[TaskKind, TaskWorker]) -> None:
        """Work with these; said once, before the desk opens."""
        self._runs = runs
        self._workers = workers

    def listen(self, listener: Listener) -> None:
        """Tell `listener` of every task that comes to another state."""
        self._listeners.append(listener)

    def listen_to_activity(self, listener: Callable[[str], None]) -> None:
        """Tell `listener` the id of every task that does something else now."""
        self._watchers.append(listener)

    def can(self, kind: TaskKind) -> bool:
        """Whether work of that kind is done here."""
        return kind in self._workers

    async def __aenter__(self) -> Self:
        """Open, and go on with what an earlier process left."""
        await self._tasks.__aenter__()
        self._open = True
        unfinished = await self._store.unfinished()
        if unfinished:
            self._tasks.create_task(self._go_on(unfinished), name="tasks of an earlier process")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open = False
        await self._tasks.__aexit__(kind, error, trace)

    async def accept(self, kind: TaskKind, key: str, request: TaskRequest) -> Task:
        """Accept work; the same `key` again gives the same task. Never waits for the work (TASK-1).

        Raises:
            TaskRefused: no such work is done here, or the person has too many tasks open.
        """
        if not self.can(kind):
            raise TaskRefused("Nothing is set up here that could do this.")
        mine = [task for task in await self.open_of(request.requester.id) if task.kind is kind]
        if len(mine) >= MOST_OPEN and all(task.key != key for task in mine):
            raise TaskRefused(_TOO_MANY[kind])
        now = self._clock.now()
        new = Task(
            id=self._new_id("task", now),
            key=key,
            kind=kind,
            request=request,
            state=TaskState.QUEUED,
            created_at=now,
            updated_at=now,
        )
        task = await self._store.accept(new)
        if task.id == new.id:
            await self._tell(task)
            self._begin_due(task.request.requester.id)
        return task

    async def retry(self, task: Task) -> Task:
        """The same request once more, as a new task.

        Raises:
            TaskRefused: it is not over, or too many are open.
        """
        if is_open(task):
            raise TaskRefused("This task is not over yet.")
        return await self.accept(task.kind, self._new_id("again", self._clock.now()), task.request)

    async def cancel(self, task: Task) -> Task:
        """Stop it; what is returned is `cancelling` until the end of the work is confirmed (TASK-12).

        Raises:
            TaskRefused: it is over already.
        """
        try:
            stopping = await self._store.move(task.id, TaskState.CANCELLING, self._clock.now())
        except (IllegalTaskMove, UnknownTask):
            current = await self._store.find(task.id)
            if current is not None and current.state is TaskState.CANCELLING:
                return current
            raise TaskRefused("This task is over already.") from None
        before = (await self._store.moves(task.id))[-2].state
        if before is TaskState.QUEUED:
            return await self._end(stopping, TaskState.CANCELLED) or stopping
        await self._tell(stopping)
        scope = self._scopes.get(task.id)
        if scope is not None:
            scope.reschedule(asyncio.get_running_loop().time())
        return await self._store.find(task.id) or stopping

    async def stop_all_of(self, user_id: str) -> None:
        """Stop everything of a person; returns when it is confirmed, or cannot be waited for any longer."""
        for task in await self.open_of(user_id):
            with suppress(TaskRefused):  # it ended in this moment
                await self.cancel(task)
        for _ in range(_STOPS_LOOKED_AT):
            if not await self.open_of(user_id):
                return
            await self._clock.sleep(_STOPS_LOOKED_AT_AFTER_S)

    async def perform(self, task_id: str, steps: Steps) -> None:
        """Do the work to its end. The `Body` of the durable execution: raises nothing but a cancellation."""
        task = await self._store.find(task_id)
        if task is None or task.state in FINAL:
            return
        if task.state is TaskState.CANCELLING:
            await self._stopped(task)
            return
        scope = asyncio.timeout(None)
        try:
            async with scope:
                self._scopes[task_id] = scope
                result = await self._workers[task.kind].result_of(task, steps, self)
        except TimeoutError:
            if scope.expired():
                await self._stopped(task)
            else:
                await self._failed(task, UNEXPECTED)
        except Failure as failure:
            _log.info("task failed", task=task_id, reason=failure.reason)
            await self._failed(task, failure.advice)
        except Exception as error:  # noqa: BLE001 - a defect ends this task only, and says so
            _log.error("task broke", task=task_id, exc_info=error)
            await self._failed(task, UNEXPECTED)
        else:
            await self._end(
                task, TaskState.COMPLETED, Outcome(result=result.text, artifacts=result.artifacts)
            )
        finally:
            self._scopes.pop(task_id, None)
            self._working.pop(task_id, None)

    def active(self, task_id: str, activity: Activity) -> None:
        """See `TaskWatch`."""
        self._working[task_id] = Working(activity=activity, since=self._clock.monotonic())
        for watcher in self._watchers:
            watcher(task_id)

    async def delegated(self, task_id: str) -> None:
        """See `TaskWatch`."""
        task = await self._reach(task_id, TaskState.DELEGATED)
        self._begin_due(task.request.requester.id)

    async def finalizing(self, task_id: str) -> None:
        """See `TaskWatch`."""
        await self._reach(task_id, TaskState.FINALIZING)

    def working(self, task_id: str) -> Working | None:
        """What it does now; None where this process does nothing for it."""
        return self._working.get(task_id)

    async def find(self, task_id: str) -> Task | None:
        """A task as it stands."""
        return await self._store.find(task_id)

    async def open_of(self, user_id: str) -> tuple[Task, ...]:
        """A person's tasks that are not over, oldest first."""
        return await self._reader.open_of(user_id)

    async def forgotten(self, task_ids: Iterable[str]) -> None:
        """Their rows are gone: end what works on them, and remove what is recorded of them."""
        gone = tuple(task_ids)
        for task_id in gone:
            scope = self._scopes.get(task_id)
            if scope is not None:
                scope.reschedule(asyncio.get_running_loop().time())
        if self._runs is not None and gone:
            await self._runs.forget(gone)

    def _begin_due(self, user_id: str) -> None:
        if self._open:
            self._tasks.create_task(self._start_due(user_id), name="tasks begin")

    async def _start_due(self, user_id: str) -> None:
        try:
            async with self._starting:
                for task in next_to_start(await self.open_of(user_id)):
                    await self._run(task)
        except Exception as error:  # noqa: BLE001 - they stay queued, and begin with the next one or next time
            _log.error("tasks not begun", exc_info=error)

    async def _run(self, task: Task) -> None:
        try:
            running = await self._store.move(task.id, TaskState.RUNNING, self._clock.now())
        except (IllegalTaskMove, UnknownTask):
            return  # somebody was faster: it is stopped, or gone
        await self._tell(running)
        await self._start(running)

    async def _go_on(self, unfinished: Iterable[Task]) -> None:
        try:
            await self._gone_on(unfinished)
        except Exception as error:  # noqa: BLE001 - what was not begun now is begun at the next start
            _log.error("earlier tasks not begun", exc_info=error)

    async def _gone_on(self, unfinished: Iterable[Task]) -> None:
        people: dict[str, None] = {}
        for task in unfinished:
            people[task.request.requester.id] = None
            if not self.can(task.kind):
                await self._end(task, TaskState.FAILED, Outcome(error="Nothing here can do this any more."))
            elif task.state is not TaskState.QUEUED:
                await self._start(task)
        for user_id in people:
            await self._start_due(user_id)

    async def _start(self, task: Task) -> None:
        if self._runs is None:
            raise RuntimeError("say what to work with before the desk opens")
        try:
            await self._runs.start(task.id)
        except Exception as error:  # noqa: BLE001 - one that cannot begin must not hold up the others
            _log.error("task not begun", task=task.id, exc_info=error)
            await self._end(task, TaskState.FAILED, Outcome(error=UNEXPECTED))

    async def _failed(self, task: Task, advice: str) -> None:
        """It broke off; while it is being stopped that may have been the reason, and confirms nothing."""
        current = await self._store.find(task.id)
        if current is not None and current.state is TaskState.CANCELLING:
            await self._stopped(task)
        else:
            await self._end(task, TaskState.FAILED, Outcome(error=advice))

    async def _reach(self, task_id: str, to: TaskState) -> Task:
        """Move it on, unless an earlier process came as far before it was killed (TASK-3)."""
        current = await self._store.find(task_id)
        if current is not None and current.state in (to, TaskState.FINALIZING):
            return current
        task = await self._store.move(task_id, to, self._clock.now())
        await self._tell(task)
        return task

    async def _stopped(self, task: Task) -> None:
        try:
            await self._workers[task.kind].confirm_stop(task)
        except StopFailed as failure:
            await self._end(task, TaskState.FAILED, Outcome(error=failure.advice))
        else:
            await self._end(task, TaskState.CANCELLED)

    async def _end(self, task: Task, to: TaskState, outcome: Outcome | None = None) -> Task | None:
        """Move it to its end; one that is being stopped meanwhile ends as stopped."""
        for wait_s in _STORED_AGAIN_AFTER_S:
            try:
                ended = await self._moved_to_end(task, to, outcome)
                break
            except StorageFailed as failure:
                _log.warning("end of a task not stored", task=task.id, reason=failure.reason)
                await self._clock.sleep(wait_s)
        else:
            ended = await self._moved_to_end(task, to, outcome)
        if ended is None or ended.state not in FINAL:
            return ended
        _log.info("task ended", task=task.id, state=ended.state.value)
        await self._tell(ended)
        self._begin_due(task.request.requester.id)
        return ended

    async def _moved_to_end(self, task: Task, to: TaskState, outcome: Outcome | None) -> Task | None:
        try:
            return await self._store.move(task.id, to, self._clock.now(), outcome)
        except UnknownTask:
            return None
        except IllegalTaskMove:
            current = await self._store.find(task.id)
            if current is not None and current.state is TaskState.CANCELLING:
                return await self._store.move(task.id, TaskState.CANCELLED, self._clock.now())
            if current is not None and current.state is TaskState.DELEGATED:  # its answer came unannounced
                await self._reach(task.id, TaskState.FINALIZING)
                return await self._store.move(task.id, to, self._clock.now(), outcome)
            return None

    async def _tell(self, task: Task) -> None:
        for listener in self._listeners:
            await listener(task)
