"""Lists of notes that people name: shopping, guests, ideas (MEM-7). Values, and the port to their store.

Lists belong to a space like everything that is remembered, and never become memory entries.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol

from recipes.spaces import Space

MOST_NAME: Final = 60
MOST_ITEM: Final = 300
MOST_ITEMS: Final = 500
MOST_LISTS: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteItem:
    """One line of a list."""

    id: int
    text: str
    added_by: str | None
    added_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteList:
    """A list by its name, without its items."""

    id: int
    space: Space
    name: str


class UnknownList(Exception):
    """The list is not there (any more)."""


class NoteStore(Protocol):
    """Keeps lists and their items, each in the order in which they came."""

    async def lists(self, space: Space) -> tuple[NoteList, ...]:
        """The lists of a space."""
        ...

    async def make(self, space: Space, name: str, made_by: str | None, now: datetime) -> NoteList:
        """A list of that name; the one that is there already, if one is."""
        ...

    async def items(self, list_id: int) -> tuple[NoteItem, ...]:
        """The items of a list; none when it is gone."""
        ...

    async def add(self, list_id: int, texts: tuple[str, ...], added_by: str | None, now: datetime) -> None:
        """Adds items at the end.

        Raises:
            UnknownList: nothing was added.
        """
        ...

    async def remove(self, item_id: int) -> bool:
        """Takes one item out; False when it was not there."""
        ...

    async def clear(self, list_id: int) -> int:
        """Takes all items out; returns how many."""
        ...

    async def drop(self, list_id: int) -> bool:
        """Takes the list out with its items; False when it was not there."""
        ...


class NotePersons(Protocol):
    """What notes hold about a person (MEM-6)."""

    async def notes_of(self, user_id: str) -> Mapping[str, tuple[str, ...]]:
        """The items that they added and all of their direct messages, by the names of the lists."""
        ...

    async def forget_notes_of(self, user_id: str) -> Mapping[str, int]:
        """Takes those out, and their id from lists that others use too; returns counts."""
        ...
