"""The life of a reply as whole steps: each is stored completely or not at all.

begin: the messages are being answered, their turns are in the history, the first piece is planned.
commit: the assistant turn is in the history, the pieces are finished, the messages are done.
abandon: the pieces are abandoned and the messages dropped.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from core.conversation.turns import AssistantTurn, UserTurn
from sessions.outbox import PlannedPiece


@dataclass(frozen=True, slots=True, kw_only=True)
class SpokenTurn:
    """A turn that a run answers. `message_ids` are its inbox rows; a notice, voice, the console have none."""

    turn: UserTurn
    message_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BegunReply:
    """What is known when a run starts.

    Each of `turns` takes the place of a stored turn of the same id (a restarted run), or comes to the end.
    `first_piece` is None where nothing is posted (console, voice).
    """

    session_id: str
    generation: int
    run_id: str
    turns: tuple[SpokenTurn, ...]
    first_piece: PlannedPiece | None = None

    @property
    def message_ids(self) -> tuple[str, ...]:
        """The inbox rows that the run answers, in order."""
        return tuple(message_id for spoken in self.turns for message_id in spoken.message_ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class CommittedReply:
    """What was really delivered. `turn` is None when nothing of it belongs in the history.

    `replaces` is a turn that leaves the history when `turn` comes into it; one that is gone does no harm.
    """

    session_id: str
    generation: int
    reply_id: str
    message_ids: tuple[str, ...]
    turn: AssistantTurn | None
    replaces: str | None = None


class Replies(Protocol):
    """Begins and settles replies."""

    async def begin(self, reply: BegunReply) -> None:
        """Stores the start of a run in one step.

        Raises:
            StaleGeneration: the session was reset; nothing was stored.
            UnknownSession: it was never opened.
            IllegalMove: a message is finished already or was never accepted; nothing was stored.
        """
        ...

    async def commit(self, reply: CommittedReply) -> bool:
        """Stores the end of a run in one step; the turn is tied to the posted messages of its pieces.

        False when the session was reset meanwhile: the pieces are finished, the turn is not kept.

        Raises:
            UnknownSession: it was never opened.
            IllegalMove: a message is not being answered; nothing was stored.
            ValueError: a turn of this id is already there; nothing was stored.
        """
        ...

    async def abandon(self, reply_id: str, message_ids: Sequence[str], reason: str) -> None:
        """Gives the reply up for a reason. What is settled already stays as it is; twice does no harm."""
        ...
