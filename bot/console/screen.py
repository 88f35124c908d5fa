"""Where the console writes: a terminal with colour, or a pipe with plain text."""

import sys
from typing import Protocol, TextIO

from rich.console import Console
from rich.text import Text


class Screen(Protocol):
    """Shows words to one person. `is_gone`: nobody can read them any more."""

    @property
    def is_gone(self) -> bool: ...

    def tell(self, line: str) -> None:
        """A line about the program itself."""
        ...

    def grow(self, text: str) -> None:
        """The next piece of a reply."""
        ...

    def end_reply(self, note: str = "") -> None:
        """The reply is over; `note` says what a reader must know of it."""
        ...


class TerminalScreen:
    """A terminal; what the program says of itself is dim. One that closes ends the process by a signal."""

    is_gone = False

    def __init__(self, console: Console) -> None:
        self._console = console

    def tell(self, line: str) -> None:
        """See `Screen`."""
        self._console.print(Text(line, style="dim"), soft_wrap=True)

    def grow(self, text: str) -> None:
        """See `Screen`; nothing in a reply is taken for markup or for control of the terminal."""
        self._console.print(Text(_without_control(text)), end="", soft_wrap=True)

    def end_reply(self, note: str = "") -> None:
        """See `Screen`."""
        self._console.print()
        if note:
            self._console.print(Text(note, style="yellow"), soft_wrap=True)


class PipeScreen:
    """Standard output as data: replies alone; what the program says of itself goes to standard error."""

    def __init__(self, output: TextIO = sys.stdout, errors: TextIO = sys.stderr) -> None:
        self._output = output
        self._errors = errors
        self.is_gone = False

    def tell(self, line: str) -> None:
        """See `Screen`."""
        self._write(self._errors, f"{line}\n")

    def grow(self, text: str) -> None:
        """See `Screen`."""
        self._write(self._output, _without_control(text))

    def end_reply(self, note: str = "") -> None:
        """See `Screen`."""
        self._write(self._output, "\n")
        if note:
            self.tell(note)

    def _write(self, stream: TextIO, text: str) -> None:
        try:
            stream.write(text)
            stream.flush()
        except OSError:  # the reader closed the pipe, or the disk behind it is full
            self.is_gone = self.is_gone or stream is self._output


def _without_control(text: str) -> str:
    return "".join(character for character in text if character.isprintable() or character in "\n\t")
