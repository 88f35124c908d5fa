"""How a tool may be used: each rule is optional, and each breach becomes a result that the model can read."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from core.tools.context import ToolContext


class RepeatPolicy(StrEnum):
    """What an identical call of the same turn gets: same tool, same arguments (CORE-17)."""

    RUN_AGAIN = "run_again"
    SAME_RESULT = "same_result"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolPolicy:
    """Rules of one tool.

    `available` hides the tool and refuses a call at the same time (CORE-41). `permit` is asked before each
    call with the validated arguments and returns why not, in words for the model, or None.
    `result_limit` counts code points; a longer result is cut with a note.
    """

    available: Callable[[ToolContext], bool] | None = None
    permit: Callable[[ToolContext, Any], Awaitable[str | None]] | None = None
    result_limit: int = 20_000
    repeat: RepeatPolicy = RepeatPolicy.RUN_AGAIN
    timeout_s: float = 30.0
