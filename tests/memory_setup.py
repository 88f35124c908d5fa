"""Scenes and entries for tests of memory."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from core.conversation.turns import Speaker
from recipes.memory.entries import NewEntry, Provenance
from recipes.memory.in_memory import EntriesInMemory
from recipes.memory.index import MemoryIndex
from recipes.memory.memory import Memory, Telling
from recipes.memory.notes_in_memory import NotesInMemory
from recipes.memory.storage.entries import StoredEntries
from recipes.memory.storage.notes import StoredNotes
from recipes.memory.storage.schema import MEMORY
from recipes.run_scene import Place, RunScene, Standing
from recipes.spaces import Space, SpaceKind
from sessions.storage.database import Database, sqlite_url
from tests.contracts.scene_contract import POSTGRESQL, empty_server
from tests.orchestration import StillClock

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
MIA = Speaker(id="111", name="Mia")
SAM = Speaker(id="222", name="Sam")
GUILD = Space(kind=SpaceKind.GUILD, id="7")

GENERAL = Place(session_id="discord:channel:42", guild_id="7", channel_id="42", is_private=False)
OTHER = Place(session_id="discord:channel:43", guild_id="7", channel_id="43", is_private=False)
PRIVATE = Place(session_id="discord:channel:44", guild_id="7", channel_id="44")
PRIVATE_2 = Place(session_id="discord:channel:45", guild_id="7", channel_id="45")
ELSEWHERE = Place(session_id="discord:channel:90", guild_id="8", channel_id="90", is_private=False)
DM_MIA = Place(session_id="discord:channel:60", channel_id="60", direct_with="111")
DM_SAM = Place(session_id="discord:channel:61", channel_id="61", direct_with="222")
CONSOLE = Place(session_id="console:local")
PLACES = {
    "general": GENERAL,
    "other channel": OTHER,
    "private channel": PRIVATE,
    "second private channel": PRIVATE_2,
    "other server": ELSEWHERE,
    "direct message of Mia": DM_MIA,
    "direct message of Sam": DM_SAM,
    "console": CONSOLE,
}


def scene(place: Place = GENERAL, *, persona: str = "default", speaker: Speaker | None = MIA) -> RunScene:
    return RunScene(place=place, persona=persona, speaker=speaker, standing=Standing.MEMBER)


def new_memory(store: EntriesInMemory | StoredEntries | None = None, **index: int) -> Memory:
    kept = store or EntriesInMemory()
    return Memory(store=kept, persons=kept, index=MemoryIndex(kept, **index), clock=StillClock())


def telling(title: str, text: str | None = None, *, preference: bool = False) -> Telling:
    return Telling(
        title=title, summary=f"About {title}.", text=text or f"All of {title}.", preference=preference
    )


def entry(title: str = "cake", **more: Any) -> NewEntry:
    given: dict[str, Any] = {
        "space": GUILD,
        "persona": "default",
        "title": title,
        "summary": f"About {title}.",
        "text": f"All of {title}.",
        "provenance": Provenance(session_id=GENERAL.session_id, speaker_id="111", speaker_name="Mia"),
        "created_at": NOON,
    }
    return NewEntry(**{**given, **more})


@asynccontextmanager
async def opened_database(adapter: str, folder: Path) -> AsyncIterator[Database]:
    url = sqlite_url(folder / "memory.db")
    if adapter == "postgresql":
        url = POSTGRESQL or ""
        await empty_server()
    async with Database(url, (MEMORY,)) as database:
        yield database


@asynccontextmanager
async def opened_entries(adapter: str, folder: Path) -> AsyncIterator[EntriesInMemory | StoredEntries]:
    """An empty store of that kind."""
    if adapter == "memory":
        yield EntriesInMemory()
        return
    async with opened_database(adapter, folder) as database:
        yield StoredEntries(database)


@asynccontextmanager
async def opened_notes(adapter: str, folder: Path) -> AsyncIterator[NotesInMemory | StoredNotes]:
    """An empty store of that kind."""
    if adapter == "memory":
        yield NotesInMemory()
        return
    async with opened_database(adapter, folder) as database:
        yield StoredNotes(database)
