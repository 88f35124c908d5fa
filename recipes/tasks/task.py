"""A task: the receipt for work that was accepted (TASK-2). Values only.

It holds what was asked for, by whom and where, how far it is, and what came of it. How a backend works inside
is none of its business.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from core.conversation.turns import Speaker
from recipes.run_scene import Place

MOST_TITLE: Final = 100


class TaskKind(StrEnum):
    """What does the work: a recipe in a space of its own, the backend agent (TASK-1), or the clock."""

    RECIPE = "recipe"
    DELEGATED = "delegated"
    REMINDER = "reminder"


class TaskState(StrEnum):
    """How far it is; the moves between them stand in `task_rules.py`."""

    QUEUED = "queued"
    RUNNING = "running"
    DELEGATED = "delegated"
    FINALIZING = "finalizing"
    CANCELLING = "cancelling"
    COMPLETED = "completed"
    CANCELLED = "cancelled"
    FAILED = "failed"


class NewsState(StrEnum):
    """Whether the people know how it ended.

    `waiting`: nobody was told. `posted`: the room has it, the conversation does not. `told`: both have it.
    `kept`: nobody could be told; whoever asks for the result gets it (TASK-11).
    """

    WAITING = "waiting"
    POSTED = "posted"
    TOLD = "told"
    KEPT = "kept"


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskInput:
    """An image, recording or file that the work needs (TASK-5); one of `path`, `url` and `text` says where.

    `path` lies within the folder of media, `text` is the whole of a text file.
    """

    name: str
    media_type: str
    path: str | None = None
    url: str | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """Something that was made, beside the text: a file, as it came (TASK-24)."""

    name: str
    media_type: str
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskResult:
    """What came of a task. How it is shown is the scene's business."""

    text: str
    artifacts: tuple[Artifact, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRequest:
    """What was asked for, and everything that is needed to do it later.

    Attributes:
        title: the recipe's name, or the objective in short; shown to people.
        message: the one instruction that whoever does the work reads.
        recipe_form: the recipe as it stood, as JSON; empty for a backend.
        recipe_name: its name; empty for a backend.
        asked_by: the id of the turn that the result answers; None where no turn asked.
        inputs: what was attached when it was asked for, and earlier inputs that it depends on.
        due_at: when a reminder is due; None for everything else.
    """

    title: str
    message: str
    place: Place
    requester: Speaker
    asked_by: str | None = None
    recipe_name: str = ""
    recipe_form: str = ""
    inputs: tuple[TaskInput, ...] = ()
    due_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A task as it stands.

    Attributes:
        key: the same for a request that comes again, so that it makes one task.
        short_id: what people and models call it.
        result: what came of it as text, whole; None until it is completed.
        artifacts: what came of it as files.
        error: one sentence, when it failed.
        announced: how often bringing the news was tried.
    """

    id: str
    key: str
    kind: TaskKind
    request: TaskRequest
    state: TaskState
    created_at: datetime
    updated_at: datetime
    result: str | None = None
    error: str | None = None
    artifacts: tuple[Artifact, ...] = ()
    news: NewsState = NewsState.WAITING
    announced: int = 0

    @property
    def short_id(self) -> str:
        """Six characters of the id."""
        return short_id_of(self.id)


def short_id_of(task_id: str) -> str:
    """The part of a task's id that people type."""
    return task_id[-6:]
