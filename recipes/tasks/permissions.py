"""Asks people for consent, and hands it on (TASK-9): one policy for buttons, commands, voice and the model.

Nothing of it is stored: what was granted and what waits ends with the process.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

import structlog

from core.clock import Clock
from core.identifiers import NewId
from recipes.tasks.permission_rules import (
    Decision,
    PermissionBook,
    PermissionRequest,
    Settled,
    asked,
    bounded_detail,
    bounded_title,
    decided,
    task_over,
    withdrawn,
)
from recipes.tasks.task import Task

_log = structlog.get_logger()
_ID_LENGTH: Final = 6

Shows = Callable[[PermissionRequest, Task], Awaitable[None]]
"""Shows a request to the people who may decide; raises nothing."""


class Permissions:
    """One for the process."""

    def __init__(self, *, clock: Clock, new_id: NewId) -> None:
        self._clock = clock
        self._new_id = new_id
        self._book = PermissionBook()
        self._waiting: dict[str, asyncio.Future[bool]] = {}
        self._shows: Shows | None = None

    def show_by(self, shows: Shows | None) -> None:
        """Show requests so from now on."""
        self._shows = shows

    async def ask(self, task: Task, *, title: str, detail: str) -> bool:
        """Whether the task may do that once; waits for people as long as it takes."""
        request = PermissionRequest(
            id=self._new_id("perm", self._clock.now())[-_ID_LENGTH:],
            task_id=task.id,
            session_id=task.request.place.session_id,
            requester_id=task.request.requester.id,
            title=bounded_title(title),
            detail=bounded_detail(detail),
            asked_at=self._clock.now(),
        )
        self._book, granted = asked(self._book, request)
        if granted:
            return True
        answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting[request.id] = answer
        try:
            if self._shows is not None:
                await self._shows(request, task)
            return await answer
        finally:
            del self._waiting[request.id]
            self._book = withdrawn(self._book, request.id)

    def pending(self, session_id: str) -> tuple[PermissionRequest, ...]:
        """What waits in a scene, oldest first."""
        return tuple(one for one in self._book.pending if one.session_id == session_id)

    def of_task(self, task_id: str) -> PermissionRequest | None:
        """The oldest request of a task that waits."""
        return next((one for one in self._book.pending if one.task_id == task_id), None)

    def find(self, permission_id: str) -> PermissionRequest | None:
        """A request that waits, by its id."""
        return next((one for one in self._book.pending if one.id == permission_id), None)

    def decide(
        self, permission_id: str | None, decision: Decision, *, session_id: str | None = None
    ) -> Settled:
        """Decide; who may was looked at before.

        Raises:
            NotDecided: nothing was authorised.
        """
        self._book, settled = decided(self._book, permission_id, decision, session_id=session_id)
        self._answer(settled.ids, approved=settled.approved)
        _log.info("permission decided", task=settled.named.task_id, decision=decision.value)
        return settled

    def task_over(self, task_id: str) -> None:
        """Its grants end, and what it still asked for is refused."""
        self._book, gone = task_over(self._book, task_id)
        self._answer(gone, approved=False)

    def _answer(self, ids: tuple[str, ...], *, approved: bool) -> None:
        for permission_id in ids:
            answer = self._waiting.get(permission_id)
            if answer is not None and not answer.done():
                answer.set_result(approved)
