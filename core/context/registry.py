"""What the parts of the application know and want the model to know, one bucket per writer (CORE-25).

Each entry says which scenes may read it; there is no way to read without naming the reader (SCENE-6). A
writer that leaves takes its words along (CORE-40). Held in memory: a writer writes again after a restart.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, assert_never

from core.conversation.turns import Authority, SystemTurn

MOST_ENTRIES: Final = 400
"""Entries of all writers together; then the fullest bucket loses its oldest one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EveryScene:
    """The entry is for all scenes, direct messages included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OneScene:
    """The entry is for one session and for no other."""

    session_id: str


Audience = EveryScene | OneScene


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextEntry:
    """One thing to know, in words."""

    text: str
    audience: Audience


@dataclass(frozen=True, slots=True, kw_only=True)
class WriterContext:
    """The texts of one writer that a scene may read, oldest first, never empty."""

    writer: str
    texts: tuple[str, ...]


class ContextRegistry:
    """Keeps the latest of what writers wrote."""

    def __init__(self) -> None:
        self._buckets: dict[str, deque[ContextEntry]] = {}

    def replace_self(self, writer: str, entries: Iterable[ContextEntry]) -> None:
        """The writer's entries are these and no others."""
        self._buckets[writer] = deque(entries)
        self._trim(writer)

    def append_self(self, writer: str, entry: ContextEntry) -> None:
        """The writer has one entry more."""
        self._buckets.setdefault(writer, deque()).append(entry)
        self._trim(writer)

    def remove_writer(self, writer: str) -> None:
        """Nothing of the writer remains; unknown writers are no error."""
        self._buckets.pop(writer, None)

    def snapshot_for(self, session_id: str) -> tuple[WriterContext, ...]:
        """What this session may read now, as values: later changes do not reach them.

        Writers stand in the order in which they first wrote.
        """
        readable = (
            (writer, tuple(entry.text for entry in bucket if _reaches(entry.audience, session_id)))
            for writer, bucket in self._buckets.items()
        )
        return tuple(WriterContext(writer=writer, texts=texts) for writer, texts in readable if texts)

    def _trim(self, writer: str) -> None:
        excess = sum(map(len, self._buckets.values())) - MOST_ENTRIES
        for _ in range(excess):
            max(self._buckets.values(), key=len).popleft()
        if not self._buckets[writer]:
            del self._buckets[writer]


def context_turns(snapshot: Iterable[WriterContext]) -> tuple[SystemTurn, ...]:
    """One turn per writer, with the authority of context: data that never instructs (CORE-2, CORE-32)."""
    return tuple(
        SystemTurn(
            id=f"context:{context.writer}",
            authority=Authority.CONTEXT,
            text="\n".join(context.texts),
            writer=context.writer,
        )
        for context in snapshot
    )


def _reaches(audience: Audience, session_id: str) -> bool:
    match audience:
        case EveryScene():
            return True
        case OneScene():
            return audience.session_id == session_id
        case _:
            assert_never(audience)
