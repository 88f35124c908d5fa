"""One short phrase when the answer takes its time (VOX-20).

A reply thinks, works with a tool, has acknowledged, or speaks. Its first tool that still works after
`AFTER_S` makes it acknowledge; text that comes first makes the phrase needless, without trace.
"""

from dataclasses import dataclass, replace
from enum import Enum
from typing import Final, assert_never

AFTER_S: Final = 1.0


class Stage(Enum):
    """Where a reply is."""

    THINKING = "thinking"
    WORKING = "working"
    ACKNOWLEDGED = "acknowledged"
    SPEAKING = "speaking"


@dataclass(frozen=True, slots=True, kw_only=True)
class Acknowledging:
    """One reply; `tools` work now, the first of them since `since`."""

    stage: Stage = Stage.THINKING
    tools: int = 0
    since: float = 0.0

    @property
    def deadline(self) -> float | None:
        """When the phrase is due."""
        return self.since + AFTER_S if self.stage is Stage.WORKING else None


@dataclass(frozen=True, slots=True)
class ToolBegan:
    """A tool or a task works."""

    at: float


@dataclass(frozen=True, slots=True)
class ToolSettled:
    """It has a result."""

    at: float


@dataclass(frozen=True, slots=True)
class AnswerGrew:
    """The answer has text that will be spoken, or the reply is over."""

    at: float


@dataclass(frozen=True, slots=True)
class TimePassed:
    """The deadline, or any later moment."""

    at: float


ReplyProgress = ToolBegan | ToolSettled | AnswerGrew | TimePassed


class Effect(Enum):
    """What to do with the speech that was reserved before the answer."""

    ACKNOWLEDGE = "acknowledge"
    """Say the phrase."""
    RELEASE = "release"
    """Give the place up: the answer comes first, or is over."""


def decide(state: Acknowledging, event: ReplyProgress) -> tuple[Acknowledging, Effect | None]:
    """See the module. At most one effect follows for a reply, and `ACKNOWLEDGE` at most once."""
    if state.stage in {Stage.ACKNOWLEDGED, Stage.SPEAKING}:
        return state, None
    match event:
        case AnswerGrew():
            return replace(state, stage=Stage.SPEAKING), Effect.RELEASE
        case ToolBegan():
            since = event.at if state.tools == 0 else state.since
            return replace(state, stage=Stage.WORKING, tools=state.tools + 1, since=since), None
        case ToolSettled():
            left = max(0, state.tools - 1)
            return replace(state, stage=Stage.WORKING if left else Stage.THINKING, tools=left), None
        case TimePassed():
            due = state.deadline
            if due is None or event.at < due:
                return state, None
            return replace(state, stage=Stage.ACKNOWLEDGED), Effect.ACKNOWLEDGE
        case _:
            assert_never(event)
