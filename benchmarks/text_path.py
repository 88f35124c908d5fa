"""How long a message of Discord takes to its answer, and how many pass in a second: `make bench`.

Three bots, each a process of its own on a fake Discord over real sockets and TLS: Parley with SQLite and a
model that answers at once; the floor, a discord.py bot that shows typing and echoes; and such a bot that asks
the same model over HTTP before it posts. They are asked in turn, so that whatever else the machine does hits
all alike. A last part takes the sockets away: what inbox, history and outbox let through. Nothing is
asserted; figures go to the table and to the file.

    python -m benchmarks.text_path [--pairs 400] [--burst 400] [--output benchmarks/results/text_path.json]
"""

import argparse
import asyncio
import json
import os
import platform
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median

from benchmarks.text_path_model import instant_model
from benchmarks.text_path_offline import Passed, messages_without_sockets
from benchmarks.text_path_room import Question, Room, opened_rooms
from tests.fake_models import Answer

_CHANNELS = 64
_IN_FLIGHT = 64
_ROUNDS = 4
_PAUSE_S = 0.005
_ANSWER = Answer(text=("Water ", "them ", "in ", "the ", "morning, ", "less ", "in ", "winter."))
_QUESTION = "how often should I water the tomatoes, number {}?"
_EVERYTHING = {
    "OPENAI_API_KEY": "any",
    "OPENAI_MODEL": "instant",
    "LOCAL_MODEL_DISCOVERY": "false",
    "DATABASE_URL": "",
    "LOG_LEVEL": "INFO",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Percentiles in milliseconds."""

    p50: float
    p90: float
    p99: float

    @classmethod
    def of(cls, values_s: Sequence[float]) -> "Spread":
        ranked = sorted(values_s)

        def at(share: float) -> float:
            return round(1000 * ranked[min(len(ranked) - 1, int(share * len(ranked)))], 3) if ranked else 0.0

        return cls(p50=at(0.50), p90=at(0.90), p99=at(0.99))


@dataclass(slots=True, kw_only=True)
class Figures:
    """What was measured of one bot."""

    questions: list[Question] = field(default_factory=list[Question])
    rates: list[float] = field(default_factory=list[float])
    cpu_ms: list[float] = field(default_factory=list[float])
    bursts: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])
    calm: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])

    def summary(self, room: Room) -> dict[str, object]:
        """As it goes to the file."""
        return {
            "typing_ms": asdict(Spread.of([question.typing_s for question in self.questions])),
            "reply_ms": asdict(Spread.of([question.reply_s for question in self.questions])),
            "messages_per_s": round(median(self.rates), 1),
            "messages_per_s_of_rounds": [round(rate, 1) for rate in self.rates],
            "cpu_ms_per_message": round(median(self.cpu_ms), 3),
            "loop_lag_calm_ms": asdict(Spread.of(room.lags_s(self.calm))),
            "loop_lag_burst_ms": asdict(Spread.of(room.lags_s(self.bursts))),
            "edits": room.edits,
        }


async def in_turn(rooms: list[Room], figures: dict[str, Figures], pairs: int) -> None:
    """One question at a time, now here, now there."""
    began = time.perf_counter()
    for number in range(pairs):
        for room in rooms:
            channel = room.channels[number % len(room.channels)]
            figures[room.name].questions.append(await room.ask(channel, _QUESTION.format(number)))
            await asyncio.sleep(_PAUSE_S)
    for room in rooms:
        figures[room.name].calm.append((began, time.perf_counter()))


async def burst(room: Room, figures: Figures, messages: int) -> None:
    """As many as the bot takes, over many channels at once."""
    left = iter(range(messages))

    async def ask_on(worker: int) -> None:
        for number in left:
            await room.ask(room.channels[worker % len(room.channels)], _QUESTION.format(number))

    cpu_s, began = room.cpu_s(), time.perf_counter()
    async with asyncio.TaskGroup() as tasks:
        for worker in range(_IN_FLIGHT):
            tasks.create_task(ask_on(worker))
    ended = time.perf_counter()
    figures.rates.append(messages / (ended - began))
    figures.bursts.append((began, ended))
    await asyncio.sleep(0.3)  # the last ones are settled in storage
    figures.cpu_ms.append(1000 * (room.cpu_s() - cpu_s) / messages)


def distance(ours: Figures, floor: Figures) -> dict[str, object]:
    """By how much each question of ours took longer than the one that the floor got next to it."""
    pairs = list(zip(ours.questions, floor.questions, strict=True))
    return {
        "typing_ms": asdict(Spread.of([one.typing_s - other.typing_s for one, other in pairs])),
        "reply_ms": asdict(Spread.of([one.reply_s - other.reply_s for one, other in pairs])),
    }


async def measured(pairs: int, messages: int) -> dict[str, dict[str, object]]:
    """Both bots, side by side."""
    async with (
        instant_model(_ANSWER) as model,
        opened_rooms("parley", "echo", "asking", channels=_CHANNELS) as rooms,
    ):
        figures = {room.name: Figures() for room in rooms}
        with tempfile.TemporaryDirectory(prefix="text-path-") as kept:
            folder = Path(kept)
            ours = {**_EVERYTHING, "DATA_DIR": str(folder / "data"), "OPENAI_API_BASE_URL": model}
            parley, echo, asking = rooms
            async with parley.bot(folder, ours), echo.bot(folder, {}), asking.bot(folder, ours):
                await asyncio.sleep(0.5)  # the catch-up of the start is over
                await in_turn(rooms, {room.name: Figures() for room in rooms}, _CHANNELS)
                await in_turn(rooms, figures, pairs)
                for _ in range(_ROUNDS):
                    for room in rooms:
                        await burst(room, figures[room.name], messages)
            summaries = {room.name: figures[room.name].summary(room) for room in rooms}
            return {**summaries, "distance": distance(figures["parley"], figures["echo"])}


def table(bots: dict[str, dict[str, object]], offline: Passed) -> str:
    """For people."""
    columns = {"parley": "parley", "echo": "floor", "asking": "floor that asks", "distance": "over the floor"}
    lines = [f"{'':22}" + "".join(f"{column:>26}" for column in columns.values())]
    for key in bots["parley"]:
        if key.endswith("of_rounds"):
            continue
        cells = [bots[name].get(key, "") for name in columns]
        shown = [
            " / ".join(f"{value:.2f}" for value in cell.values()) if isinstance(cell, dict) else str(cell)
            for cell in cells
        ]
        lines.append(f"{key:22}{''.join(f'{cell:>26}' for cell in shown)}".rstrip())
    lines.append("(ms as p50 / p90 / p99)")
    lines.append(
        f"without sockets (inbox, history, outbox): {offline.messages_per_s:.0f} messages/s,"
        f" {offline.cpu_ms_per_message:.2f} ms of processor each"
    )
    return "\n".join(lines)


def main() -> None:
    """Measures, prints, writes."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--pairs", type=int, default=400)
    options.add_argument("--burst", type=int, default=400, help="messages in each round")
    options.add_argument("--output", type=Path, default=Path("benchmarks/results/text_path.json"))
    chosen = options.parse_args()
    bots = asyncio.run(measured(chosen.pairs, chosen.burst))
    offline = asyncio.run(messages_without_sockets(4 * chosen.burst))
    print(table(bots, offline))
    chosen.output.parent.mkdir(parents=True, exist_ok=True)
    machine = {"python": platform.python_version(), "machine": platform.machine(), "cores": os.cpu_count()}
    written = {"machine": machine, "bots": bots, "without_sockets": asdict(offline)}
    chosen.output.write_text(json.dumps(written, indent=2) + "\n")


if __name__ == "__main__":
    main()
