"""Tasks that were told long ago go, with their recorded steps (TASK-35)."""

from datetime import datetime

from recipes.tasks.desk import TaskDesk
from recipes.tasks.task_store import TaskRetention


class SettledTasks:
    """The `Retention` of tasks."""

    def __init__(self, store: TaskRetention, desk: TaskDesk) -> None:
        self._store = store
        self._desk = desk

    async def forget_settled(self, before: datetime) -> int:
        """See `Retention`; what is open or not told of yet stays, however old."""
        gone = await self._store.forget_over(before)
        await self._desk.forgotten(gone)
        return len(gone)
