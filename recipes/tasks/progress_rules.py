"""The progress of a task as people see it: how often, and in which words (TASK-10, TASK-30). Pure.

It is for looking at: nothing waits for it, nothing is decided by it, and it is never spoken.
"""

from dataclasses import dataclass, replace
from typing import Final

from core.sentences import sentence
from recipes.tasks.task import Task, TaskState
from recipes.tasks.task_rules import FINAL
from recipes.tasks.work import Activity

EDIT_EVERY_S: Final = 2.0
_BAR: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class CardPacing:
    """When the card of a task was last brought up to date, in monotonic seconds; None: never."""

    shown: str = ""
    at: float | None = None


def due_in_s(pacing: CardPacing, text: str, now: float) -> float | None:
    """After how many seconds the card may show `text`; None when it does already."""
    if text == pacing.shown:
        return None
    return 0.0 if pacing.at is None else max(0.0, pacing.at + EDIT_EVERY_S - now)


def was_shown(pacing: CardPacing, text: str, now: float) -> CardPacing:
    """The card shows `text` since now."""
    return replace(pacing, shown=text, at=now)


def progress_line(task: Task, activity: Activity | None) -> str:
    """What it does now: a bar where the counts are known, else a few words."""
    if task.state in FINAL:
        return {
            TaskState.COMPLETED: sentence("finished"),
            TaskState.CANCELLED: sentence("stopped"),
            TaskState.FAILED: sentence("failed"),
        }[task.state]
    if task.state is TaskState.CANCELLING:
        return sentence("stopping")
    if activity is None:
        return sentence("processing")
    if activity.total > 0:
        done = min(activity.done, activity.total)
        filled = round(_BAR * done / activity.total)
        return sentence(
            "{filled}{bar} {done} of {total} · {words}",
            filled="▰" * filled,
            bar="▱" * (_BAR - filled),
            done=done,
            total=activity.total,
            words=activity.words,
        )
    return sentence("processing · {words}", words=activity.words)
