"""Memory in memory: nothing outlives the process, everything else is the same."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from recipes.memory.entries import EntryKind, MemoryEntry, NewEntry, is_of_person, kept_entry, searched_text
from recipes.memory.entry_store import TitleTaken, UnknownEntry
from recipes.memory.memory_rules import rank, title_key
from recipes.search_rules import score, words_of
from recipes.spaces import Space

_MOST_PREFERENCES = 20


class EntriesInMemory:
    """`EntryStore` and `MemoryPersons`."""

    def __init__(self) -> None:
        self._entries: dict[str, MemoryEntry] = {}
        self._last = 0

    async def add(self, entry: NewEntry) -> MemoryEntry:
        """See `EntryStore`."""
        self._check_title(entry, None)
        self._last += 1
        kept = kept_entry(entry, f"m{self._last}")
        self._entries[kept.id] = kept
        return kept

    async def find(self, entry_id: str) -> MemoryEntry | None:
        """See `EntryStore`."""
        return self._entries.get(entry_id)

    async def change(self, entry_id: str, change: Callable[[MemoryEntry], MemoryEntry]) -> MemoryEntry:
        """See `EntryStore`."""
        known = self._entries.get(entry_id)
        if known is None:
            raise UnknownEntry(entry_id)
        changed = change(known)
        self._check_title(changed, entry_id)
        self._entries[entry_id] = changed
        return changed

    async def remove(self, entry_id: str) -> MemoryEntry | None:
        """See `EntryStore`."""
        return self._entries.pop(entry_id, None)

    async def listed(self, spaces: Sequence[Space], persona: str, limit: int) -> tuple[MemoryEntry, ...]:
        """See `EntryStore`."""
        facts = [one for one in self._readable(spaces, persona) if one.kind is EntryKind.FACT]
        return tuple(sorted(facts, key=lambda one: (-rank(one), -int(one.id[1:])))[:limit])

    async def preferences(self, spaces: Sequence[Space], persona: str, about: str) -> tuple[MemoryEntry, ...]:
        """See `EntryStore`."""
        found = [one for one in self._readable(spaces, persona) if one.about == about]
        return tuple(found[:_MOST_PREFERENCES])

    async def search(
        self, spaces: Sequence[Space], persona: str, words: Sequence[str], limit: int
    ) -> tuple[MemoryEntry, ...]:
        """See `EntryStore`."""
        scored = [
            (score(set(words) & words_of(searched_text(one))), one) for one in self._readable(spaces, persona)
        ]
        found = [pair for pair in scored if pair[0] > 0]
        found.sort(key=lambda pair: (-pair[0], -int(pair[1].id[1:])))
        return tuple(entry for _, entry in found[:limit])

    async def page(self, space: Space, after: str, limit: int) -> tuple[MemoryEntry, ...]:
        """See `EntryStore`."""
        last = int(after[1:]) if after else 0
        found = [one for one in self._entries.values() if one.space == space and int(one.id[1:]) > last]
        return tuple(found[:limit])

    async def entries_of(self, user_id: str) -> tuple[MemoryEntry, ...]:
        """See `MemoryPersons`."""
        return tuple(one for one in self._entries.values() if is_of_person(one, user_id))

    async def forget_entries_of(self, user_id: str) -> Mapping[str, int]:
        """See `MemoryPersons`."""
        gone = await self.entries_of(user_id)
        for entry in gone:
            del self._entries[entry.id]
        return {"memory_entries": len(gone)}

    def _readable(self, spaces: Sequence[Space], persona: str) -> Iterable[MemoryEntry]:
        return (
            one
            for one in self._entries.values()
            if one.persona in (None, persona) and (one.public or one.space in spaces)
        )

    def _check_title(self, entry: NewEntry, own_id: str | None) -> None:
        shelf = (entry.space, entry.persona, entry.about, title_key(entry.title))
        for other in self._entries.values():
            theirs = (other.space, other.persona, other.about, title_key(other.title))
            if other.id != own_id and theirs == shelf:
                raise TitleTaken(other.id)
