"""The port to where entries are kept. Both adapters pass one contract.

Exception
├── TitleTaken      an entry of that space and persona has the title; nothing was stored
└── UnknownEntry    it is not there (any more)
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from recipes.memory.entries import MemoryEntry, NewEntry
from recipes.spaces import Space


class TitleTaken(Exception):
    """Append to the entry `entry_id` in its place."""

    def __init__(self, entry_id: str) -> None:
        super().__init__(entry_id)
        self.entry_id = entry_id


class UnknownEntry(Exception):
    """No entry of this id."""


class EntryStore(Protocol):
    """Keeps entries; what one call has acknowledged, the next one sees.

    Readers name the spaces and the persona they read for. Public entries count for every space, general ones
    for every persona; nothing else is ever returned.
    """

    async def add(self, entry: NewEntry) -> MemoryEntry:
        """Stores an entry and gives it its id.

        Raises:
            TitleTaken: nothing was stored.
        """
        ...

    async def find(self, entry_id: str) -> MemoryEntry | None:
        """One entry, whoever may read it."""
        ...

    async def change(self, entry_id: str, change: Callable[[MemoryEntry], MemoryEntry]) -> MemoryEntry:
        """Replaces an entry by what `change`, a pure function, makes of it, in one step.

        Raises:
            UnknownEntry: it is not there. What `change` raises comes out, and nothing was changed.
        """
        ...

    async def remove(self, entry_id: str) -> MemoryEntry | None:
        """Takes it out and returns what it was; None when it was not there."""
        ...

    async def listed(self, spaces: Sequence[Space], persona: str, limit: int) -> tuple[MemoryEntry, ...]:
        """The facts that are worth the most, best first. The cost does not grow with what is stored."""
        ...

    async def preferences(self, spaces: Sequence[Space], persona: str, about: str) -> tuple[MemoryEntry, ...]:
        """The preferences of one person, oldest first; at most twenty."""
        ...

    async def search(
        self, spaces: Sequence[Space], persona: str, words: Sequence[str], limit: int
    ) -> tuple[MemoryEntry, ...]:
        """The entries that hold some of the words (of `query_words`), by `score`, then the newer first."""
        ...

    async def page(self, space: Space, after: str, limit: int) -> tuple[MemoryEntry, ...]:
        """The entries of one space, whatever their persona, in the order in which they came.

        `after` is the id of the last one of the page before; empty for the first page.
        """
        ...


class MemoryPersons(Protocol):
    """What memory holds about a person (MEM-6)."""

    async def entries_of(self, user_id: str) -> tuple[MemoryEntry, ...]:
        """What they said, what they prefer, and what is of their direct messages."""
        ...

    async def forget_entries_of(self, user_id: str) -> Mapping[str, int]:
        """Takes all of that out; returns counts."""
        ...
