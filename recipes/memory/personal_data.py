"""What memory and notes hold of a person (MEM-6)."""

from collections.abc import Mapping

from recipes.memory.entries import MemoryEntry
from recipes.memory.memory import Memory
from recipes.memory.notebook import Notebook


class MemoryPersonalData:
    """Exports and forgets."""

    def __init__(self, *, memory: Memory, notebook: Notebook, tables: frozenset[str]) -> None:
        self._memory = memory
        self._notebook = notebook
        self.tables = tables

    async def export(self, user_id: str) -> Mapping[str, object]:
        """Entries that they told or that are about them, and their notes."""
        entries = await self._memory.of_person(user_id)
        notes = await self._notebook.of_person(user_id)
        return {
            "memory_entries": [form_of_entry(entry) for entry in entries],
            "notes": {name: list(items) for name, items in notes.items()},
        }

    async def forget(self, user_id: str) -> Mapping[str, int]:
        """Remove all of that."""
        counts = dict(await self._memory.forget_person(user_id))
        return {**counts, **await self._notebook.forget_person(user_id)}


def form_of_entry(entry: MemoryEntry) -> dict[str, object]:
    """An entry as JSON values."""
    source = entry.provenance
    return {
        "id": entry.id,
        "space": str(entry.space),
        "persona": entry.persona,
        "public": entry.public,
        "kind": entry.kind.value,
        "title": entry.title,
        "summary": entry.summary,
        "text": entry.text,
        "session": source.session_id,
        "turn": source.turn_id,
        "speaker": source.speaker_id,
        "created_at": entry.created_at.isoformat(),
        "updated_at": entry.updated_at.isoformat(),
    }
