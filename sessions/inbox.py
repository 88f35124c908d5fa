"""The inbox: one row per message that may need an answer, written before the work starts (SCENE-7)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from sessions.inbox_rules import InboxState


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMessage:
    """A message at the door. `payload` is the adapter's own text form of it, opaque in here."""

    message_id: str
    session_id: str
    payload: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxRow:
    """A message and where it stands.

    `run_id` names the run that answers it; rows that share one are answered by one reply. `reason` says why
    a dropped one was dropped.
    """

    message_id: str
    session_id: str
    payload: str
    at: datetime
    state: InboxState
    run_id: str | None = None
    reason: str | None = None


class Inbox(Protocol):
    """Moves several messages in one step: all of them, or none."""

    async def accept(self, message: NewMessage) -> bool:
        """True when the message is new, False when it is known already, in whatever state.

        Raises:
            UnknownSession: its session was never opened.
        """
        ...

    async def begin(self, run_id: str, message_ids: Sequence[str]) -> None:
        """A run takes these messages, also over from another run.

        Raises:
            IllegalMove: one of them is finished or was never accepted; none has moved.
        """
        ...

    async def finish(self, message_ids: Sequence[str], *, dropped: str | None = None) -> None:
        """Done, or dropped for a reason.

        Raises:
            IllegalMove: as above.
        """
        ...

    async def unfinished(self) -> tuple[InboxRow, ...]:
        """Accepted and answering messages, in the order in which they were accepted; for the start."""
        ...
