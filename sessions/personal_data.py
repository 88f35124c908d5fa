"""What conversations hold of a person (MEM-6): their words, what was answered to them, their direct messages."""

from collections.abc import Mapping
from typing import Protocol


class ScenePersons(Protocol):
    """Exports and forgets, over every table of scenes."""

    @property
    def tables(self) -> frozenset[str]:
        """The tables that it answers for."""
        ...

    async def export(self, user_id: str) -> Mapping[str, object]:
        """Their turns and the answers to them, as JSON values."""
        ...

    async def forget(self, user_id: str) -> Mapping[str, int]:
        """Removes what they wrote, the answers to it, summaries that may hold it, and direct messages.

        Returns how many of what.
        """
        ...
