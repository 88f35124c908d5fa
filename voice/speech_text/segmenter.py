"""Cuts a streamed Markdown answer into segments that can be spoken one by one (SPEECH-1).

A segment ends after a sentence or a line, only where no formula, code, link, emphasis or table is open. The
segments joined are the input, and they are the same however the input was cut into chunks: each decision
looks at the text alone, at most one character ahead of what it ends. What a segment means is
`to_speech_text`'s business. Cost is linear in the text.
"""

import re
from enum import Enum
from typing import Final

from voice.speech_text.open_constructs import RUNS, OpenConstructs
from voice.speech_text.sentence_ends import (
    CLOSERS,
    LOOK_BACK,
    NARROW_TERMINATORS,
    WIDE_TERMINATORS,
    Verdict,
    judge,
)

_BLOCK_START: Final = re.compile(r"[ \t]*(?:>|[-*+][ \t]|\d{1,9}[.)][ \t]|\#{1,6}[ \t]|-\#[ \t])")
_FENCE: Final = re.compile(r"(?:[ \t]|>|[-*+][ \t]|\d{1,9}[.)][ \t])*(`{3,}(?=[^`]*$)|~{3,})")
_DELIMITER_ROW: Final = re.compile(r"[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-*:?[ \t]*)*$")
_DELIMITERS: Final = frozenset("-:| \t>")
_MARKS: Final = "".join(CLOSERS) + "*_~|"
_PREFIX: Final = 400
"""Characters of a line that are kept to tell a fence or a delimiter row."""
_BLOCK_PREFIX: Final = 24
"""Characters within which a line shows that it begins a block."""


class _Table(Enum):
    NONE = "none"
    HEADER = "a line with a pipe was seen, the next may be a delimiter row"
    ROWS = "inside"


class _Ending(Enum):
    NONE = "none"
    NARROW = "a full stop, waiting for a space"
    WIDE = "a wide terminator, waiting for anything but a closer"
    DEPENDS = "an abbreviation and a space, waiting for a letter"


class MarkdownSegmenter:
    """One answer's stream: `feed` every chunk in order, then `end` once."""

    def __init__(self) -> None:
        self._tokens: list[str] = []  # of the segment that is open
        self._has_text = False  # whether it has more than white space
        self._held = ""  # the last token, until the next character shows that it is whole
        self._before = ""  # the last character of the token before
        self._tail = ""  # what stands before, for `judge`
        self._line: list[str] = []  # the first tokens of the line, up to `_PREFIX` characters
        self._line_length = 0
        self._line_has_pipe = False
        self._line_start = 0  # index into `_tokens`
        self._fence = ""  # the run that opened the code block
        self._table = _Table.NONE
        self._ending = _Ending.NONE
        self._ending_at = 0
        self._open = OpenConstructs()
        self._done: list[str] = []

    @property
    def is_inside_formula_code_or_link(self) -> bool:
        """Whether a cut here would break what must be read as one."""
        return bool(self._fence) or self._table is _Table.ROWS or self._open.is_atomic

    def feed(self, chunk: str) -> tuple[str, ...]:
        """The segments that `chunk` completes, in order."""
        for character in chunk:
            held = self._held
            if not held:
                self._held = character
            elif (held[0] in RUNS and held[0] == character) or (held == "\\" and character != "\n"):
                self._held = held + character
            else:
                self._held = character
                self._take(held, character)
        return self._drain()

    def flush(self) -> tuple[str, ...]:
        """Ends the segment here, whatever is open (a marker or a flush stands here)."""
        if self._held:
            held, self._held = self._held, ""
            self._take(held, "")
        if self._table is not _Table.NONE and not self._line_has_pipe and self._line_length:
            self._cut_line()
        self._cut(len(self._tokens))
        self._ending = _Ending.NONE
        self._open = OpenConstructs()
        return self._drain()

    def end(self) -> tuple[str, ...]:
        """The last segments; the segmenter is not used after it."""
        segments = self.flush()
        if not self._tokens:
            return segments
        rest, self._tokens = "".join(self._tokens), []
        return (*segments, rest)

    def _drain(self) -> tuple[str, ...]:
        done, self._done = tuple(self._done), []
        return done

    def _take(self, token: str, after: str) -> None:
        """One whole token, with the character after it."""
        if not self._line_length:
            self._line_start = len(self._tokens)
        self._end_sentence_before(token)
        self._tokens.append(token)
        self._has_text = self._has_text or not token.isspace()
        if self._line_length < _PREFIX:
            self._line.append(token)
        self._line_length += len(token)
        if token == "\n":
            self._end_line()
        elif not self._fence:
            self._inside_line(token, after)
        self._tail = (self._tail + token[-LOOK_BACK:])[-LOOK_BACK:]
        self._before = token[-1]

    def _inside_line(self, token: str, after: str) -> None:
        if self._line_length <= _BLOCK_PREFIX and token[0] in " \t>":
            self._begin_block()
        if self._table is _Table.HEADER and not _DELIMITERS.issuperset(token):
            self._table = _Table.NONE
            self._cut_line()
        if token == "|" and not self._open.code and not self._open.formula:
            self._line_has_pipe = True
        was_open = len(self._open.emphasis)
        self._open.feed(token, before=self._before, after=after)
        if token in WIDE_TERMINATORS:
            self._open.give_up_prose(wide=True)
            self._ending = _Ending.WIDE
        elif token in NARROW_TERMINATORS:
            self._ending = _Ending.WIDE if self._ending is _Ending.WIDE else _Ending.NARROW
        elif token.isspace():
            self._end_sentence_after_space()
        elif token not in CLOSERS and len(self._open.emphasis) >= was_open:
            self._ending = _Ending.NONE

    def _begin_block(self) -> None:
        """A line that begins a list item, a quote or a heading ends the paragraph before it."""
        if not (self._open.any or self._table is not _Table.NONE):
            return
        if _BLOCK_START.match("".join(self._line)):
            self._open.end_paragraph()
            self._table = _Table.NONE
            if not self._open.any:
                self._cut_line()

    def _end_sentence_before(self, token: str) -> None:
        """Cuts before `token` where it shows that the sentence has ended."""
        if self._ending is _Ending.NONE or token.isspace():
            return
        if self._ending is _Ending.WIDE:
            goes_along = token in WIDE_TERMINATORS or token[0] in _MARKS or token in NARROW_TERMINATORS
            ends = not goes_along
        elif self._ending is _Ending.DEPENDS:
            ends = not token[0].islower()
            self._ending = _Ending.NONE
        else:
            ends = "\u2e7f" < token[0] <= "\uffff" and self._before in "!?"
        if ends:
            self._cut_sentence()

    def _end_sentence_after_space(self) -> None:
        if self._ending is _Ending.NONE or self._ending is _Ending.DEPENDS:
            return
        self._open.give_up_prose()
        verdict = Verdict.ENDS if self._ending is _Ending.WIDE else judge(self._tail.rstrip(_MARKS))
        if verdict is Verdict.ENDS:
            self._cut_sentence()
        self._ending = _Ending.DEPENDS if verdict is Verdict.DEPENDS else _Ending.NONE

    def _end_line(self) -> None:
        line = "".join(self._line).rstrip("\n")
        is_blank = not line.strip(" \t>")
        has_pipe, self._line_has_pipe = self._line_has_pipe, False
        self._line, self._line_length, self._ending = [], 0, _Ending.NONE
        fence = _FENCE.match(line)
        if self._fence:
            self._close_fence(line)
        elif fence:
            self._fence = fence.group(1)
            self._table = _Table.NONE
            self._open = OpenConstructs()
        elif is_blank:
            self._open.end_paragraph()
            self._table = _Table.NONE
            self._cut_if_closed()
        elif self._table is _Table.HEADER and "-" in line and _DELIMITER_ROW.match(line):
            self._table = _Table.ROWS
        elif self._table is _Table.ROWS and has_pipe:
            return
        else:
            if self._table is not _Table.NONE:
                self._table = _Table.NONE
                self._cut_line()
            if has_pipe and not self._open.any:
                self._table = _Table.HEADER
                return
            self._cut_if_closed()

    def _close_fence(self, line: str) -> None:
        run = line.strip(" \t>")
        if len(run) >= len(self._fence) and not run.strip(self._fence[0]):
            self._fence = ""
            self._cut_if_closed()

    def _cut_if_closed(self) -> None:
        if not self._open.any:
            self._cut(len(self._tokens))

    def _cut_sentence(self) -> None:
        self._ending = _Ending.NONE
        if not self._open.any and self._table is _Table.NONE and not self._line_has_pipe:
            self._cut(len(self._tokens))

    def _cut_line(self) -> None:
        """Cuts before the line that is being read."""
        self._cut(self._line_start)

    def _cut(self, place: int) -> None:
        """Ends the segment before token number `place`, unless it would be white space alone."""
        if not place or not self._has_text:
            return
        text = "".join(self._tokens[:place])
        if text.isspace():
            return
        self._done.append(text)
        del self._tokens[:place]
        self._line_start = max(0, self._line_start - place)
        self._has_text = any(not token.isspace() for token in self._tokens)
