"""A memory entry: one fact, or one preference of one person (MEM-2, MEM-3). Values only."""

from dataclasses import dataclass, fields
from datetime import datetime
from enum import StrEnum
from typing import Final

from recipes.spaces import Space, own_space

MOST_TITLE: Final = 80
MOST_SUMMARY: Final = 160
MOST_TEXT: Final = 2_000


class EntryKind(StrEnum):
    """A fact is data; a preference says how one person wants to be treated, while they speak (MEM-3)."""

    FACT = "fact"
    PREFERENCE = "preference"


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Where an entry came from: the session, the turn, who spoke. None where nobody did."""

    session_id: str
    turn_id: str | None = None
    speaker_id: str | None = None
    speaker_name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewEntry:
    """An entry that has no id yet.

    Attributes:
        persona: the key of the persona that it belongs to; None when the owner made it general.
        public: the owner lets every place read it; only a general one can be.
        about: the id of the person whose preference it is.
    """

    space: Space
    title: str
    summary: str
    text: str
    provenance: Provenance
    created_at: datetime
    persona: str | None = None
    public: bool = False
    kind: EntryKind = EntryKind.FACT
    about: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryEntry(NewEntry):
    """An entry as it is kept. `uses` and `used_at` tell how much it is worth to list it."""

    id: str
    updated_at: datetime
    used_at: datetime
    uses: int = 0


def kept_entry(entry: NewEntry, entry_id: str) -> MemoryEntry:
    """The entry as it begins."""
    given = {field.name: getattr(entry, field.name) for field in fields(NewEntry)}
    return MemoryEntry(**given, id=entry_id, updated_at=entry.created_at, used_at=entry.created_at)


def searched_text(entry: NewEntry) -> str:
    """What a search looks at."""
    return f"{entry.title}\n{entry.summary}\n{entry.text}"


def is_of_person(entry: NewEntry, user_id: str) -> bool:
    """Whether forgetting the person forgets the entry."""
    own = own_space(user_id)
    return user_id in (entry.about, entry.provenance.speaker_id) or entry.space == own
