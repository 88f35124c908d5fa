"""Where tasks are kept, as ports: the receipts, and the ledger of what they did outside."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from recipes.tasks.task import Artifact, NewsState, Task, TaskState


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskMove:
    """A state that a task came to, and when."""

    state: TaskState
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What is stored with a move: a result when it is completed, a sentence when it failed."""

    result: str | None = None
    error: str | None = None
    artifacts: tuple[Artifact, ...] = ()


class TaskStore(Protocol):
    """Keeps receipts. What was acknowledged outlives a crash."""

    async def accept(self, task: Task) -> Task:
        """Store a new task; the one that stands already under its key instead, where there is one."""
        ...

    async def find(self, task_id: str) -> Task | None: ...

    async def unfinished(self) -> tuple[Task, ...]:
        """Everything of this process's slot that is not over, oldest first; read at the start."""
        ...

    async def move(self, task_id: str, to: TaskState, at: datetime, outcome: Outcome | None = None) -> Task:
        """Move it, with its time and outcome, in one step.

        Raises:
            IllegalTaskMove: the table has no such move from where it stands; nothing was changed.
            UnknownTask: it is gone.
        """
        ...

    async def moves(self, task_id: str) -> tuple[TaskMove, ...]:
        """Every state it was in, in order."""
        ...


class TaskReader(Protocol):
    """What people and models ask for. Reminders are listed apart: of all, only `open_of` has them."""

    async def open_of(self, user_id: str) -> tuple[Task, ...]:
        """All of a person's that are not over, oldest first."""
        ...

    async def of_person(self, user_id: str, limit: int) -> tuple[Task, ...]:
        """Their latest tasks, newest first."""
        ...

    async def of_guild(self, guild_id: str, limit: int) -> tuple[Task, ...]:
        """The latest tasks that were asked for in a server, newest first."""
        ...

    async def latest(self, limit: int) -> tuple[Task, ...]:
        """The latest tasks of the deployment, newest first."""
        ...


class TaskNews(Protocol):
    """Whose end nobody was told of yet."""

    async def untold(self) -> tuple[Task, ...]:
        """Tasks that are over and whose news is `waiting` or `posted`, oldest first."""
        ...

    async def claim(self, task_id: str, owner: str, until: datetime, now: datetime) -> bool:
        """Take the telling of one task until then, or renew it; False while another process has it."""
        ...

    async def set_news(self, task_id: str, news: NewsState, *, announced: int) -> None:
        """Note how far the telling is."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """Something done outside.

    `receipt` is what it left there, None while nobody knows of any. `is_new`: noted for the first time.
    """

    key: str
    intended_at: datetime
    receipt: str | None = None
    is_new: bool = False


class EffectsLedger(Protocol):
    """Intent before, result after (TASK-3): what has an intent and no receipt is verified, never repeated."""

    async def intend(self, task_id: str, key: str, at: datetime) -> Effect:
        """Note that `key` is about to happen; what is noted already comes back as it stands."""
        ...

    async def settle(self, task_id: str, key: str, receipt: str) -> None:
        """Note that it happened."""
        ...

    async def effects(self, task_id: str) -> Sequence[Effect]:
        """All of a task, in order."""
        ...


class TaskPersons(Protocol):
    """What tasks hold of people."""

    async def tasks_of(self, user_id: str) -> tuple[Task, ...]:
        """Everything that they asked for."""
        ...

    async def forget_tasks_of(self, user_id: str) -> tuple[str, ...]:
        """Remove it; returns the ids."""
        ...


class TaskRetention(Protocol):
    """Forgets what nobody asks for any more."""

    async def forget_over(self, before: datetime) -> tuple[str, ...]:
        """Remove tasks that were over and told of before that moment; returns their ids."""
        ...


class UnknownTask(Exception):
    """There is no such task (any more)."""
