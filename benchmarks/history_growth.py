"""What a run costs to compose as its session grows (CORE-28): from 100 to 100,000 stored turns.

    python -m benchmarks.history_growth [--json FILE]

Composing is what happens between a message and the model request: the turn is stored, the window is read
and fitted to the model, the request is projected. Each size is measured on a database of its own, warm (the
session was used a moment ago) and cold (the first message after a start), in CPU time of the process. Memory
is what the open session adds to it.
"""

import argparse
import asyncio
import gc
import json
import statistics
import tempfile
import time
import tracemalloc
from datetime import UTC, datetime, timedelta
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bot.run_planner import ScenePlanner
from bot.scene_journal import SceneJournal
from bot.token_estimates import ModelTokens
from core.clock import SystemClock
from core.context.registry import ContextRegistry
from core.conversation.content import Text
from core.conversation.continuation import ProtocolName
from core.conversation.turns import AssistantTurn, ReplyText, Round, Speaker, UserTurn
from core.generation.native_stream import NativeStream
from core.generation.protocols.chat_projection import project_chat
from core.generation.requests import ChatRequest, ModelEndpoint
from core.orchestration.sends import SceneKind, Send, SendOptions
from core.prompts.identity import DEFAULT_PERSONA, Persona
from core.prompts.profiles import FULL_PROFILE
from core.prompts.scene import SceneFacts
from sessions.bindings import ChannelBinding
from sessions.storage.database import Database, sqlite_url
from sessions.storage.stores import stored_scenes
from sessions.stores import SceneStores
from tests.orchestration import KeptPlace

SIZES = (100, 1_000, 10_000, 100_000)
RUNS = 60
ROOM = ChannelBinding(channel_id=42, guild_id=7)
START = datetime(2026, 1, 1, tzinfo=UTC)
WORDS = "Shall we meet on Tuesday at eight, or is Thursday better for everybody who wants to come along? "


class OnePersona:
    """The default persona everywhere."""

    async def of(self, session_id: str) -> Persona:
        """See `Personas`."""
        return DEFAULT_PERSONA


class NoFacts:
    """Nothing is known of the room."""

    def facts(self, session_id: str, participants: tuple[Speaker, ...]) -> SceneFacts | None:
        return None


class NoCompaction:
    """Compaction that never comes."""

    def ask(self, session_id: str, *, generation: int, budget_tokens: int, endpoint: ModelEndpoint) -> None:
        """Nothing is summed up, so that the whole history stays before the window."""


def user_turn(number: int) -> UserTurn:
    """A message of about a hundred characters."""
    speaker = Speaker(id=str(number % 7), name=f"Member {number % 7}")
    at = START + timedelta(seconds=number)
    return UserTurn(id=f"discord:message:{number}", at=at, speaker=speaker, content=(Text(text=WORDS),))


def assistant_turn(number: int) -> AssistantTurn:
    """An answer of about two hundred characters."""
    at = START + timedelta(seconds=number)
    return AssistantTurn(
        id=f"turn_{number}",
        run_id="run",
        created_at=at,
        completed_at=at,
        rounds=(Round(content=(ReplyText(text=WORDS * 2),)),),
    )


async def fill(stores: SceneStores, count: int) -> None:
    """Store a history of `count` turns."""
    session = await stores.sessions.open(ROOM, START)
    for first in range(0, count, 500):
        async with asyncio.TaskGroup() as tasks:
            for number in range(first, min(first + 500, count)):
                turn = assistant_turn(number) if number % 2 else user_turn(number)
                tasks.create_task(stores.history.append(session.session_id, 0, turn))


def new_planner() -> ScenePlanner:
    """A planner for a window of 32,000 tokens."""
    return ScenePlanner(
        endpoint=ModelEndpoint(protocol=ProtocolName.CHAT, provider="p", base_url="http://m/v1", model="m"),
        profile=FULL_PROFILE,
        personas=OnePersona(),
        directory=NoFacts(),
        tokens=ModelTokens(),
        context=ContextRegistry(),
        overheard=None,
        context_tokens=32_000,
        max_tokens=None,
        compaction=NoCompaction(),
    )


async def compose(journal: SceneJournal, planner: ScenePlanner, number: int) -> float:
    """CPU seconds from a message to the body of its request."""
    turn = user_turn(number)
    send = Send(
        session_id=ROOM.session_id,
        generation=0,
        reply_id=f"reply:{number}",
        turns=(UserTurn(id=f"console:{number}", at=turn.at, speaker=turn.speaker, content=turn.content),),
        place=KeptPlace(),
        options=SendOptions(scene=SceneKind.DISCORD),
    )
    began = time.process_time()
    await journal.keep(send, f"run_{number}")
    conversation = await journal.window(send)
    plan = await planner.plan(send, conversation, f"run_{number}")
    step = await plan.request.resolve_step(0)
    request = NativeStream(plan.request).request_for(step, step.tools, ())
    assert isinstance(request, ChatRequest)
    project_chat(request, {})
    return time.process_time() - began


async def measure(folder: Path, size: int) -> dict[str, float]:
    """One row of the table."""
    url = sqlite_url(folder / f"{size}.db")
    async with Database(url) as database:
        await fill(stored_scenes(database), size)
    async with Database(url) as database:
        stores = stored_scenes(database)
        journal = SceneJournal(
            replies=stores.replies, history=stores.history, summaries=stores.summaries, clock=SystemClock()
        )
        planner = new_planner()
        await stores.sessions.open(ROOM, START)
        gc.collect()
        tracemalloc.start()
        cold = await compose(journal, planner, 10_000_000)
        gc.collect()
        kilobytes = tracemalloc.get_traced_memory()[0] / 1024
        tracemalloc.stop()
        warm = [await compose(journal, planner, 20_000_000 + number) for number in range(RUNS)]
    return {
        "turns": size,
        "cold_ms": cold * 1000,
        "warm_ms_p50": statistics.median(warm) * 1000,
        "warm_ms_p90": statistics.quantiles(warm, n=10)[-1] * 1000,
        "open_session_kb": kilobytes,
    }


async def measure_all() -> list[dict[str, float]]:
    """Every row."""
    with tempfile.TemporaryDirectory() as folder:
        return [await measure(Path(folder), size) for size in SIZES]


def main() -> None:
    """Measure, print, and write the JSON file where one is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    arguments = parser.parse_args()
    rows = asyncio.run(measure_all())
    table = Table(
        "turns", "cold ms", "warm ms p50", "warm ms p90", "open session kB", title="composing one run"
    )
    for row in rows:
        table.add_row(f"{int(row['turns']):,}", *(f"{row[key]:.2f}" for key in list(row)[1:]))
    Console().print(table)
    by_size = {row["turns"]: row for row in rows}
    ratio = by_size[SIZES[-1]]["warm_ms_p50"] / by_size[1_000]["warm_ms_p50"]
    print(f"100,000 turns over 1,000 turns, warm p50: {ratio:.2f}x (aim: at most 1.2x)")
    if arguments.json:
        arguments.json.write_text(json.dumps({"rows": rows, "ratio": ratio}, indent=1))


if __name__ == "__main__":
    main()
