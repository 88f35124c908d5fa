"""What does the work of a task, as a port, and what it tells while it does (TASK-1, TASK-10)."""

from dataclasses import dataclass
from typing import Protocol

from core.failures import Failure
from recipes.tasks.steps import Steps
from recipes.tasks.task import Task, TaskResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Activity:
    """What happens now, in words that anybody in the room may read; `done` of `total` where that is known."""

    words: str
    done: int = 0
    total: int = 0


class TaskWatch(Protocol):
    """Told by whoever works; observability alone, it decides nothing."""

    def active(self, task_id: str, activity: Activity) -> None:
        """Something begins."""
        ...

    async def delegated(self, task_id: str) -> None:
        """The backend handed the work on inside and takes other work meanwhile (TASK-25)."""
        ...

    async def finalizing(self, task_id: str) -> None:
        """What was handed on is back, and becomes the answer."""
        ...


class TaskWorker(Protocol):
    """Does one kind of work."""

    async def result_of(self, task: Task, steps: Steps, watch: TaskWatch) -> TaskResult:
        """The whole result. Cancelling it ends the work that runs here.

        Raises:
            Failure: there is none; `advice` is the sentence for people.
        """
        ...

    async def confirm_stop(self, task: Task) -> None:
        """Returns once nothing works on it any more (TASK-12).

        Raises:
            StopFailed: it could not be stopped.
        """
        ...


class StopFailed(Failure):
    """The work goes on, or nobody knows."""
