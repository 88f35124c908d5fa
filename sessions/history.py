"""A session's history: turns in order, a window of the latest ones, edits that follow the room's.

A position is a number that grows with each stored turn, never reused; it orders turns and says nothing else.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from core.conversation.content import UserContent
from core.conversation.turns import Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTurn:
    """A turn at its place."""

    position: int
    turn: Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadableTurn:
    """A record that this version cannot read. It is left out of prompts and stays stored as it is."""

    position: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The latest turns of a session, oldest first; `earlier` says whether there are more before them."""

    turns: tuple[StoredTurn, ...]
    unreadable: tuple[UnreadableTurn, ...] = ()
    earlier: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """How much is stored of a session; `first` is the oldest turn, None where it cannot be read."""

    records: int
    first: Turn | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundTurn:
    """The turn that a message became part of; a burst of messages makes one turn."""

    position: int
    turn: Turn
    message_ids: tuple[str, ...]


class History(Protocol):
    """Appends and reads. Appends to one session keep the order in which they were called."""

    async def append(
        self, session_id: str, generation: int, turn: Turn, message_ids: Sequence[str] = ()
    ) -> int:
        """Stores a turn at the end and returns its position. `message_ids` are the room's messages of it.

        Cancelling the wait does not take the turn back.

        Raises:
            StaleGeneration: the session was reset; nothing was stored.
            UnknownSession: it was never opened.
            ValueError: a turn of this id is already there.
        """
        ...

    async def window(self, session_id: str, limit: int) -> Window:
        """The latest `limit` records, at a cost that does not grow with the session's length (CORE-28)."""
        ...

    async def find(self, session_id: str, message_id: str) -> FoundTurn | None:
        """The turn of a room's message, or None.

        Raises:
            TurnUnreadable: it is there, and this version cannot read it.
        """
        ...


class HistoryEdits(Protocol):
    """Changes to what was stored. Positions stay; a change to an older generation finds nothing."""

    async def replace_content(self, session_id: str, turn_id: str, content: tuple[UserContent, ...]) -> None:
        """Gives a user turn other content: the person edited the message (SCENE-4).

        Raises:
            UnknownTurn: no user turn of this id.
            TurnUnreadable: this version cannot read it, so it is left alone.
        """
        ...

    async def remove(self, session_id: str, turn_id: str) -> bool:
        """Takes a turn out: the message was deleted. False when it was not there."""
        ...

    async def edit_result(self, session_id: str, invocation_id: str, result: str) -> None:
        """Changes a tool result and voids the native items that were built on the old one (CORE-9).

        Raises:
            UnknownTurn: no such invocation.
        """
        ...


class HistoryExport(Protocol):
    """What people are shown of a history, and the way out to other systems."""

    async def extent(self, session_id: str) -> Extent:
        """How much is stored; it counts, so it is for a person who asks, not for every message."""
        ...

    def exported_turns(self, session_id: str) -> AsyncIterator[Turn]:
        """All readable turns in order, but for those that stay on this deployment (CORE-39, REC-9)."""
        ...
