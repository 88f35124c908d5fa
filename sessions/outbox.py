"""The outbox: one row per reply piece, written before its first request, finished after its last (TEXT-11).

The text of a piece is not stored: after a crash the reply is generated anew into the message of its row.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from sessions.outbox_rules import PieceState


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedPiece:
    """A piece that is about to be posted. `number` counts from 0 within its reply."""

    reply_id: str
    number: int
    session_id: str
    channel_id: str
    nonce: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxPiece:
    """A piece and where it stands; `message_id` is the posted message, `reason` why it was abandoned."""

    reply_id: str
    number: int
    session_id: str
    channel_id: str
    nonce: str
    at: datetime
    state: PieceState
    message_id: str | None = None
    reason: str | None = None


class Outbox(Protocol):
    """Follows the pieces of a reply. They are settled by `Replies`, together with what belongs to them."""

    async def plan(self, piece: PlannedPiece) -> OutboxPiece:
        """Stores the piece before its first request; one that is known already is returned as it stands.

        Raises:
            UnknownSession: its session was never opened.
        """
        ...

    async def posted(self, reply_id: str, number: int, message_id: str) -> None:
        """The piece is in the room.

        Raises:
            IllegalMove: it is settled or was never planned.
        """
        ...

    async def pieces(self, reply_id: str) -> tuple[OutboxPiece, ...]:
        """All pieces of a reply by number."""
        ...

    async def unsettled(self) -> tuple[OutboxPiece, ...]:
        """Planned and posted pieces in the order in which they were planned; for the start."""
        ...
