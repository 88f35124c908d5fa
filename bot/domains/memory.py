"""Memory and notes as an optional domain (MEM-9)."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

from bot.discord_chat.commands.memory import add_memory_commands
from bot.discord_chat.commands.notes import add_notes_commands
from bot.discord_chat.commands.parts import CommandParts
from bot.domains.domain import DomainRuntime, DomainSettings, OpenedDomain, OptionalDomain
from bot.domains.talk_ends import SessionTalks, TalkEnds, TextModel
from bot.tokens_beside import CountedGeneration
from core.clock import Clock
from recipes.memory.extractor import Extractor
from recipes.memory.index import MOST_TOKENS, MemoryIndex
from recipes.memory.memory import Memory
from recipes.memory.memory_runs import MemoryRuns
from recipes.memory.notebook import Notebook
from recipes.memory.personal_data import MemoryPersonalData
from recipes.memory.storage.entries import StoredEntries
from recipes.memory.storage.extractions import StoredExtractions
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
    log = StoredExtractions(database)
    notebook = Notebook(store=notes, persons=notes, clock=clock)

    @asynccontextmanager
    async def running(runtime: DomainRuntime) -> AsyncGenerator[None]:
        if runtime.endpoint is None or not runtime.idle_s:
            yield
            return
        extractor = Extractor(
            memory=memory,
            log=log,
            talks=SessionTalks(runtime.history, runtime.extras),
            model=TextModel(
                CountedGeneration(runtime.generation, runtime.spent),
                runtime.endpoint,
                runtime.models,
                clock=runtime.clock,
                new_id=runtime.new_id,
            ),
            clock=clock,
        )
        async with TalkEnds(
            extractor=extractor, log=log, hooks=runtime.hooks, clock=clock, idle_s=runtime.idle_s
        ):
            yield

    def add_commands(parts: CommandParts) -> None:
        add_memory_commands(parts, memory)
        add_notes_commands(parts, notebook)

    return OpenedDomain(
        runs=MemoryRuns(memory=memory, notebook=notebook),
        personal_data=(
            MemoryPersonalData(memory=memory, notebook=notebook, tables=frozenset(metadata.tables)),
        ),
        add_commands=add_commands,
        running=running,
    )


DOMAIN: Final = OptionalDomain(name="memory", history=MEMORY, open=_opened)
