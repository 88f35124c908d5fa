"""The states of a task, every move between them, and who may see and stop it (TASK-2, TASK-3, TASK-13). Pure.

    queued -> running -> completed
              running -> delegated -> finalizing -> completed
    any but a final one -> cancelling -> cancelled
    any but a final one -> failed

`completed`, `cancelled` and `failed` are final.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from recipes.run_scene import Place, Standing
from recipes.tasks.task import Task, TaskKind, TaskState

MOST_AT_ONCE: Final = 4
"""Recipe tasks of one person that run side by side."""

MOST_OPEN: Final = 20
"""Tasks of one person and one kind that are not over."""

_OPEN_MOVES: Final = frozenset({TaskState.CANCELLING, TaskState.FAILED})

MOVES: Final[Mapping[TaskState, frozenset[TaskState]]] = {
    TaskState.QUEUED: _OPEN_MOVES | {TaskState.RUNNING},
    TaskState.RUNNING: _OPEN_MOVES | {TaskState.COMPLETED, TaskState.DELEGATED},
    TaskState.DELEGATED: _OPEN_MOVES | {TaskState.FINALIZING},
    TaskState.FINALIZING: _OPEN_MOVES | {TaskState.COMPLETED},
    TaskState.CANCELLING: frozenset({TaskState.CANCELLED, TaskState.FAILED}),
    TaskState.COMPLETED: frozenset(),
    TaskState.CANCELLED: frozenset(),
    TaskState.FAILED: frozenset(),
}

FINAL: Final = frozenset(state for state, following in MOVES.items() if not following)
_HOLDS_LANE: Final = frozenset({TaskState.RUNNING, TaskState.FINALIZING, TaskState.CANCELLING})


class IllegalTaskMove(Exception):
    """The table has no such move; whoever wanted it came too late, or is a defect."""


def moved(state: TaskState, to: TaskState) -> TaskState:
    """The next state.

    Raises:
        IllegalTaskMove: there is no such move.
    """
    if to not in MOVES[state]:
        raise IllegalTaskMove(f"a task cannot go from {state} to {to}")
    return to


def is_open(task: Task) -> bool:
    """Whether it is not over."""
    return task.state not in FINAL


def shown_state(state: TaskState) -> str:
    """The state in words for people: waiting and running look the same, without a position (TASK-30)."""
    if state in FINAL:
        return state.value
    return "stopping" if state is TaskState.CANCELLING else "processing"


def next_to_start(tasks: Sequence[Task], *, most_at_once: int = MOST_AT_ONCE) -> tuple[Task, ...]:
    """The queued tasks of one person that may begin now; `tasks` are their open ones, oldest first.

    Recipes run side by side up to a limit. Work for the backend is strictly first come, first served, one at
    a time; work that was handed on inside the backend holds nobody up (TASK-3, TASK-25).
    """
    recipes = [task for task in tasks if task.kind is TaskKind.RECIPE]
    running = sum(task.state is not TaskState.QUEUED for task in recipes)
    begins = [task for task in recipes if task.state is TaskState.QUEUED][: max(0, most_at_once - running)]
    begins += [task for task in tasks if task.kind is TaskKind.REMINDER and task.state is TaskState.QUEUED]
    delegated = [task for task in tasks if task.kind is TaskKind.DELEGATED]
    if not any(task.state in _HOLDS_LANE for task in delegated):
        begins += [task for task in delegated if task.state is TaskState.QUEUED][:1]
    return tuple(begins)


def may_see(task: Task, *, user_id: str, standing: Standing, place: Place) -> bool:
    """Whether somebody sees a task, asking from `place`: their own, a manager their server's, the owner all.

    A task of a private channel or a direct message shows nothing of itself elsewhere, but to its requester
    and the owner.
    """
    if standing is Standing.OWNER or task.request.requester.id == user_id:
        return True
    asked_in = task.request.place
    same_guild = asked_in.guild_id is not None and asked_in.guild_id == place.guild_id
    if standing is not Standing.MANAGER or not same_guild:
        return False
    return not asked_in.is_private or asked_in.channel_id == place.channel_id


def may_stop(task: Task, *, user_id: str, standing: Standing, place: Place) -> bool:
    """Whether they may stop it, or have it done again: whoever sees it (TASK-13)."""
    return may_see(task, user_id=user_id, standing=standing, place=place)


def may_tell(task: Task, place: Place) -> bool:
    """Whether a task may be spoken of in `place`: never where more people hear it than where it began.

    What somebody is shown alone is no matter of this.
    """
    asked_in = task.request.place
    if place.guild_id is None or place.channel_id == asked_in.channel_id:
        return True
    return asked_in.guild_id == place.guild_id and not asked_in.is_private


def named(tasks: Iterable[Task], wanted: str) -> Task | None:
    """The task that somebody means by its short id, as it is typed."""
    sought = wanted.strip().strip("`#").casefold()
    return next((task for task in tasks if sought and sought in (task.short_id, task.id)), None)


def only_open(tasks: Iterable[Task]) -> Task | None:
    """The one open task, where there is exactly one: "stop the research" then needs no id."""
    found = [task for task in tasks if is_open(task)]
    return found[0] if len(found) == 1 else None
