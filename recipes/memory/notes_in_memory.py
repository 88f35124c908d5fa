"""Notes in memory: nothing outlives the process, everything else is the same."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from recipes.memory.memory_rules import title_key
from recipes.memory.notes import NoteItem, NoteList, UnknownList
from recipes.spaces import Space, own_space


@dataclass(slots=True)
class _Kept:
    about: NoteList
    made_by: str | None
    items: list[NoteItem] = field(default_factory=list[NoteItem])


class NotesInMemory:
    """`NoteStore` and `NotePersons`."""

    def __init__(self) -> None:
        self._lists: dict[int, _Kept] = {}
        self._last = 0

    async def lists(self, space: Space) -> tuple[NoteList, ...]:
        """See `NoteStore`."""
        return tuple(kept.about for kept in self._lists.values() if kept.about.space == space)

    async def make(self, space: Space, name: str, made_by: str | None, now: datetime) -> NoteList:
        """See `NoteStore`."""
        for kept in self._lists.values():
            if kept.about.space == space and title_key(kept.about.name) == title_key(name):
                return kept.about
        made = NoteList(id=self._next(), space=space, name=name)
        self._lists[made.id] = _Kept(made, made_by)
        return made

    async def items(self, list_id: int) -> tuple[NoteItem, ...]:
        """See `NoteStore`."""
        kept = self._lists.get(list_id)
        return () if kept is None else tuple(kept.items)

    async def add(self, list_id: int, texts: tuple[str, ...], added_by: str | None, now: datetime) -> None:
        """See `NoteStore`."""
        kept = self._lists.get(list_id)
        if kept is None:
            raise UnknownList(str(list_id))
        kept.items += [
            NoteItem(id=self._next(), text=text, added_by=added_by, added_at=now) for text in texts
        ]

    async def remove(self, item_id: int) -> bool:
        """See `NoteStore`."""
        for kept in self._lists.values():
            for item in kept.items:
                if item.id == item_id:
                    kept.items.remove(item)
                    return True
        return False

    async def clear(self, list_id: int) -> int:
        """See `NoteStore`."""
        kept = self._lists.get(list_id)
        if kept is None:
            return 0
        count = len(kept.items)
        kept.items.clear()
        return count

    async def drop(self, list_id: int) -> bool:
        """See `NoteStore`."""
        return self._lists.pop(list_id, None) is not None

    async def notes_of(self, user_id: str) -> Mapping[str, tuple[str, ...]]:
        """See `NotePersons`."""
        own = own_space(user_id)
        found: dict[str, tuple[str, ...]] = {}
        for kept in self._lists.values():
            whole = kept.about.space == own
            theirs = tuple(item.text for item in kept.items if whole or item.added_by == user_id)
            if theirs:
                found[kept.about.name] = (*found.get(kept.about.name, ()), *theirs)
        return found

    async def forget_notes_of(self, user_id: str) -> Mapping[str, int]:
        """See `NotePersons`."""
        own = own_space(user_id)
        gone = [key for key, kept in self._lists.items() if kept.about.space == own]
        items = sum(len(self._lists.pop(key).items) for key in gone)
        for kept in self._lists.values():
            theirs = [item for item in kept.items if item.added_by == user_id]
            items += len(theirs)
            kept.items = [item for item in kept.items if item.added_by != user_id]
            if kept.made_by == user_id:
                kept.made_by = None
        return {"note_lists": len(gone), "note_items": items}

    def _next(self) -> int:
        self._last += 1
        return self._last
