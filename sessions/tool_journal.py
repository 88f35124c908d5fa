"""Which tools a reply has run, so that a reply made anew after a crash does not run them again (TEXT-11).

A call is written before the tool starts and completed with its result. One without a result was cut off by a
crash: whether it took effect is unknown, and whoever resumes must not simply repeat it.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from core.conversation.turns import ToolInvocation


@dataclass(frozen=True, slots=True, kw_only=True)
class StartedTool:
    """A tool call about to run; `arguments` is the JSON text of the model."""

    reply_id: str
    invocation_id: str
    name: str
    arguments: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedTool:
    """A call of this reply, with its invocation when it came to an end."""

    started: StartedTool
    finished: ToolInvocation | None


class ToolJournal(Protocol):
    """Records the tools of unsettled replies; settling a reply forgets its records."""

    async def started(self, tool: StartedTool) -> None:
        """Called before the handler. An id that is known already changes nothing."""
        ...

    async def finished(self, reply_id: str, invocation: ToolInvocation) -> None:
        """Called after the handler.

        Raises:
            IllegalMove: it was never started.
        """
        ...

    async def recorded(self, reply_id: str) -> tuple[RecordedTool, ...]:
        """The calls of a reply in the order in which they started."""
        ...
