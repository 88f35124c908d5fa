"""Markdown tables, which Discord does not draw, in a form that it does (TEXT-2).

A table becomes a code block aligned by display width, or a list when it is too wide for a phone or holds
links and mentions, which a code block would not show. Works on a growing text: what it has given out stays
as it is. A table is held back until it ends; a long one until its layout is settled by its first rows.
"""

import re
from dataclasses import dataclass
from enum import Enum, auto
from typing import assert_never
from unicodedata import east_asian_width

import regex

WIDEST = 60
"""Columns of a code block that a small window shows without wrapping."""

_LAYOUT_AFTER = 1_500
_LONGEST_LINE = 1_000
_AT_ONCE = 4_096
_WIDE_SIGNS = frozenset("\ufe0f") | {chr(flag) for flag in range(0x1F1E6, 0x1F200)}
_CLUSTER = regex.compile(r"\X")
_BACKTICKS = re.compile(r"`+")
_DELIMITER = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*\Z")
_DELIMITER_BEGUN = re.compile(r"[ \t|:\-]*\Z")
_CELL_BORDER = re.compile(r"(?<!\\)\|")
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_NEEDS_MARKDOWN = re.compile(r"\]\(|https?://|<(?:@|#|a?:|t:|/)|\|\|")
_EMPHASIS = re.compile(r"(\*\*|__|~~|\*)(?=\S)(.+?)(?<=\S)\1")


def display_width(text: str) -> int:
    """Columns of `text` in a monospaced font: two for wide characters and emoji, none for marks."""
    width = 0
    for cluster in _CLUSTER.findall(text):
        is_wide = any(char in _WIDE_SIGNS or east_asian_width(char) in "WF" for char in cluster)
        width += 2 if is_wide else 1
    return width


@dataclass(frozen=True, slots=True, kw_only=True)
class _Layout:
    """How the rows of one table are written; `widths` is empty for a list."""

    header: tuple[str, ...]
    widths: tuple[int, ...]
    right: tuple[bool, ...]

    def opening(self) -> str:
        if not self.widths:
            return _bold(" · ".join(cell for cell in self.header if cell)) + "\n"
        rule = "  ".join("-" * width for width in self.widths)
        return f"```\n{self.row(self.header)}{rule}\n"

    def row(self, cells: tuple[str, ...]) -> str:
        if self.widths:
            padded = (
                " " * (width - display_width(cell)) + cell
                if right
                else cell + " " * (width - display_width(cell))
                for cell, width, right in zip(map(_plain, cells), self.widths, self.right, strict=True)
            )
            return "  ".join(padded).rstrip() + "\n"
        first, *rest = cells
        title = f"- {_bold(first)}"
        if len(rest) == 1:
            return f"{title}: {rest[0]}\n"
        named = zip(self.header[1:], rest, strict=True)
        return f"{title}\n" + "".join(f"  - {name}: {cell}\n" for name, cell in named if cell)

    def closing(self) -> str:
        return "```\n" if self.widths else ""


class _Mode(Enum):
    LINE_START = auto()
    IN_LINE = auto()
    IN_TABLE = auto()


class ReadableTables:
    """Rewrites the tables of a growing text."""

    def __init__(self) -> None:
        self._held = ""
        self._mode = _Mode.LINE_START
        self._ticks = 0
        self._in_fence = False
        self._header: tuple[str, ...] = ()
        self._right: tuple[bool, ...] = ()
        self._rows: list[tuple[str, ...]] = []
        self._rows_size = 0
        self._layout: _Layout | None = None

    def feed(self, delta: str) -> str:
        """Take the next part; returns what is settled by it."""
        settled: list[str] = []
        for start in range(0, len(delta), _AT_ONCE):
            self._held += delta[start : start + _AT_ONCE]
            settled.append(self._settle(final=False))
        return "".join(settled)

    def provisional(self) -> str:
        """What the held back rows would give if the table ended here."""
        if self._mode is not _Mode.IN_TABLE or not self._rows or self._layout is not None:
            return ""
        layout = self._choose_layout()
        return layout.opening() + "".join(map(layout.row, self._rows)) + layout.closing()

    def finish(self) -> str:
        """The rest of the text, which is complete now."""
        settled = self._settle(final=True)
        return settled + self._end_table()

    def _settle(self, *, final: bool) -> str:
        settled: list[str] = []
        while self._held:
            before = len(self._held), self._mode
            match self._mode:
                case _Mode.IN_LINE:
                    settled.append(self._pass_line())
                case _Mode.LINE_START:
                    settled.append(self._begin_line(final=final))
                case _Mode.IN_TABLE:
                    settled.append(self._table_line(final=final))
                case _:
                    assert_never(self._mode)
            if (len(self._held), self._mode) == before:
                break
        return "".join(settled)

    def _take(self, end: int) -> str:
        taken, self._held = self._held[:end], self._held[end:]
        return taken

    def _pass_line(self) -> str:
        end = self._held.find("\n") + 1
        line = self._take(end or len(self._held))
        for run in _BACKTICKS.finditer(line):
            before = self._ticks if run.start() == 0 else 0
            self._ticks = before + len(run.group())
            if (self._ticks // 3 - before // 3) % 2:
                self._in_fence = not self._in_fence
        if not line.endswith("`"):
            self._ticks = 0
        if end:
            self._mode = _Mode.LINE_START
        return line

    def _begin_line(self, *, final: bool) -> str:
        """Hold a line back while it may be a table's header, else let it pass."""
        line, ended, after = self._held.partition("\n")
        start = line.lstrip(" \t")
        may_be_header = start[:1] in {"", "|"} and start[:2] != "||" and len(line) <= _LONGEST_LINE
        if not self._in_fence and may_be_header and (start or not ended):
            if not ended:
                if not final:
                    return ""
            else:
                rule, rule_ended, _ = after.partition("\n")
                if not (rule_ended or final):
                    if _DELIMITER_BEGUN.match(rule) and len(rule) <= _LONGEST_LINE:
                        return ""
                elif self._is_header(line, rule):
                    self._take(len(line) + 1 + len(rule) + len(rule_ended))
                    self._mode = _Mode.IN_TABLE
                    return ""
        self._mode = _Mode.IN_LINE
        return ""

    def _is_header(self, line: str, rule: str) -> bool:
        if not _DELIMITER.match(rule):
            return False
        header, rules = _cells(line), _cells(rule)
        if len(header) != len(rules):
            return False
        self._header = header
        self._right = tuple(cell.endswith(":") and not cell.startswith(":") for cell in rules)
        return True

    def _table_line(self, *, final: bool) -> str:
        line, ended, _ = self._held.partition("\n")
        start = line.lstrip(" \t")
        is_whole = bool(ended) or final
        is_spoiler = is_whole and start.startswith("||") and start.rstrip().endswith("||")
        if start[:1] not in {"", "|"} or (ended and not start) or is_spoiler or len(line) > _LONGEST_LINE:
            self._mode = _Mode.IN_LINE if is_spoiler else _Mode.LINE_START
            return self._end_table()
        if not is_whole:
            return ""
        self._take(len(line) + len(ended))
        if not start:
            return ""
        row = self._fitted(_cells(line))
        if self._layout is not None:
            return self._layout.row(row)
        self._rows.append(row)
        self._rows_size += len(line)
        return self._write_layout() if self._rows_size > _LAYOUT_AFTER else ""

    def _fitted(self, cells: tuple[str, ...]) -> tuple[str, ...]:
        """As many cells as the header has; what is too much stays readable in the last."""
        size = len(self._header)
        if len(cells) > size:
            return (*cells[: size - 1], " | ".join(cells[size - 1 :]))
        return cells + ("",) * (size - len(cells))

    def _write_layout(self) -> str:
        self._layout = self._choose_layout()
        return self._layout.opening() + "".join(map(self._layout.row, self._rows))

    def _end_table(self) -> str:
        if not self._header:
            return ""
        written = self._write_layout() if self._layout is None else ""
        closing = "" if self._layout is None else self._layout.closing()
        self._header, self._rows, self._rows_size, self._layout = (), [], 0, None
        return written + closing

    def _choose_layout(self) -> _Layout:
        lines = [self._header, *self._rows]
        columns = zip(*lines, strict=True)
        widths = tuple(max(display_width(_plain(cell)) for cell in column) for column in columns)
        fits = sum(widths) + 2 * (len(widths) - 1) <= WIDEST
        as_list = len(widths) > 1 and self._rows and not fits
        if as_list or any(_NEEDS_MARKDOWN.search(cell) for line in lines for cell in line):
            widths = ()
        return _Layout(header=self._header, widths=widths, right=self._right)


def _cells(line: str) -> tuple[str, ...]:
    inner = line.strip().removeprefix("|")
    if inner.endswith("|") and not inner.endswith("\\|"):
        inner = inner[:-1]
    return tuple(
        _BREAK.sub(" / ", cell).replace("\\|", "|").replace("```", "`").strip()
        for cell in _CELL_BORDER.split(inner)
    )


def _bold(text: str) -> str:
    return text if not text or _NEEDS_MARKDOWN.search(text) else f"**{_plain(text)}**"


def _plain(cell: str) -> str:
    """A cell as it reads where Markdown is not drawn."""
    return _EMPHASIS.sub(r"\2", cell).replace("`", "")
