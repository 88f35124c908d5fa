"""What was said in a session, found by its words, however long ago."""

from collections.abc import Sequence
from typing import Protocol

from sessions.history import StoredTurn


class PastTurns(Protocol):
    """Searches whole histories; it is for a question about them, not for every message."""

    async def holding(self, session_id: str, words: Sequence[str], limit: int) -> tuple[StoredTurn, ...]:
        """The latest `limit` turns in which one of the words may stand, newest first.

        Words stand in a turn's text or in anything else that is recorded of it: whoever asks looks again.
        """
        ...

    async def is_longer_than(self, session_id: str, count: int) -> bool:
        """Whether the session has more turns; its cost does not grow with them."""
        ...
