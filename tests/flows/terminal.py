"""`python -m bot` in a terminal of its own: a pseudo terminal with a person who reads and types."""

import asyncio
import fcntl
import os
import pty
import re
import signal
import struct
import sys
import termios
import tty
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from tests.flows.bot_process import scrubbed_environment

_CONTROL = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b[()][A-Z0-9]|\x1b[=>]|\x1b\][^\x07]*\x07")
_WHERE_IS_THE_CURSOR, _AT_THE_BOTTOM = b"\x1b[6n", b"\x1b[40;1R"
CTRL_C, CTRL_D = "\x03", "\x04"


class Terminal:
    """What stands on the screen, without colours, as one text; and the keyboard."""

    def __init__(self, process: asyncio.subprocess.Process, keyboard: int) -> None:
        self._process = process
        self._keyboard = keyboard
        self._changed = asyncio.Event()
        self.raw = ""

    @classmethod
    @asynccontextmanager
    async def started(cls, folder: Path, settings: Mapping[str, str]) -> AsyncIterator["Terminal"]:
        """A window of 100 columns in which the bot runs; it is closed at the end of the block."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "bot",
            cwd=folder,
            env={**scrubbed_environment(settings), "TERM": "xterm-256color", "COLUMNS": "100"},
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # so that Ctrl-C is a signal
        )
        os.close(slave)
        os.set_blocking(master, False)
        terminal = cls(process, master)
        loop = asyncio.get_running_loop()
        loop.add_reader(master, terminal._read)
        try:
            yield terminal
        finally:
            loop.remove_reader(master)
            if process.returncode is None:
                process.send_signal(signal.SIGKILL)
                await process.wait()
            os.close(master)

    @property
    def screen(self) -> str:
        return _CONTROL.sub("", self.raw).replace("\r", "").replace("\x08", "")

    @property
    def is_raw(self) -> bool:
        """The terminal's line editing is off, as a program that edits lines itself leaves it."""
        return not termios.tcgetattr(self._keyboard)[tty.LFLAG] & termios.ICANON

    def types(self, text: str) -> None:
        os.write(self._keyboard, text.encode())

    async def shows(self, words: str, *, count: int = 1, within_s: float = 40.0) -> None:
        """Waits until `words` have come `count` times."""
        try:
            async with asyncio.timeout(within_s):
                while self.screen.count(words) < count:
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            raise AssertionError(f"{words!r} did not come; the screen:\n{self.screen}") from None

    async def ready(self, *, within_s: float = 40.0) -> None:
        """Waits for the prompt at the end of the screen, and until keys are the program's."""
        try:
            async with asyncio.timeout(within_s):
                while not (self.is_raw and self.screen.rstrip().endswith("you>")):
                    await asyncio.sleep(0.01)
        except TimeoutError:
            raise AssertionError(f"no prompt came; the screen:\n{self.screen}") from None

    async def ended(self, *, within_s: float = 15.0) -> int:
        try:
            async with asyncio.timeout(within_s):
                return await self._process.wait()
        except TimeoutError:
            raise AssertionError(f"it did not end; the screen:\n{self.screen}") from None

    def signal(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def _read(self) -> None:
        try:
            piece = os.read(self._keyboard, 65_536)
        except OSError:
            piece = b""
        if not piece:
            asyncio.get_running_loop().remove_reader(self._keyboard)
        if _WHERE_IS_THE_CURSOR in piece:
            os.write(self._keyboard, _AT_THE_BOTTOM)
        self.raw += piece.decode(errors="replace")
        self._changed.set()
