"""Questions of the backend that wait for an answer of whoever asked for the work (TASK-22)."""

import asyncio
from dataclasses import dataclass
from datetime import datetime

from core.clock import Clock
from recipes.tasks.permission_rules import bounded_detail
from recipes.tasks.task import Task


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingInput:
    """A question that waits."""

    task: Task
    question: str
    asked_at: datetime


class PendingInputs:
    """One for the process: a question ends with its task, and with the process."""

    def __init__(self, *, clock: Clock) -> None:
        self._clock = clock
        self._waiting: dict[str, tuple[PendingInput, asyncio.Future[str]]] = {}

    async def ask(self, task: Task, question: str) -> str:
        """The answer; waits for people as long as it takes."""
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        asked = PendingInput(task=task, question=bounded_detail(question), asked_at=self._clock.now())
        self._waiting[task.id] = (asked, answer)
        try:
            return await answer
        finally:
            self._waiting.pop(task.id, None)

    def pending(self, session_id: str) -> tuple[PendingInput, ...]:
        """What waits in a scene."""
        found = (asked for asked, _ in self._waiting.values())
        return tuple(asked for asked in found if asked.task.request.place.session_id == session_id)

    def answer(self, task_id: str, words: str) -> bool:
        """Hand an answer on; False when nothing waits for it."""
        asked = self._waiting.get(task_id)
        if asked is None or asked[1].done():
            return False
        asked[1].set_result(words)
        return True
