"""What tasks hold of a person (MEM-6): what they asked for and what came of it, and the recorded steps."""

from collections.abc import Awaitable, Callable, Iterable, Mapping

from recipes.tasks.task import Task
from recipes.tasks.task_store import TaskPersons


class TaskPersonalData:
    """Exports and forgets.

    `stop` ends what works for a person, while it is still known what that is; `forgotten` is told which rows
    are gone, to clean up the rest.
    """

    def __init__(
        self,
        *,
        persons: TaskPersons,
        stop: Callable[[str], Awaitable[None]],
        tables: frozenset[str],
        forgotten: Callable[[Iterable[str]], Awaitable[None]],
    ) -> None:
        self._persons = persons
        self._stop = stop
        self._forgotten = forgotten
        self.tables = tables

    async def export(self, user_id: str) -> Mapping[str, object]:
        """Their tasks."""
        return {"tasks": [_form(task) for task in await self._persons.tasks_of(user_id)]}

    async def forget(self, user_id: str) -> Mapping[str, int]:
        """Stop what works for them, then remove it all."""
        await self._stop(user_id)
        gone = await self._persons.forget_tasks_of(user_id)
        await self._forgotten(gone)
        return {"tasks": len(gone)}


def _form(task: Task) -> dict[str, object]:
    request = task.request
    return {
        "id": task.short_id,
        "kind": task.kind.value,
        "title": request.title,
        "message": request.message,
        "session": request.place.session_id,
        "state": task.state.value,
        "result": task.result,
        "error": task.error,
        "due_at": None if request.due_at is None else request.due_at.isoformat(),
        "attached": [{"name": one.name, "type": one.media_type, "text": one.text} for one in request.inputs],
        "made": [{"name": one.name, "type": one.media_type} for one in task.artifacts],
        "created_at": task.created_at.isoformat(),
        "updated_at": task.updated_at.isoformat(),
    }
