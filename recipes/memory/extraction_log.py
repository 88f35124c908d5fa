"""The port to the audit of extractions: which talks wait, and what came of the others (MEM-5).

A row holds counts and reasons, never what was said.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """One talk that was looked through; `outcomes` count the proposed items by what became of them."""

    session_id: str
    asked_at: datetime
    done_at: datetime
    outcomes: Mapping[str, int]


class ExtractionLog(Protocol):
    """Keeps one waiting row a session, and every finished one."""

    async def wait(self, session_id: str, at: datetime) -> None:
        """The talk up to `at` waits to be looked through; one that waits already goes on waiting."""
        ...

    async def waiting(self) -> tuple[str, ...]:
        """The sessions that wait, in the order in which they came."""
        ...

    async def finish(self, extraction: Extraction) -> None:
        """It was looked through; it waits no more."""
        ...

    async def finished(self, session_id: str) -> tuple[Extraction, ...]:
        """The latest twenty of a session, newest first."""
        ...


class ExtractionsInMemory:
    """`ExtractionLog` that nothing outlives."""

    def __init__(self) -> None:
        self._waiting: dict[str, datetime] = {}
        self._finished: list[Extraction] = []

    async def wait(self, session_id: str, at: datetime) -> None:
        """See `ExtractionLog`."""
        self._waiting.setdefault(session_id, at)

    async def waiting(self) -> tuple[str, ...]:
        """See `ExtractionLog`."""
        return tuple(self._waiting)

    async def finish(self, extraction: Extraction) -> None:
        """See `ExtractionLog`."""
        self._waiting.pop(extraction.session_id, None)
        self._finished.append(extraction)

    async def finished(self, session_id: str) -> tuple[Extraction, ...]:
        """See `ExtractionLog`."""
        return tuple(one for one in self._finished[::-1] if one.session_id == session_id)[:20]
