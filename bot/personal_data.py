"""What the bot holds of a person, to be shown, exported and forgotten (MEM-6).

Each part of the bot that stores something answers for its own tables. A test holds that together they cover
every table there is.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol


class PersonalData(Protocol):
    """The part of one domain."""

    @property
    def tables(self) -> frozenset[str]:
        """The tables that it answers for."""
        ...

    async def export(self, user_id: str) -> Mapping[str, object]:
        """Everything about the person, as JSON values by what it is."""
        ...

    async def forget(self, user_id: str) -> Mapping[str, int]:
        """Remove all of it; returns how many by what it was."""
        ...


class AllPersonalData:
    """The parts together."""

    def __init__(self, parts: Sequence[PersonalData]) -> None:
        self._parts = tuple(parts)

    @property
    def tables(self) -> frozenset[str]:
        """Every table that a part answers for."""
        return frozenset[str]().union(*(part.tables for part in self._parts))

    async def export(self, user_id: str) -> dict[str, object]:
        """Everything about the person."""
        found: dict[str, object] = {}
        for part in self._parts:
            found |= await part.export(user_id)
        return found

    async def forget(self, user_id: str) -> dict[str, int]:
        """Remove everything; returns how many by what it was."""
        counts: dict[str, int] = {}
        for part in self._parts:
            counts |= await part.forget(user_id)
        return counts
