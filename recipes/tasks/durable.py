"""Durable runs on DBOS Transact (TASK-3, TASK-35). The one file that knows it.

What DBOS would do by itself and must not: hash the source into a version (a changed comment would strand
what is pending), pickle values, read `DBOS*` variables, print with a handler of its own, and keep the loop's
default executor after its end. It is imported and launched when the first task needs it: a bot without
tasks pays neither the time nor the threads.

Runs are started directly and not through its queues: a queue counts work as running until it returns, and
delegated work must let the next one begin long before (TASK-25). After a crash DBOS hands unfinished runs
back by itself, through a queue of its own that it polls once a second.
"""

import asyncio
import json
import logging
import os
from asyncio.events import _set_running_loop  # pyright: ignore[reportPrivateUsage] # for makers of loops
from collections.abc import Callable, Coroutine, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context
from types import TracebackType
from typing import Any, Final, Self

from dbos import DBOS, DBOSConfig, SetWorkflowID
from dbos._serialization import Serializer

from recipes.tasks.steps import Body, Work, outcome_from, outcome_of

_NAME: Final = "parley"
_VERSION: Final = "1"
"""Of what is recorded. Raise it by hand when old records cannot be gone on with."""

_WORKFLOW: Final = "parley.task"
_MOST_THREADS: Final = 16


_GOES_ON: Final = ("PENDING", "ENQUEUED", "DELAYED")


class RunOver(Exception):
    """A run of that id ended already; what it left behind is all there will be."""


class _Json(Serializer):
    """Values are JSON text; nothing that is read back can run."""

    def serialize(self, data: Any) -> str:
        return json.dumps(data, default=_words)

    def deserialize(self, serialized_data: str) -> Any:
        return json.loads(serialized_data)

    def name(self) -> str:
        return "parley_json"


class DbosSteps:
    """The `Steps` of the run that calls. `ends`: the process does, so a step is cut, and has not failed."""

    def __init__(self, ends: Callable[[], bool]) -> None:
        self._ends = ends

    async def run(self, name: str, work: Work) -> str:
        """See `Steps`."""
        try:
            recorded = await DBOS.run_step_async({"name": name}, outcome_of, work)
        except Exception as error:
            if self._ends():
                raise asyncio.CancelledError from error
            raise
        return outcome_from(recorded).value()


class DbosRuns:
    """`DurableRuns`; one in a process, used as an async context manager.

    Args:
        url: of its database, as SQLAlchemy reads it; a file of its own where it is SQLite.
        body: what each run does.
        slot: the process slot, whose unfinished runs this process takes over.
    """

    def __init__(self, *, url: str, body: Body, slot: str = "0") -> None:
        self._config = DBOSConfig(
            name=_NAME,
            system_database_url=url,
            application_version=_VERSION,
            executor_id=f"slot-{slot}",
            serializer=_Json(),
            log_level="ERROR",
            enable_otlp=False,
            max_executor_threads=_MOST_THREADS,
        )
        self._body = body
        self._running: set[asyncio.Task[Any]] = set()
        self._ends = False

    async def __aenter__(self) -> Self:
        await asyncio.to_thread(self._launch, asyncio.get_running_loop())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Cut what runs, without an ending: the next start goes on with it.

        What DBOS is about to begin is cut as soon as it comes here.
        """
        self._ends = True
        for task in self._running:
            task.cancel()
        if self._running:
            await asyncio.wait(self._running)
        own = ThreadPoolExecutor()
        asyncio.get_running_loop().set_default_executor(own)
        await asyncio.to_thread(DBOS.destroy, destroy_registry=True)

    async def start(self, run_id: str) -> None:
        """See `DurableRuns`. Raises `RunOver`: it ended already."""
        await self._apart(self._start(run_id))

    async def forget(self, run_ids: Iterable[str]) -> None:
        """See `DurableRuns`."""
        if found := list(run_ids):
            await self._apart(DBOS.delete_workflows_async(found))

    async def _start(self, run_id: str) -> None:
        known = await DBOS.get_workflow_status_async(run_id)
        if known is not None and known.status not in _GOES_ON:
            raise RunOver(run_id)
        with SetWorkflowID(run_id):
            await DBOS.start_workflow_async(self._workflow, run_id)

    async def _apart(self, work: Coroutine[Any, Any, None]) -> None:
        """Outside any run: whoever calls may stand in one, and DBOS would make this a step of that one."""
        failures: list[Exception] = []

        async def done() -> None:
            try:
                await work
            except Exception as error:  # noqa: BLE001 - it is the caller's
                failures.append(error)

        async with asyncio.TaskGroup() as tasks:
            doing = tasks.create_task(done(), context=Context())
            doing.add_done_callback(lambda _: work.close())  # cut before its first step it never began
        if failures:
            raise failures[0]

    def _launch(self, loop: asyncio.AbstractEventLoop) -> None:
        """In a thread that shows the bot's loop as its own: DBOS runs what it recovers on the loop it sees.

        It would hold up the loop for a tenth of a second.
        """
        for name in [name for name in os.environ if name.startswith("DBOS")]:
            del os.environ[name]
        logging.getLogger("dbos").addHandler(logging.NullHandler())  # else it adds one that prints
        DBOS(config=self._config)

        async def run(run_id: str) -> None:
            await self._run(run_id)

        self._workflow = DBOS.workflow(name=_WORKFLOW, max_recovery_attempts=None)(run)
        _set_running_loop(loop)
        try:
            DBOS.launch()
        finally:
            _set_running_loop(None)

    async def _run(self, run_id: str) -> None:
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("runs are tasks")
        self._running.add(task)
        try:
            if self._ends:
                raise asyncio.CancelledError
            await self._body(run_id, DbosSteps(lambda: self._ends))
        finally:
            self._running.discard(task)


def _words(value: object) -> str:
    return type(value).__name__
