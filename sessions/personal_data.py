"""What conversations hold of a person (MEM-6): their words, the answers to them, their direct messages."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePath
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgottenScenes:
    """What was removed, by what it was; `media` are the files that nothing refers to any more."""

    counts: Mapping[str, int]
    media: tuple[PurePath, ...] = ()


class ScenePersons(Protocol):
    """Exports and forgets, over every table of scenes."""

    @property
    def tables(self) -> frozenset[str]:
        """The tables that it answers for."""
        ...

    async def export(self, user_id: str) -> tuple[Mapping[str, object], ...]:
        """Their turns and the answers to them, in the order in which they came, as JSON values."""
        ...

    async def forget(self, user_id: str, now: datetime) -> ForgottenScenes:
        """Removes what they wrote, what was answered to it, and summaries that may hold it.

        Their direct messages begin anew. What other people wrote stays, with what they quoted.
        """
        ...
