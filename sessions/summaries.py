"""What stands in place of a session's older turns (CORE-28). The turns themselves stay stored."""

from dataclasses import dataclass
from typing import Protocol

from core.conversation.turns import InvokedSkill


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSummary:
    """A summary of every turn up to `position`, that one included; `skills` are verbatim."""

    position: int
    text: str
    skills: tuple[InvokedSkill, ...] = ()


class Summaries(Protocol):
    """One summary a session: a newer one takes the place of the older."""

    async def latest(self, session_id: str) -> StoredSummary | None:
        """The summary, or None while the session has none. Cheap to call per run."""
        ...

    async def keep(self, session_id: str, generation: int, summary: StoredSummary) -> None:
        """Stores the summary; a reset of the session forgets it together with the turns.

        Raises:
            StaleGeneration: the session was reset; nothing was stored.
            UnknownSession: it was never opened.
        """
        ...
