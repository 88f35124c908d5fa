"""Many servers at once: what gets lost, how soon typing is shown, and what memory does meanwhile.

One bot process with SQLite on a fake Discord without rate limits and a model that answers at once. People
write at a steady rate all over 50 servers with 2,000 channels; one message in ten is for the bot.

    python -m benchmarks.text_load [--seconds 10] [--rate 200] [--guilds 50] [--channels 2000] [--one-in 10]
"""

import argparse
import asyncio
import os
import signal
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.text_path_model import instant_model
from tests.fake_discord import FakeDiscord
from tests.fake_discord.recorder import Exchange, Record
from tests.fake_discord.world import Channel
from tests.fake_models import Answer

_ANSWER = Answer(text=("Water ", "them ", "in ", "the ", "morning."))
_SETTLED_WITHIN_S = 30.0
_WARM_S = 3.0
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


@dataclass(slots=True, kw_only=True)
class Load:
    """What was asked and what came of it; times in seconds, memory of the bot's process in bytes."""

    messages: int = 0
    asked_at: dict[str, float] = field(default_factory=dict[str, float])
    typing_s: list[float] = field(default_factory=list[float])
    answers: dict[str, int] = field(default_factory=dict[str, int])
    memory: list[int] = field(default_factory=list[int])

    @property
    def addressed(self) -> int:
        """How many messages were for the bot, each in a channel of its own time."""
        return len(self.asked_at)

    @property
    def lost(self) -> int:
        """Questions without an answer."""
        return self.addressed - len(self.answers)

    @property
    def doubled(self) -> int:
        """Answers beyond the first one to a question."""
        return sum(self.answers.values()) - len(self.answers)

    def typing_at(self, share: float) -> float:
        """A percentile of the time from a message to the typing sign, in seconds."""
        ranked = sorted(self.typing_s)
        return ranked[min(len(ranked) - 1, int(share * len(ranked)))]

    @property
    def memory_growth(self) -> int:
        """From when the load had warmed up to its end."""
        return self.memory[-1] - self.memory[0]


class Crowd:
    """People in many servers, and the stopwatch beside them."""

    def __init__(self, discord: FakeDiscord, *, guilds: int, channels: int) -> None:
        self._discord = discord
        world = discord.world
        made = [world.add_guild(f"server {number}", members=[discord.ada]) for number in range(guilds)]
        self.channels: list[Channel] = [
            world.add_channel(made[number % guilds], f"room-{number}") for number in range(channels)
        ]
        self.load = Load()
        self._open: dict[str, str] = {}
        self._answered = asyncio.Event()
        discord.recorder.on_event = self._passed

    async def write(self, *, rate: float, seconds: float, one_in: int, pid: int) -> Load:
        """Write at that rate for so long, then wait for what is open."""
        began = time.perf_counter()
        while (elapsed := time.perf_counter() - began) < seconds:
            while self.load.messages < elapsed * rate:
                self._say(self.load.messages, one_in)
            if elapsed >= min(_WARM_S, seconds / 2) and not self.load.memory:
                self.load.memory.append(resident_bytes(pid))
            await asyncio.sleep(0.002)
        with suppress(TimeoutError):
            async with asyncio.timeout(_SETTLED_WITHIN_S):
                while self.load.lost:
                    self._answered.clear()
                    await self._answered.wait()
        await asyncio.sleep(0.5)  # a second answer would come now
        self.load.memory.append(resident_bytes(pid))
        return self.load

    def _say(self, number: int, one_in: int) -> None:
        channel = self.channels[number * 7 % len(self.channels)]
        humans, ada = self._discord.humans, self._discord.ada
        self.load.messages += 1
        if number % one_in or str(channel.id) in self._open:
            humans.say(channel, ada, f"the tomatoes of plot {number} look fine")
            return
        question = str(humans.mention_bot(channel, ada, f"what about plot {number}?").id)
        self._open[str(channel.id)] = question
        self.load.asked_at[question] = time.perf_counter()

    def _passed(self, _number: int, record: Record) -> None:
        if not isinstance(record, Exchange) or record.answered_number is not None or record.method != "POST":
            return
        channel_id = record.params.get("channel_id", "")
        if record.route == "/channels/{channel_id}/typing" and channel_id in self._open:
            asked_at = self.load.asked_at[self._open[channel_id]]
            self.load.typing_s.append(time.perf_counter() - asked_at)
        elif record.route == "/channels/{channel_id}/messages":
            question = record.json["message_reference"]["message_id"]
            self.load.answers[question] = self.load.answers.get(question, 0) + 1
            self._open.pop(channel_id, None)
            self._answered.set()


def resident_bytes(pid: int) -> int:
    """The memory that the process holds."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE_BYTES


@asynccontextmanager
async def crowded_bot(
    *, guilds: int, channels: int, rate_limits: bool = False
) -> AsyncIterator[tuple[Crowd, int]]:
    """A bot process among that crowd, and its number."""
    async with (
        instant_model(_ANSWER) as model,
        FakeDiscord.running(rate_limits=rate_limits, validate=False, record=False) as discord,
    ):
        crowd = Crowd(discord, guilds=guilds, channels=channels)
        with tempfile.TemporaryDirectory(prefix="text-load-") as kept:
            settings = {
                **discord.environment,
                "OPENAI_API_BASE_URL": model,
                "OPENAI_MODEL": "instant",
                "DATA_DIR": str(Path(kept) / "data"),
                "REMEMBER_AFTER_S": "0",
                "LOG_LEVEL": "WARNING",
            }
            async with _process(Path(kept), settings) as pid:
                await discord.bot_connected(within_s=60)
                await asyncio.sleep(2.0)  # what the start looks back at is read
                yield crowd, pid


@asynccontextmanager
async def _process(folder: Path, settings: Mapping[str, str]) -> AsyncIterator[int]:
    with (folder / "bot.log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "bot", env={**os.environ, **settings}, stdout=log, stderr=log
        )
        try:
            yield process.pid
        finally:
            process.send_signal(signal.SIGTERM)
            await process.wait()


async def loaded(
    *, guilds: int, channels: int, rate: float, seconds: float, one_in: int, rate_limits: bool = False
) -> Load:
    """The whole: start, write, stop."""
    async with crowded_bot(guilds=guilds, channels=channels, rate_limits=rate_limits) as (crowd, pid):
        return await crowd.write(rate=rate, seconds=seconds, one_in=one_in, pid=pid)


def main() -> None:
    """Measures and prints."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=10)
    options.add_argument("--rate", type=float, default=200, help="messages a second, over all servers")
    options.add_argument("--guilds", type=int, default=50)
    options.add_argument("--channels", type=int, default=2_000)
    options.add_argument("--one-in", type=int, default=10, help="so many messages, one of them for the bot")
    chosen = options.parse_args()
    load = asyncio.run(
        loaded(
            guilds=chosen.guilds,
            channels=chosen.channels,
            rate=chosen.rate,
            seconds=chosen.seconds,
            one_in=chosen.one_in,
        )
    )
    shares = ", ".join(f"p{share * 100:.0f} {1000 * load.typing_at(share):.1f}" for share in (0.5, 0.9, 0.99))
    print(f"{load.messages} messages, {load.addressed} for the bot; lost {load.lost}, doubled {load.doubled}")
    print(f"message to typing (ms): {shares}")
    print(f"memory: {load.memory[-1] / 1e6:.1f} MB, {load.memory_growth / 1e6:+.1f} MB under load")


if __name__ == "__main__":
    main()
