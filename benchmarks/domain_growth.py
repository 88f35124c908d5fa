"""What recipes and memory cost a turn as they grow (REC-2, MEM-1): up to 10,000 recipes and 100,000 entries.

    python -m benchmarks.domain_growth [--json FILE]

A turn is what they do between a message and the model request: keywords of the message are looked for, the
index and the list of recipes are put together, the tools are made. Each size is measured on a database of its
own: warm (nothing changed since the last turn), after an entry was written (the index is read anew), after a
recipe was added (those of the server are indexed anew), and for one search; in wall time. Memory is what the
first turn adds.
"""

import argparse
import asyncio
import gc
import json
import statistics
import tempfile
import time
import tracemalloc
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from rich.console import Console
from rich.table import Table

from core.clock import SystemClock
from core.conversation.content import Text
from core.conversation.turns import Speaker, UserTurn
from core.identifiers import RandomIds
from recipes.library import RecipeLibrary
from recipes.memory.entries import NewEntry, Provenance
from recipes.memory.index import MemoryIndex
from recipes.memory.memory import Memory, Telling
from recipes.memory.memory_runs import MemoryRuns
from recipes.memory.notebook import Notebook
from recipes.memory.storage.entries import StoredEntries
from recipes.memory.storage.notes import StoredNotes
from recipes.memory.storage.schema import MEMORY
from recipes.recipe import InGuild, Recipe
from recipes.recipe_form import RecipeDraft
from recipes.recipe_runs import RecipeRuns
from recipes.run_scene import Place, RunScene, Standing
from recipes.spaces import Space, SpaceKind
from recipes.storage.recipes import StoredRecipes
from recipes.storage.schema import RECIPES
from sessions.storage.database import Database, sqlite_url

SIZES = ((10, 100), (100, 1_000), (1_000, 10_000), (10_000, 100_000))
"""Recipes and entries of one server."""

RUNS = 200
START = datetime(2026, 1, 1, tzinfo=UTC)
GUILD = Space(kind=SpaceKind.GUILD, id="7")
MIA = Speaker(id="111", name="Mia")
SCENE = RunScene(
    place=Place(session_id="discord:channel:42", guild_id="7", channel_id="42", is_private=False),
    persona="default",
    speaker=MIA,
    standing=Standing.MANAGER,
)
MESSAGE = (
    "Could you tell us about word17 and the harbour, and whether the ferry of Tuesday still goes at noon? "
)
TURN = UserTurn(id="discord:message:1", at=START, speaker=MIA, content=(Text(text=MESSAGE * 3),))


class Nobody:
    """No member uses recipes, and no card is shown."""

    async def members_may(self, guild_id: str) -> bool:
        """See `MemberRecipes`."""
        return False

    async def show(self, proposal: Recipe, place: Place) -> None:
        """See `ProposalNotices`."""


class Domains:
    """Recipes and memory over one database."""

    def __init__(self, database: Database) -> None:
        clock = SystemClock()
        self.recipes = StoredRecipes(database)
        self.entries = StoredEntries(database)
        self.library = RecipeLibrary(store=self.recipes, clock=clock, new_id=RandomIds())
        index = MemoryIndex(self.entries)
        self.memory = Memory(store=self.entries, persons=self.entries, index=index, clock=clock)
        notes = StoredNotes(database)
        notebook = Notebook(store=notes, persons=notes, clock=clock)
        self.runs = RecipeRuns(library=self.library, members=Nobody(), notices=Nobody())
        self.memory_runs = MemoryRuns(memory=self.memory, notebook=notebook)

    async def turn(self) -> None:
        """What both add to one message and its run."""
        skills = await self.runs.skills(SCENE, MESSAGE * 3)
        turns = (replace(TURN, skills=skills),)
        for domain in (self.runs, self.memory_runs):
            added = await domain.additions(SCENE, turns)
            assert added.tools


async def fill(domains: Domains, recipes: int, entries: int) -> None:
    """Store recipes with a keyword each, and entries of about a hundred characters."""
    for first in range(0, recipes, 500):
        async with asyncio.TaskGroup() as tasks:
            for number in range(first, min(first + 500, recipes)):
                recipe = Recipe(
                    id=f"rec_{number}",
                    name=f"recipe {number}",
                    purpose="Answers in a way of its own, whenever somebody asks for it.",
                    keywords=(f"word{number}",),
                    steps="1. Answer.",
                    scope=InGuild(guild_id="7"),
                    created_at=START,
                    updated_at=START,
                )
                tasks.create_task(domains.recipes.add(recipe))
    for first in range(0, entries, 500):
        async with asyncio.TaskGroup() as tasks:
            for number in range(first, min(first + 500, entries)):
                entry = NewEntry(
                    space=GUILD,
                    persona="default",
                    title=f"topic {number}",
                    summary=f"What was said of topic {number} at the harbour",
                    text=f"Member {number % 97} told that ferry {number} goes at noon. 第{number}次会议",
                    provenance=Provenance(session_id="discord:channel:42", speaker_id=str(number % 97)),
                    created_at=START + timedelta(seconds=number),
                )
                tasks.create_task(domains.entries.add(entry))


async def milliseconds(work: Callable[[], Awaitable[object]]) -> float:
    """How long it takes."""
    began = time.perf_counter()
    await work()
    return (time.perf_counter() - began) * 1000


async def measure(folder: Path, recipes: int, entries: int) -> dict[str, float]:
    """One row of the table."""
    url = sqlite_url(folder / f"{entries}.db")
    async with Database(url, (RECIPES, MEMORY)) as database:
        await fill(Domains(database), recipes, entries)
    async with Database(url, (RECIPES, MEMORY)) as database:
        domains = Domains(database)
        cold = await milliseconds(domains.turn)
        warm = [await milliseconds(domains.turn) for _ in range(RUNS)]
        changed: list[float] = []
        for number in range(20):
            telling = Telling(title=f"new {number}", summary="Just now", text="Something new.")
            await domains.memory.remember(SCENE, telling)
            changed.append(await milliseconds(domains.turn))
        taught: list[float] = []
        for number in range(5):
            draft = RecipeDraft(name=f"taught {number}", purpose="Just now.", steps="1. Answer.")
            await domains.library.add(draft, scope=InGuild(guild_id="7"), author="111")
            taught.append(await milliseconds(domains.turn))
        searches = [
            await milliseconds(lambda query=query: domains.memory.search(SCENE, query))
            for query in ("ferry at noon", "会议", f"topic {entries // 2}", "第17次会议") * 5
        ]
        kilobytes = await first_turn_kb(database)
    return {
        "recipes": recipes,
        "entries": entries,
        "cold_ms": cold,
        "warm_ms_p50": statistics.median(warm),
        "after_a_write_ms_p50": statistics.median(changed),
        "after_a_recipe_ms_p50": statistics.median(taught),
        "search_ms_p50": statistics.median(searches),
        "first_turn_kb": kilobytes,
    }


async def first_turn_kb(database: Database) -> float:
    """What a first turn keeps in memory."""
    domains = Domains(database)
    gc.collect()
    tracemalloc.start()
    await domains.turn()
    gc.collect()
    kilobytes = tracemalloc.get_traced_memory()[0] / 1024
    tracemalloc.stop()
    return kilobytes


async def measure_all() -> list[dict[str, float]]:
    """Every row."""
    with tempfile.TemporaryDirectory() as folder:
        return [await measure(Path(folder), recipes, entries) for recipes, entries in SIZES]


def main() -> None:
    """Measure, print, and write the JSON file where one is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    arguments = parser.parse_args()
    rows = asyncio.run(measure_all())
    heads = (
        "recipes",
        "entries",
        "cold ms",
        "warm ms",
        "after an entry",
        "after a recipe",
        "search ms",
        "first turn kB",
    )
    table = Table(*heads, title="what recipes and memory add to one turn (p50)")
    for row in rows:
        counts = (f"{int(row['recipes']):,}", f"{int(row['entries']):,}")
        table.add_row(*counts, *(f"{row[key]:.2f}" for key in list(row)[2:]))
    Console().print(table)
    ratio = rows[-1]["warm_ms_p50"] / rows[1]["warm_ms_p50"]
    print(f"10,000 recipes and 100,000 entries over 100 and 1,000, warm: {ratio:.2f}x (aim: at most 1.2x)")
    if arguments.json:
        arguments.json.write_text(json.dumps({"rows": rows, "ratio": ratio}, indent=1))


if __name__ == "__main__":
    main()
