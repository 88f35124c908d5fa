"""Which inline constructs of Markdown are open at a place in a stream (SPEECH-1).

Told token by token, where a token is one character or a run of one of `` ` * _ ~ | $ ``. What is opened and
never closed is given up at the end of its paragraph or after `PATIENCE` characters, so that one stray mark
does not keep an answer silent.
"""

from dataclasses import dataclass, field
from typing import Final

PATIENCE: Final = 1_200
"""Characters for which an inline construct may stay open."""

DISPLAY_PATIENCE: Final = 6_000
"""Characters for which a display formula may stay open."""

RUNS: Final = frozenset("`*_~|$")
_PROSE_WORDS: Final = 2
_DEEPEST: Final = 64


@dataclass(slots=True)
class _Formula:
    closer: str
    may_be_price: bool = False
    depth: int = 0
    letters: int = 0
    in_command: bool = False
    words: int = 0

    def feed(self, character: str) -> None:
        """Counts plain words of three letters or more: two of them make a price or a stray sign of it."""
        if character.isascii() and character.islower():
            self.letters += not self.in_command
            return
        if self.letters >= 3 and not self.depth:
            self.words += 1
        self.letters = 0
        self.in_command = character == "\\"
        if character in "{}":
            self.depth = max(0, self.depth + (1 if character == "{" else -1))

    @property
    def is_display(self) -> bool:
        return self.closer in ("$$", "\\]")


@dataclass(slots=True)
class OpenConstructs:
    """Formula, code, link and emphasis open since `opened_for` characters."""

    code: int = 0
    formula: _Formula | None = None
    brackets: int = 0
    destination: int = 0
    emphasis: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    opened_for: int = 0

    @property
    def any(self) -> bool:
        """Whether a segment may not end here."""
        return bool(self.code or self.formula or self.brackets or self.destination or self.emphasis)

    @property
    def is_atomic(self) -> bool:
        """Whether a marker may not stand here: inside a formula, code or a link."""
        return bool(self.code or self.formula or self.brackets or self.destination)

    def end_paragraph(self) -> None:
        """Closes everything but a display formula, which may hold blank lines."""
        keeps = self.formula if self.formula and self.formula.is_display else None
        self.code, self.formula, self.brackets, self.destination = 0, keeps, 0, 0
        self.emphasis.clear()

    def give_up_prose(self, *, wide: bool = False) -> None:
        """A sentence ended: a dollar sign before a price, plain words or a CJK stop opened no formula."""
        formula = self.formula
        if formula is None or formula.closer != "$":
            return
        if wide or formula.may_be_price or formula.words >= _PROSE_WORDS:
            self.formula = None

    def feed(self, token: str, *, before: str, after: str) -> None:  # noqa: C901 - one case for each mark
        """One token with the characters around it (`after` is empty at the end of the stream)."""
        self.opened_for = self.opened_for + len(token) if self.any else 0
        if self.opened_for > (DISPLAY_PATIENCE if self.formula and self.formula.is_display else PATIENCE):
            self.formula = None
            self.end_paragraph()
        if self.code:
            self.code = 0 if token == "`" * self.code else self.code
        elif self.formula:
            self._inside_formula(self.formula, token, before, after)
        elif token[0] == "`":
            self.code = len(token)
        elif token[0] == "$":
            self._open_formula(token, after)
        elif token in ("\\(", "\\["):
            self.formula = _Formula(closer="\\)" if token == "\\(" else "\\]")
        elif self.destination:
            self.destination += (token == "(") - (token == ")")
        elif token == "[":
            self.brackets = min(self.brackets + 1, _DEEPEST)
        elif token == "]" and self.brackets:
            self.brackets -= 1
        elif token == "(" and before == "]":
            self.destination = 1
        elif token[0] in "*_~|":
            self._emphasis(token, before, after)

    def _inside_formula(self, formula: _Formula, token: str, before: str, after: str) -> None:
        if token == formula.closer and (token != "$" or (not before.isspace() and not after.isdigit())):
            self.formula = None
            return
        if token[0] == "$" and formula.closer == "$":
            self._open_formula(token, after)
            return
        if len(token) == 1:
            formula.feed(token)

    def _open_formula(self, token: str, after: str) -> None:
        self.formula = None
        if len(token) >= 2:
            self.formula = _Formula(closer="$$") if len(token) == 2 else None
        elif after and not after.isspace() and after not in ".,;:!?)":
            self.formula = _Formula(closer="$", may_be_price=after.isdigit())

    def _emphasis(self, run: str, before: str, after: str) -> None:
        mark, length = run[0], len(run)
        if (mark in "~|" and length != 2) or (mark == "*" and _is_product(before, after)):
            return
        opens = bool(after) and not after.isspace() and (mark != "_" or not before.isalnum())
        closes = bool(before) and not before.isspace() and (mark != "_" or not after.isalnum())
        if closes:
            length = self._close(mark, length)
        if length and opens and len(self.emphasis) < _DEEPEST:
            self.emphasis.append((mark, length))

    def _close(self, mark: str, length: int) -> int:
        """Closes what `length` marks close; the marks that are left over."""
        while length:
            for place in range(len(self.emphasis) - 1, -1, -1):
                if self.emphasis[place][0] == mark:
                    break
            else:
                return length
            opened = self.emphasis[place][1]
            del self.emphasis[place:]
            if opened > length:
                self.emphasis.append((mark, opened - length))
                return 0
            length -= opened
        return 0


def _is_product(before: str, after: str) -> bool:
    """`2*3` and `(a)*(b)` multiply."""
    return (before.isdigit() or before == ")") and (after.isdigit() or after == "(")
