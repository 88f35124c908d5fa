"""Where the console writes: a terminal with colour, or a pipe with plain text."""

from typing import Protocol

from rich.console import Console
from rich.text import Text


class Screen(Protocol):
    """Shows words to one person."""

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
    """A terminal; what the program says of itself is dim."""

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

    def __init__(self, output: Console, errors: Console) -> None:
        self._output = output
        self._errors = errors

    def tell(self, line: str) -> None:
        """See `Screen`."""
        self._errors.print(Text(line), soft_wrap=True)

    def grow(self, text: str) -> None:
        """See `Screen`."""
        self._output.print(Text(_without_control(text)), end="", soft_wrap=True)

    def end_reply(self, note: str = "") -> None:
        """See `Screen`."""
        self._output.print()
        if note:
            self._errors.print(Text(note), soft_wrap=True)


def _without_control(text: str) -> str:
    return "".join(character for character in text if character.isprintable() or character in "\n\t")
