"""Failures of scenes and their storage.

Failure
├── StorageFailed       the write or the read did not happen; a later try may work
├── DatabaseUnusable    it cannot be opened; look at its file, folder or server, and start again
├── DatabaseTooNew      written by a newer Parley; update the program, or use another data folder
└── UnboundInput        nobody said which scene this input belongs to (SCENE-8)

Exception
├── StaleGeneration     the session was reset since this work began; give the work up (CORE-18)
├── UnknownSession      no session of that id was opened; a defect of the caller
├── UnknownTurn         the turn is not (or no longer) in the history; nothing was changed
├── IllegalMove         a row cannot go from its state to that one; a defect of the caller
└── TurnUnreadable      a stored turn is broken or of a newer version; it stays stored as it is

The first group has words for the room; the second is for callers.
"""

from core.failures import Failure


class StorageFailed(Failure):
    """The database did not do it (full disk, lock held too long, lost connection). Nothing was kept."""

    def __init__(self, reason: str) -> None:
        super().__init__("I could not save that. Please try again in a moment.", reason=reason)


class DatabaseUnusable(Failure):
    """Said at start; nothing was changed."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            "The database cannot be opened. Look at the data folder or the server that is named for it.",
            reason=reason,
        )


class DatabaseTooNew(Failure):
    """Refused at start, before anything was touched."""

    def __init__(self, history: str, revision: str) -> None:
        super().__init__(
            "The database was written by a newer Parley. Update Parley, or name another data folder.",
            reason=f"unknown revision {revision} of the tables of {history}",
        )


class UnboundInput(Failure):
    """Refused: it would otherwise land in a session that is not its own."""

    def __init__(self, reason: str) -> None:
        super().__init__("This input belongs to no scene. Name its binding.", reason=reason)


class StaleGeneration(Exception):
    """The session was reset after this work began; nothing of it was stored."""

    def __init__(self, session_id: str, *, expected: int, current: int) -> None:
        super().__init__(f"{session_id} is in generation {current}, not {expected}")


class UnknownSession(Exception):
    """Open a session before writing to it."""


class UnknownTurn(Exception):
    """No such turn, or no such tool invocation, in this session."""


class IllegalMove(Exception):
    """The states and their moves stand in `inbox_rules.py` and `outbox_rules.py`."""


class TurnUnreadable(Exception):
    """The stored record cannot become a turn. The message says where and why, never what it says."""
