"""What a prompt tells of a place's memory, kept at hand until something there changes (MEM-1, MEM-3).

Everything is listed while it fits. When it does not, the most used and the latest used stay listed, and the
rest is found by a search. What is listed stands in the order in which it came, so that a new entry leaves the
text before it as it was and the provider's cache of the prompt holds.
"""

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final

from core.context.token_estimates import raw_tokens
from recipes.memory.entries import MemoryEntry
from recipes.memory.entry_store import EntryStore
from recipes.memory.prompts import index_line, preference_line
from recipes.spaces import Reach, Space

MOST_LINES: Final = 200
MOST_TOKENS: Final = 8_000
_HELD: Final = 4_096


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedEntries:
    """What the index of a place holds, and its lines as they are told; `more`: some entries did not fit."""

    entries: tuple[MemoryEntry, ...]
    lines: tuple[str, ...]
    more: bool


def fitted(
    best_first: Sequence[MemoryEntry], *, most_lines: int = MOST_LINES, most_tokens: int = MOST_TOKENS
) -> ListedEntries:
    """As many of the best as fit into lines and tokens, in the order in which they came. Pure."""
    kept: list[tuple[MemoryEntry, str]] = []
    tokens = 0
    for entry in best_first:
        line = index_line(entry)
        tokens += raw_tokens(line) + 1
        if len(kept) == most_lines or tokens > most_tokens:
            break
        kept.append((entry, line))
    kept.sort(key=lambda listed: int(listed[0].id[1:]))
    return ListedEntries(
        entries=tuple(entry for entry, _ in kept),
        lines=tuple(line for _, line in kept),
        more=len(kept) < len(best_first),
    )


_Key = tuple[tuple[Space, ...], str, str | None]
"""The spaces, the persona, and whose preferences; None: the index."""


class MemoryIndex:
    """The indexes of the places that were used lately, and the preferences of who spoke there."""

    def __init__(
        self, store: EntryStore, *, most_lines: int = MOST_LINES, most_tokens: int = MOST_TOKENS
    ) -> None:
        self._store = store
        self._most_lines = most_lines
        self._most_tokens = most_tokens
        self._held: OrderedDict[_Key, ListedEntries] = OrderedDict()
        self._changes = 0

    async def of(self, reach: Reach, persona: str) -> ListedEntries:
        """The index of a place for a persona."""

        async def read() -> ListedEntries:
            best = await self._store.listed(reach.readable, persona, self._most_lines + 1)
            return fitted(best, most_lines=self._most_lines, most_tokens=self._most_tokens)

        return await self._known((reach.readable, persona, None), read)

    async def preferences(self, reach: Reach, persona: str, about: str) -> ListedEntries:
        """What a person wants in a place."""

        async def read() -> ListedEntries:
            wanted = await self._store.preferences(reach.readable, persona, about)
            return ListedEntries(entries=wanted, lines=tuple(map(preference_line, wanted)), more=False)

        return await self._known((reach.readable, persona, about), read)

    async def _known(self, key: _Key, read: Callable[[], Awaitable[ListedEntries]]) -> ListedEntries:
        held = self._held.get(key)
        if held is None:
            before = self._changes
            held = await read()
            if before != self._changes:  # what was read may be from before the change
                return held
            self._held[key] = held
        self._held.move_to_end(key)
        while len(self._held) > _HELD:
            self._held.popitem(last=False)
        return held

    def changed(self, entry: MemoryEntry) -> None:
        """An entry came, went, or is another one now."""
        self._changes += 1
        for key in [key for key in self._held if entry.public or entry.space in key[0]]:
            del self._held[key]

    def was_used(self, entry: MemoryEntry) -> None:
        """An entry was read: where not all are listed, others may be now."""
        self._changes += 1
        touched = [key for key in self._held if entry.public or entry.space in key[0]]
        for key in touched:
            if self._held[key].more:
                del self._held[key]

    def all_changed(self) -> None:
        """Entries were changed in many places at once."""
        self._changes += 1
        self._held.clear()
