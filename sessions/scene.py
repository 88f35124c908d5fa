"""Scenes: the persistent sessions that channels and the console are bound to (SCENE-1, SCENE-2)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from sessions.bindings import Binding

SESSION_RESET = "session_reset"
CHANNEL_DELETED = "channel_deleted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One scene as it stands.

    `generation` starts at 0 and is raised by each reset: work that began in an older one is stale (CORE-18).
    `reset_at` is when that was last: what stands in the room from before stays forgotten.
    `closed_at` is set once the channel is gone.
    """

    binding: Binding
    generation: int
    created_at: datetime
    reset_at: datetime | None = None
    closed_at: datetime | None = None

    @property
    def session_id(self) -> str:
        """The binding's session id."""
        return self.binding.session_id


class Sessions(Protocol):
    """Opens, resets and closes scenes."""

    async def open(self, binding: Binding, now: datetime) -> Session:
        """The session of this binding, made when it is the first input there. Cheap to call per message."""
        ...

    async def reset(self, session_id: str, now: datetime) -> Session:
        """Forgets the history and raises the generation, in one step.

        The turns are deleted, not hidden: a person who resets a session wants its words gone, and no later
        defect of a query can bring them back into a prompt. Messages that still wait for an answer are
        dropped (`session_reset`). Pieces of a reply that is being written stay in the outbox until their
        owner settles them.

        Raises:
            UnknownSession: it was never opened.
        """
        ...

    async def direct(self, limit: int) -> tuple[Session, ...]:
        """The sessions of direct messages that were opened last, newest first; for the start."""
        ...

    async def close(self, session_id: str, now: datetime) -> None:
        """The channel is gone: waiting messages are dropped and reply pieces abandoned (`channel_deleted`).

        Closing twice, or a session that was never opened, does nothing. The history stays for an export.
        """
        ...
