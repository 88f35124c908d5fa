"""What a message costs in storage: rows per second, grouped and one by one, and how long the loop waits.

    python -m benchmarks.storage_commits [--messages 2000] [--sessions 50] [--json]

A message is four steps, as in the text road: inbox accepted, reply begun (messages answering, user turn,
first piece), piece posted, reply committed (assistant turn, pieces finished, messages done); and a window of
history is read for the prompt. Sessions talk at the same time, messages of one session wait for each other.
The database is on disk in a temporary folder.
"""

import argparse
import asyncio
import json
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from core.conversation.content import Text
from core.conversation.turns import AssistantTurn, ReplyText, Round, Speaker, UserTurn
from sessions.bindings import ChannelBinding
from sessions.inbox import NewMessage
from sessions.outbox import PlannedPiece
from sessions.outbox_rules import nonce_for, reply_id_for
from sessions.replies import BegunReply, CommittedReply, SpokenTurn
from sessions.storage.database import Database, sqlite_url
from sessions.storage.stores import stored_scenes
from sessions.stores import SceneStores

_ROWS_PER_MESSAGE = 7  # inbox, outbox, two turns and two links inserted; the inbox row moves on
_WINDOW = 40
_TEXT = "What a day in the harbour, with rain on the containers and gulls over the cranes. " * 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """One run; times in milliseconds."""

    name: str
    messages: int
    messages_per_s: float
    rows_per_s: float
    storage_p50_ms: float
    storage_p99_ms: float
    loop_lag_p50_ms: float
    loop_lag_p99_ms: float
    loop_lag_max_ms: float


async def answer(stores: SceneStores, session_id: str, channel_id: int, number: int) -> None:
    """The storage steps of one message."""
    now = datetime.now(UTC)
    message_id = str(10**18 + channel_id * 10**6 + number)
    reply_id = reply_id_for(message_id)
    await stores.inbox.accept(NewMessage(message_id=message_id, session_id=session_id, payload=_TEXT, at=now))
    turn = UserTurn(
        id=f"turn:{message_id}", at=now, content=(Text(text=_TEXT),), speaker=Speaker(id="7", name="Ada")
    )
    piece = PlannedPiece(
        reply_id=reply_id,
        number=0,
        session_id=session_id,
        channel_id=str(channel_id),
        nonce=nonce_for(message_id, 0),
        at=now,
    )
    await stores.replies.begin(
        BegunReply(
            session_id=session_id,
            generation=0,
            run_id=f"run:{message_id}",
            turns=(SpokenTurn(turn=turn, message_ids=(message_id,)),),
            first_piece=piece,
        )
    )
    await stores.history.window(session_id, _WINDOW)
    await stores.outbox.posted(reply_id, 0, f"9{message_id}")
    reply = AssistantTurn(
        id=f"reply:{message_id}",
        run_id=f"run:{message_id}",
        created_at=now,
        completed_at=now,
        rounds=(Round(content=(ReplyText(text=_TEXT),)),),
    )
    await stores.replies.commit(
        CommittedReply(
            session_id=session_id, generation=0, reply_id=reply_id, message_ids=(message_id,), turn=reply
        )
    )


async def watch_lag(lags: list[float]) -> None:
    """How much later than asked the loop comes back, every 5 ms."""
    while True:
        asked = time.perf_counter()
        await asyncio.sleep(0.005)
        lags.append((time.perf_counter() - asked - 0.005) * 1000)


async def measure(name: str, *, messages: int, sessions: int, per_s: float | None) -> Measurement:
    """Runs messages through fresh stores, as fast as they go or paced at `per_s`."""
    times: list[float] = []
    lags: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        async with Database(sqlite_url(Path(folder) / "bench.db")) as database:
            stores = stored_scenes(database)
            start = time.perf_counter()

            async def talk(channel_id: int) -> None:
                session = await stores.sessions.open(ChannelBinding(channel_id=channel_id), datetime.now(UTC))
                for number in range(messages // sessions):
                    if per_s is not None:
                        due = start + (number * sessions + channel_id) / per_s
                        await asyncio.sleep(max(0.0, due - time.perf_counter()))
                    began = time.perf_counter()
                    await answer(stores, session.session_id, channel_id, number)
                    times.append((time.perf_counter() - began) * 1000)

            async with asyncio.TaskGroup() as watch:
                lag = watch.create_task(watch_lag(lags))
                async with asyncio.TaskGroup() as talks:
                    for channel_id in range(1, sessions + 1):
                        talks.create_task(talk(channel_id))
                took = time.perf_counter() - start
                lag.cancel()
    return Measurement(
        name=name,
        messages=len(times),
        messages_per_s=round(len(times) / took, 1),
        rows_per_s=round(len(times) * _ROWS_PER_MESSAGE / took, 1),
        storage_p50_ms=_percentile(times, 50),
        storage_p99_ms=_percentile(times, 99),
        loop_lag_p50_ms=_percentile(lags, 50),
        loop_lag_p99_ms=_percentile(lags, 99),
        loop_lag_max_ms=round(max(lags, default=0.0), 3),
    )


def _percentile(values: Sequence[float], percent: int) -> float:
    if len(values) < 2:
        return round(sum(values), 3)
    return round(statistics.quantiles(values, n=100)[percent - 1], 3)


async def main(messages: int, sessions: int) -> list[Measurement]:
    """The measurements, one after the other."""
    return [
        await measure("one by one", messages=min(messages, 500), sessions=1, per_s=None),
        await measure(f"grouped, {sessions} sessions", messages=messages, sessions=sessions, per_s=None),
        await measure("paced at 400/s", messages=messages, sessions=sessions, per_s=400),
    ]


def table(measurements: Sequence[Measurement]) -> str:
    """The measurements as a table."""
    names = [name for name in asdict(measurements[0]) if name != "name"]
    lines = [" " * 24 + "".join(f"{name:>18}" for name in names)]
    for one in measurements:
        fields = asdict(one)
        lines.append(f"{one.name:<24}" + "".join(f"{fields[name]:>18}" for name in names))
    return "\n".join(lines)


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    arguments.add_argument("--messages", type=int, default=2000)
    arguments.add_argument("--sessions", type=int, default=50)
    arguments.add_argument("--json", action="store_true")
    chosen = arguments.parse_args()
    measured = asyncio.run(main(chosen.messages, chosen.sessions))
    print(json.dumps([asdict(one) for one in measured], indent=2) if chosen.json else table(measured))
