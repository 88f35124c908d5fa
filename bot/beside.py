"""Work beside something that lasts: it ends with it, and what breaks in it must not end it."""

import asyncio
from collections.abc import Coroutine
from types import TracebackType
from typing import Self

import structlog

_log = structlog.get_logger()


class Beside:
    """An async context, whose end cancels what still runs. `owner` names it in the log."""

    def __init__(self, owner: str) -> None:
        self._owner = owner
        self._tasks = asyncio.TaskGroup()
        self._running: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        await self._tasks.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for task in tuple(self._running):
            task.cancel()
        await self._tasks.__aexit__(kind, error, trace)

    def run(self, work: Coroutine[None, None, None], name: str) -> None:
        """Begin it; what it raises is logged under `name`."""
        task = self._tasks.create_task(self._reported(work, name), name=f"{name} of {self._owner}")
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        task.add_done_callback(lambda _: work.close())  # cut before its first step it never began

    async def _reported(self, work: Coroutine[None, None, None], name: str) -> None:
        try:
            await work
        except Exception as error:  # noqa: BLE001 - what it runs beside goes on without it
            _log.warning("failed beside", owner=self._owner, what=name, error=type(error).__name__)
