"""How a document is cut into pieces that are understood by themselves (MEM-8). Pure.

A piece ends where a heading begins, else between paragraphs, else between lines, else between sentences,
else between words, and only then inside of one. Nothing but blanks is lost, and each piece knows its line.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import regex

from core.prompts.plain_line import plain_line
from recipes.knowledge.documents import Piece

MOST_PIECE: Final = 900
"""Characters of one piece."""

_MOST_HEADING: Final = 120
_HEADING: Final = regex.compile(r" {0,3}(#{1,6})[ \t]+(\S.*)")
_CLOSING: Final = regex.compile(r"[ \t]+#+$")
_FENCE: Final = regex.compile(r" {0,3}(`{3,}|~{3,})")
_SENTENCE_END: Final = regex.compile(r"[.!?…]+[\"'”’)\]]*\s|[。！？]+[」』”’）]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """A line that is not blank, or a part of one that is too long."""

    text: str
    number: int
    heading: str
    is_heading: bool
    begins_paragraph: bool


def pieces_of(text: str, *, markdown: bool) -> tuple[Piece, ...]:
    """The pieces of a text whose lines end in line feeds; headings are those of Markdown."""
    lines = tuple(_lines(text, markdown=markdown))
    pieces: list[list[_Line]] = []
    for place, line in enumerate(lines):
        wanted = _paragraph(lines, place) if line.begins_paragraph else len(line.text)
        if not pieces or not _continues(pieces[-1], line, wanted):
            pieces.append([])
        pieces[-1].append(line)
    return tuple(
        Piece(text=_joined(piece), line=piece[0].number, heading=piece[-1].heading) for piece in pieces
    )


def _continues(piece: list[_Line], line: _Line, wanted: int) -> bool:
    """Whether a line goes into the piece before it; `wanted`: characters that should stay together."""
    if line.is_heading and not all(one.is_heading for one in piece):
        return False
    taken = len(_joined(piece)) + 2
    is_titles = all(one.is_heading for one in piece)
    return taken + (len(line.text) if is_titles else wanted) <= MOST_PIECE


def _paragraph(lines: tuple[_Line, ...], place: int) -> int:
    """How long the paragraph is that begins there; what fits into no piece is cut anyway."""
    length = len(lines[place].text)
    for line in lines[place + 1 :]:
        if line.begins_paragraph or length > MOST_PIECE:
            break
        length += 1 + len(line.text)
    return length if length <= MOST_PIECE else len(lines[place].text)


def _joined(piece: list[_Line]) -> str:
    text = piece[0].text
    for line in piece[1:]:
        text += f"\n\n{line.text}" if line.begins_paragraph else f"\n{line.text}"
    return text


def _lines(text: str, *, markdown: bool) -> Iterator[_Line]:
    trail: list[tuple[int, str]] = []
    fence = ""
    after_blank = True
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.rstrip()
        if not line:
            after_blank = True
            continue
        found = _HEADING.fullmatch(line) if markdown and not fence else None
        if found is not None:
            level = len(found[1])
            trail = [one for one in trail if one[0] < level]
            trail.append((level, _CLOSING.sub("", found[2])))
        elif markdown:
            fence = _fence_after(fence, line)
        heading = plain_line(" > ".join(title for _, title in trail), limit=_MOST_HEADING)
        for part in _parts(line):
            yield _Line(
                text=part,
                number=number,
                heading=heading,
                is_heading=found is not None,
                begins_paragraph=after_blank or found is not None,
            )
            after_blank = found is not None


def _fence_after(fence: str, line: str) -> str:
    """The fence of code that is open after the line; inside of one no line is a heading."""
    found = _FENCE.match(line)
    if not fence:
        return "" if found is None else found[1]
    closes = found is not None and found[1].startswith(fence) and not line[found.end() :].strip()
    return "" if closes else fence


def _parts(line: str) -> Iterator[str]:
    """The line in parts that fit, cut behind a sentence or at a blank of their second half."""
    while len(line) > MOST_PIECE:
        cut = _cut(line[:MOST_PIECE])
        part = line[:cut].rstrip()
        if part:
            yield part
        line = line[cut:].lstrip()
    if line:
        yield line


def _cut(window: str) -> int:
    half = len(window) // 2
    ends = [found.end() for found in _SENTENCE_END.finditer(window) if found.end() > half]
    if ends:
        return ends[-1]
    blank = max(window.rfind(" "), window.rfind("\t"), window.rfind("\u3000"))
    return blank + 1 if blank > half else len(window)
