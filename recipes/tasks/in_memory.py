"""The stores of tasks in memory: nothing outlives the process, everything else is the same."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from recipes.tasks.task import NewsState, Task, TaskKind, TaskState
from recipes.tasks.task_rules import FINAL, moved
from recipes.tasks.task_store import Effect, Outcome, TaskMove, UnknownTask


class TasksInMemory:
    """Every port of `task_store.py`."""

    def __init__(self) -> None:
        self._tasks: dict[str, Task] = {}
        self._moves: dict[str, list[TaskMove]] = {}
        self._effects: dict[str, dict[str, Effect]] = {}
        self._claims: dict[str, tuple[str, datetime]] = {}

    async def accept(self, task: Task) -> Task:
        """See `TaskStore`."""
        known = next((one for one in self._tasks.values() if one.key == task.key), None)
        if known is not None:
            return known
        self._tasks[task.id] = task
        self._moves[task.id] = [TaskMove(state=task.state, at=task.created_at)]
        return task

    async def find(self, task_id: str) -> Task | None:
        """See `TaskStore`."""
        return self._tasks.get(task_id)

    async def unfinished(self) -> tuple[Task, ...]:
        """See `TaskStore`."""
        return tuple(task for task in self._tasks.values() if task.state not in FINAL)

    async def move(self, task_id: str, to: TaskState, at: datetime, outcome: Outcome | None = None) -> Task:
        """See `TaskStore`."""
        task = self._tasks.get(task_id)
        if task is None:
            raise UnknownTask(task_id)
        came = outcome or Outcome()
        self._tasks[task_id] = replace(
            task,
            state=moved(task.state, to),
            updated_at=at,
            result=came.result,
            error=came.error,
            artifacts=came.artifacts,
        )
        self._moves[task_id].append(TaskMove(state=to, at=at))
        return self._tasks[task_id]

    async def moves(self, task_id: str) -> tuple[TaskMove, ...]:
        """See `TaskStore`."""
        return tuple(self._moves.get(task_id, ()))

    async def open_of(self, user_id: str) -> tuple[Task, ...]:
        """See `TaskReader`."""
        return tuple(task for task in await self.tasks_of(user_id) if task.state not in FINAL)

    async def of_person(self, user_id: str, limit: int) -> tuple[Task, ...]:
        """See `TaskReader`."""
        return tuple(task for task in self._newest() if task.request.requester.id == user_id)[:limit]

    async def of_guild(self, guild_id: str, limit: int) -> tuple[Task, ...]:
        """See `TaskReader`."""
        return tuple(task for task in self._newest() if task.request.place.guild_id == guild_id)[:limit]

    async def latest(self, limit: int) -> tuple[Task, ...]:
        """See `TaskReader`."""
        return self._newest()[:limit]

    async def untold(self) -> tuple[Task, ...]:
        """See `TaskNews`."""
        waits = (NewsState.WAITING, NewsState.POSTED)
        return tuple(task for task in self._tasks.values() if task.state in FINAL and task.news in waits)

    async def claim(self, task_id: str, owner: str, until: datetime, now: datetime) -> bool:
        """See `TaskNews`."""
        held = self._claims.get(task_id)
        if held is not None and held[0] != owner and held[1] > now:
            return False
        self._claims[task_id] = (owner, until)
        return True

    async def set_news(self, task_id: str, news: NewsState, *, announced: int) -> None:
        """See `TaskNews`."""
        if task_id in self._tasks:
            self._tasks[task_id] = replace(self._tasks[task_id], news=news, announced=announced)

    async def intend(self, task_id: str, key: str, at: datetime) -> Effect:
        """See `EffectsLedger`."""
        if task_id not in self._tasks:
            raise UnknownTask(task_id)
        effects = self._effects.setdefault(task_id, {})
        if key in effects:
            return effects[key]
        effects[key] = Effect(key=key, intended_at=at)
        return replace(effects[key], is_new=True)

    async def settle(self, task_id: str, key: str, receipt: str) -> None:
        """See `EffectsLedger`."""
        effects = self._effects.get(task_id, {})
        if key in effects:
            effects[key] = replace(effects[key], receipt=receipt)

    async def effects(self, task_id: str) -> Sequence[Effect]:
        """See `EffectsLedger`."""
        return tuple(self._effects.get(task_id, {}).values())

    async def tasks_of(self, user_id: str) -> tuple[Task, ...]:
        """See `TaskPersons`."""
        return tuple(task for task in self._tasks.values() if task.request.requester.id == user_id)

    async def forget_tasks_of(self, user_id: str) -> tuple[str, ...]:
        """See `TaskPersons`."""
        gone = tuple(task.id for task in await self.tasks_of(user_id))
        self._remove(gone)
        return gone

    async def forget_over(self, before: datetime) -> tuple[str, ...]:
        """See `TaskRetention`."""
        told = (NewsState.TOLD, NewsState.KEPT)
        over = [task for task in self._tasks.values() if task.state in FINAL and task.news in told]
        gone = tuple(task.id for task in over if task.updated_at < before)
        self._remove(gone)
        return gone

    def _remove(self, task_ids: Sequence[str]) -> None:
        for task_id in task_ids:
            for kept in (self._tasks, self._moves, self._effects, self._claims):
                kept.pop(task_id, None)

    def _newest(self) -> tuple[Task, ...]:
        return tuple(task for task in reversed(self._tasks.values()) if task.kind is not TaskKind.REMINDER)
