"""Questions of the backend that wait for an answer of whoever asked for the work (TASK-22)."""

import asyncio
from collections.abc import Callable
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


Shows = Callable[[PendingInput], None]
"""Brings a question to its person, beside whoever asks; raises nothing."""


class PendingInputs:
    """One for the process: a question ends with its task, and with the process."""

    def __init__(self, *, clock: Clock) -> None:
        self._clock = clock
        self._waiting: dict[str, tuple[PendingInput, asyncio.Future[str]]] = {}
        self._shows: Shows | None = None

    def show_by(self, shows: Shows | None) -> None:
        """Bring questions to people so from now on."""
        self._shows = shows

    async def ask(self, task: Task, question: str) -> str:
        """The answer; waits for people as long as it takes."""
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        asked = PendingInput(task=task, question=bounded_detail(question), asked_at=self._clock.now())
        self._waiting[task.id] = (asked, answer)
        if self._shows is not None:
            self._shows(asked)
        try:
            return await answer
        finally:
            self._waiting.pop(task.id, None)

    def waits(self, task_id: str) -> bool:
        """Whether the task's question waits for its answer."""
        return task_id in self._waiting

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
