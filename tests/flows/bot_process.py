"""`python -m bot` as a process of its own, by environment alone: what it prints, its signals, its end."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from bot.settings_source import setting_fields
from tests.architecture.sources import ROOT

_OURS = {name for name, _ in setting_fields()}
_START_WITHIN_S = 40.0


def scrubbed_environment(settings: Mapping[str, str]) -> dict[str, str]:
    """This environment without our settings, with the given ones; nothing asks a model by itself."""
    inherited = {name: value for name, value in os.environ.items() if name.upper() not in _OURS}
    quiet = {"LOCAL_MODEL_DISCOVERY": "off", "REMEMBER_AFTER_S": "0"}
    return {**inherited, "PYTHONPATH": str(ROOT), **quiet, **settings}


class BotProcess:
    """One run of the bot. `output` is both of its streams as they came, `pid` its number."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._grown = asyncio.Condition()
        self.output = ""

    @classmethod
    @asynccontextmanager
    async def started(cls, folder: Path, settings: Mapping[str, str]) -> AsyncIterator["BotProcess"]:
        """Runs in `folder` until the end of the block, where it is killed unless it has ended."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "bot",
            cwd=folder,
            env=scrubbed_environment(settings),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        bot = cls(process)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(bot._read())
            try:
                yield bot
            finally:
                bot.signal(signal.SIGKILL)
                await process.wait()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def running(self) -> bool:
        return self._process.returncode is None

    def signal(self, number: signal.Signals) -> None:
        """Sends it, unless the process is over."""
        if self.running:
            self._process.send_signal(number)

    async def says(self, words: str, *, within_s: float = _START_WITHIN_S) -> None:
        """Waits until the output holds `words`."""
        async with asyncio.timeout(within_s), self._grown:
            await self._grown.wait_for(lambda: words in self.output)

    async def ended(self, *, within_s: float = _START_WITHIN_S) -> int:
        """Waits for its exit code; what it printed is complete then."""
        async with asyncio.timeout(within_s):
            code = await self._process.wait()
            async with self._grown:
                await self._grown.wait_for(
                    lambda: self._process.stdout is None or self._process.stdout.at_eof()
                )
        return code

    async def stopped(self, *, within_s: float = 11.0) -> None:
        """Asks it to stop, and holds that it ends cleanly and in time (SET-3)."""
        self.signal(signal.SIGTERM)
        code = await self.ended(within_s=within_s)
        assert code == 0, (code, self.output)
        assert "Traceback" not in self.output, self.output

    async def _read(self) -> None:
        assert self._process.stdout is not None
        while piece := await self._process.stdout.read(65_536):
            async with self._grown:
                self.output += piece.decode(errors="replace")
                self._grown.notify_all()
        async with self._grown:
            self._grown.notify_all()


class WarmStarts:
    """Starts bots by forking a process that has imported them already (`warm_start.py`), one at a time."""

    def __init__(self, parent: asyncio.subprocess.Process, folder: Path, settings: Mapping[str, str]) -> None:
        self._parent = parent
        self._folder = folder
        self._settings = settings
        self._told = asyncio.Condition()
        self._started: list[int] = []
        self._ended: dict[int, int] = {}

    @classmethod
    @asynccontextmanager
    async def ready(cls, folder: Path, settings: Mapping[str, str]) -> AsyncIterator["WarmStarts"]:
        """The parent, warm; whatever still runs at the end of the block is killed."""
        parent = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "tests.flows.warm_start",
            cwd=ROOT,
            env=scrubbed_environment({}),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        starts = cls(parent, folder, settings)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(starts._read())
            try:
                yield starts
            finally:
                starts.kill()
                parent.kill()
                await parent.wait()

    @property
    def log(self) -> Path:
        """What all of them printed."""
        return self._folder / "bot.log"

    @property
    def running(self) -> bool:
        """Whether the newest one runs."""
        return bool(self._started) and self._started[-1] not in self._ended

    async def start(self) -> None:
        """Forks the next one."""
        order = {
            "folder": str(self._folder),
            "log": str(self.log),
            "environment": scrubbed_environment(self._settings),
        }
        before = len(self._started)
        assert self._parent.stdin is not None
        self._parent.stdin.write(json.dumps(order).encode() + b"\n")
        async with asyncio.timeout(_START_WITHIN_S), self._told:
            await self._told.wait_for(lambda: len(self._started) > before)

    def kill(self) -> None:
        """SIGKILL for the newest one, at once."""
        if self.running:
            with suppress(ProcessLookupError):  # it is over, and its end is not told yet
                os.kill(self._started[-1], signal.SIGKILL)

    async def ended(self, *, within_s: float = 15.0) -> int:
        """Waits for the newest one's exit code."""
        async with asyncio.timeout(within_s), self._told:
            await self._told.wait_for(lambda: not self.running)
        return self._ended[self._started[-1]]

    async def stopped(self) -> None:
        """Asks it to stop, and holds that it ends cleanly."""
        os.kill(self._started[-1], signal.SIGTERM)
        assert await self.ended() == 0

    async def _read(self) -> None:
        assert self._parent.stdout is not None
        async for line in self._parent.stdout:
            async with self._told:
                match line.decode().split():
                    case ["started", pid]:
                        self._started.append(int(pid))
                    case ["ended", pid, code]:
                        self._ended[int(pid)] = int(code)
                    case _:
                        pass
                self._told.notify_all()
