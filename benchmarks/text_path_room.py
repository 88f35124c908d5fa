"""A room on the fake Discord with one bot process in it, and the stopwatch beside it.

Times are taken where the request has arrived at the fake: from the moment when a human's message is handed to
the gateway's socket.
"""

import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.fake_discord import FakeDiscord
from tests.fake_discord.recorder import Exchange, Record
from tests.fake_discord.world import Channel

_PATIENCE_S = 20.0
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")


@dataclass(slots=True, kw_only=True)
class Question:
    """One message and when its answers came, in monotonic seconds; `_s` are seconds since it was asked."""

    asked_at: float = 0.0
    typing_at: float | None = None
    reply_at: float | None = None
    replied: asyncio.Future[None] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    @property
    def typing_s(self) -> float:
        """The bot shows typing for every question that it answers."""
        assert self.typing_at is not None
        return self.typing_at - self.asked_at

    @property
    def reply_s(self) -> float:
        assert self.reply_at is not None
        return self.reply_at - self.asked_at


class Room:
    """`channels` are where its bot is asked, one question at a time in each."""

    def __init__(self, name: str, discord: FakeDiscord, channels: list[Channel]) -> None:
        self.name = name
        self.channels = channels
        self.edits = 0
        self._discord = discord
        self._open: dict[str, Question] = {}
        self._pid = 0
        self._lags = Path()
        discord.recorder.on_event = self._passed

    async def ask(self, channel: Channel, text: str) -> Question:
        """Writes a mention of the bot and waits for its reply."""
        question = Question()
        self._open[str(channel.id)] = question
        self._discord.humans.mention_bot(channel, self._discord.ada, text)
        question.asked_at = time.perf_counter()
        async with asyncio.timeout(_PATIENCE_S):
            await question.replied
        return question

    def cpu_s(self) -> float:
        """The processor time that the bot's process has taken so far, in seconds; in steps of 10 ms."""
        fields = Path(f"/proc/{self._pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS_PER_S

    def lags_s(self, windows: list[tuple[float, float]]) -> list[float]:
        """How late the bot's loop was within these spans of time; known once its process has ended."""
        lags: list[tuple[float, float]] = json.loads(self._lags.read_text())
        return [late for at, late in lags if any(begin <= at <= end for begin, end in windows)]

    @asynccontextmanager
    async def bot(self, folder: Path, environment: Mapping[str, str]) -> AsyncIterator[None]:
        """Its process, connected; ended with the block."""
        self._lags = folder / f"{self.name}-lags.json"
        with (folder / f"{self.name}.log").open("wb") as log:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "benchmarks.text_path_bots",
                self.name,
                env={**os.environ, **environment, **self._discord.environment, "LAGS": str(self._lags)},
                stdout=log,
                stderr=log,
            )
            self._pid = process.pid
            try:
                await self._discord.bot_connected(within_s=_PATIENCE_S)
                yield
            finally:
                process.send_signal(signal.SIGTERM)
                await process.wait()

    def _passed(self, _number: int, record: Record) -> None:
        if not isinstance(record, Exchange) or record.answered_number is not None:
            return
        now = time.perf_counter()
        question = self._open.get(record.params.get("channel_id", ""))
        match record.method, record.route:
            case "PATCH", _:
                self.edits += 1
            case "POST", "/channels/{channel_id}/typing" if question and question.typing_at is None:
                question.typing_at = now
            case "POST", "/channels/{channel_id}/messages" if question and question.reply_at is None:
                question.reply_at = now
                question.replied.set_result(None)
            case _:
                pass


@asynccontextmanager
async def opened_rooms(*names: str, channels: int) -> AsyncIterator[list[Room]]:
    """One fake Discord for each name, without rate limits, checks and recording."""
    async with AsyncExitStack() as stack:
        rooms: list[Room] = []
        for name in names:
            discord = await stack.enter_async_context(
                FakeDiscord.running(rate_limits=False, validate=False, record=False)
            )
            added = [discord.world.add_channel(discord.guild, f"room-{n}") for n in range(channels)]
            rooms.append(Room(name, discord, added))
        yield rooms
