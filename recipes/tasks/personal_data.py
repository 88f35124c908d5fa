"""What tasks hold of a person (MEM-6): what they asked for and what came of it, and the recorded steps."""

from collections.abc import Awaitable, Callable, Iterable, Mapping

from recipes.tasks.task import Task
from recipes.tasks.task_store import TaskPersons


class TaskPersonalData:
    """Exports and forgets. `forgotten` is told which rows are gone, to end and clean up the rest."""

    def __init__(
        self,
        *,
        persons: TaskPersons,
        tables: frozenset[str],
        forgotten: Callable[[Iterable[str]], Awaitable[None]],
    ) -> None:
        self._persons = persons
        self._forgotten = forgotten
        self.tables = tables

    async def export(self, user_id: str) -> Mapping[str, object]:
        """Their tasks."""
        return {"tasks": [_form(task) for task in await self._persons.tasks_of(user_id)]}

    async def forget(self, user_id: str) -> Mapping[str, int]:
        """Remove them; what still runs ends."""
        gone = await self._persons.forget_tasks_of(user_id)
        await self._forgotten(gone)
        return {"tasks": len(gone)}


def _form(task: Task) -> dict[str, object]:
    return {
        "id": task.short_id,
        "kind": task.kind.value,
        "title": task.request.title,
        "message": task.request.message,
        "session": task.request.place.session_id,
        "state": task.state.value,
        "result": task.result,
        "error": task.error,
        "created_at": task.created_at.isoformat(),
        "updated_at": task.updated_at.isoformat(),
    }
