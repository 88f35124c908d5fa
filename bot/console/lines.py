"""What the person writes: lines of a terminal with history and editing, or lines of a pipe."""

import asyncio
import stat
import sys
import threading
from pathlib import Path
from queue import SimpleQueue
from typing import Protocol, TextIO

from prompt_toolkit import PromptSession
from prompt_toolkit.history import FileHistory
from prompt_toolkit.patch_stdout import patch_stdout

_OWNER_ONLY = stat.S_IRUSR | stat.S_IWUSR


class Interrupted(Exception):
    """Ctrl-C while a line was being written."""


class Lines(Protocol):
    """A source of lines for one reader."""

    async def next_line(self) -> str | None:
        """The next line without its end; None when there will be none.

        Raises:
            Interrupted: the person pressed Ctrl-C instead.
        """
        ...


class TerminalLines:
    """An editable prompt; earlier lines are kept in `history_file`, readable by its owner alone."""

    def __init__(self, history_file: Path) -> None:
        history_file.touch(mode=_OWNER_ONLY)
        history_file.chmod(_OWNER_ONLY)
        self._session: PromptSession[str] = PromptSession(history=FileHistory(str(history_file)))

    async def next_line(self) -> str | None:
        """See `Lines`; Ctrl-D ends."""
        try:
            with patch_stdout():
                return await self._session.prompt_async("you> ")
        except KeyboardInterrupt:
            raise Interrupted from None
        except EOFError:
            return None


class PipedLines:
    """Lines of a stream that may block. The reading thread ends with the process, never before it."""

    def __init__(self, stream: TextIO = sys.stdin) -> None:
        self._stream = stream
        self._asked: SimpleQueue[tuple[asyncio.AbstractEventLoop, asyncio.Future[str]]] = SimpleQueue()
        threading.Thread(target=self._read, name="standard input", daemon=True).start()

    async def next_line(self) -> str | None:
        """See `Lines`; the end of the file ends."""
        loop = asyncio.get_running_loop()
        line: asyncio.Future[str] = loop.create_future()
        self._asked.put((loop, line))
        text = await line
        return text.rstrip("\r\n") if text else None

    def _read(self) -> None:
        while True:
            loop, line = self._asked.get()
            text = self._stream.readline()
            loop.call_soon_threadsafe(_set, line, text)


def _set(line: asyncio.Future[str], text: str) -> None:
    if not line.done():
        line.set_result(text)
