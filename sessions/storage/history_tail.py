"""The latest turns of a session in memory, so that a prompt is composed without reading the database.

Bounded by the size of the stored records. Who holds many tails bounds their sum: rooms which talk keep a
whole window, and those which are quiet give way.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from sessions.history import StoredTurn, UnreadableTurn, Window

_RECORDS = 512
_STORED_BYTES = 1_000_000
_RECORD_OVERHEAD = 400  # of a record as a value of Python, beside its text


@dataclass(frozen=True, slots=True, kw_only=True)
class TailEntry:
    """A record of the history with its stored size in bytes."""

    record: StoredTurn | UnreadableTurn
    size: int

    @property
    def position(self) -> int:
        """The record's place."""
        return self.record.position


class HistoryTail:
    """The latest records without a gap, in order; `earlier`: there are more before them."""

    def __init__(self, entries: Iterable[TailEntry], *, earlier: bool) -> None:
        self._entries = deque(entries)
        self._size = sum(entry.size for entry in self._entries)
        self._earlier = earlier
        self._trim()

    @property
    def weight(self) -> int:
        """About how many bytes of memory the tail takes."""
        return self._size + _RECORD_OVERHEAD * len(self._entries) + _RECORD_OVERHEAD

    def append(self, entry: TailEntry) -> None:
        """Adds the next record; one that is there already is replaced."""
        if self._entries and entry.position <= self._entries[-1].position:
            self.replace(entry)
            return
        self._entries.append(entry)
        self._size += entry.size
        self._trim()

    def replace(self, entry: TailEntry) -> None:
        """Puts a changed record in its place; one before the tail is not ours."""
        for index, held in enumerate(self._entries):
            if held.position == entry.position:
                self._entries[index] = entry
                self._size += entry.size - held.size
        self._trim()

    def remove(self, position: int) -> None:
        """Takes a record out."""
        self._entries = deque(entry for entry in self._entries if entry.position != position)
        self._size = sum(entry.size for entry in self._entries)

    def window(self, limit: int) -> Window | None:
        """The latest `limit` records, or None when the tail is too short to tell."""
        if self._earlier and len(self._entries) < limit:
            return None
        surplus = max(0, len(self._entries) - limit)
        return window_of(list(self._entries)[surplus:], earlier=self._earlier or surplus > 0)

    def _trim(self) -> None:
        while self._entries and (len(self._entries) > _RECORDS or self._size > _STORED_BYTES):
            self._size -= self._entries.popleft().size
            self._earlier = True


def window_of(entries: Iterable[TailEntry], *, earlier: bool) -> Window:
    """The entries as the port gives them."""
    records = [entry.record for entry in entries]
    return Window(
        turns=tuple(record for record in records if isinstance(record, StoredTurn)),
        unreadable=tuple(record for record in records if isinstance(record, UnreadableTurn)),
        earlier=earlier,
    )
