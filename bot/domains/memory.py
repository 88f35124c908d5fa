"""Memory and notes as an optional domain (MEM-9)."""

from typing import Final

from bot.discord_chat.commands.memory import add_memory_commands
from bot.discord_chat.commands.notes import add_notes_commands
from bot.discord_chat.commands.parts import CommandParts
from bot.domains.domain import DomainSettings, OpenedDomain, OptionalDomain
from core.clock import Clock
from recipes.memory.index import MOST_TOKENS, MemoryIndex
from recipes.memory.memory import Memory
from recipes.memory.memory_runs import MemoryRuns
from recipes.memory.notebook import Notebook
from recipes.memory.personal_data import MemoryPersonalData
from recipes.memory.storage.entries import StoredEntries
from recipes.memory.storage.notes import StoredNotes
from recipes.memory.storage.schema import MEMORY
from recipes.memory.storage.tables import metadata
from sessions.storage.database import Database

_SHARE_OF_WINDOW: Final = 8


def _opened(database: Database, clock: Clock, settings: DomainSettings) -> OpenedDomain:
    entries, notes = StoredEntries(database), StoredNotes(database)
    most_tokens = min(MOST_TOKENS, settings.context_tokens // _SHARE_OF_WINDOW)
    index = MemoryIndex(entries, most_tokens=most_tokens)
    memory = Memory(store=entries, persons=entries, index=index, clock=clock)
    notebook = Notebook(store=notes, persons=notes, clock=clock)

    def add_commands(parts: CommandParts) -> None:
        add_memory_commands(parts, memory)
        add_notes_commands(parts, notebook)

    return OpenedDomain(
        runs=MemoryRuns(memory=memory, notebook=notebook),
        personal_data=(
            MemoryPersonalData(memory=memory, notebook=notebook, tables=frozenset(metadata.tables)),
        ),
        add_commands=add_commands,
    )


DOMAIN: Final = OptionalDomain(name="memory", history=MEMORY, open=_opened)
