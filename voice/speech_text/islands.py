"""What stands in Markdown without being Markdown, found before it is parsed: formulas and spoilers.

A formula may hold what Markdown would take for a list, a table or emphasis, and a spoiler may hold anything,
so both are lifted out and leave a placeholder of private-use characters, which Markdown keeps as a letter.
Code is stepped over. One pass; what may close later is looked up once, so the cost is linear.
"""

import re
from dataclasses import dataclass
from typing import Final

from voice.speech_text.maths.vocabulary import FUNCTIONS

FIRST: Final = "\ue000"
LAST: Final = "\ue001"
PLACEHOLDER: Final = re.compile(FIRST + r"(\d{1,9})" + LAST)
LONGEST_INLINE: Final = 1_200
LONGEST_DISPLAY: Final = 6_000

_START: Final = re.compile(
    r"(?P<fence>^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?P<run>`{3,}(?=[^`\n]*$)|~{3,})[^\n]*$)"
    r"|(?P<code>`+)|(?P<escape>\\[\\`$|*_])|(?P<bracket>\\[(\[])|(?P<dollars>\$\$?)|(?P<spoiler>\|\|)"
    r"|(?P<environment>\\begin\{(?P<name>[a-zA-Z]{3,12}\*?)\})|(?P<command>(?<![A-Za-z0-9_:\\])\\[A-Za-z]{2,20})",
    re.MULTILINE,
)
_CLOSERS: Final = {"\\(": "\\)", "\\[": "\\]"}
_GROUP: Final = r"\{(?:[^{}\n]|\{(?:[^{}\n]|\{[^{}\n]{0,80}\}){0,160}\}){0,240}\}"
_BARE: Final = re.compile(
    rf"\\[A-Za-z]{{2,20}}(?:\[[^\[\]\n]{{0,40}}\])?(?:{_GROUP})+(?:[_^](?:{_GROUP}|\w))*"
)
_SYMBOL: Final = re.compile(
    r"\\(?:alpha|beta|gamma|delta|theta|lambda|mu|pi|sigma|omega|phi|infty|times|leq|geq|neq|approx|pm|cdot|to|rightarrow)"
    r"(?![A-Za-z])"
)
_PLAIN_WORD: Final = re.compile(r"(?<![A-Za-z])[A-Za-z][a-z]{2,}(?![A-Za-z])|[à-ɏа-я]{3,}")
_BRACED: Final = re.compile(r"\{[^{}]*\}|\\[A-Za-z]+")
_EASTERN: Final = re.compile(r"[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3。！？]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Formula:
    """TeX without its delimiters; `display` where it stands by itself."""

    tex: str
    display: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoiler:
    """What a reader has to uncover, so what no voice says; its text is not kept."""


Island = Formula | Spoiler


def lift_islands(markdown: str) -> tuple[str, list[Island]]:
    """The text with placeholders, and what they stand for by number."""
    return _Lifter(markdown.replace(FIRST, "").replace(LAST, "")).lift()


def placeholder(number: int) -> str:
    """The characters that stand for island `number`."""
    return f"{FIRST}{number}{LAST}"


class _Lifter:
    def __init__(self, text: str) -> None:
        self._text = text
        self._islands: list[Island] = []
        self._pieces: list[str] = []
        self._done = 0  # what stands before it is in `_pieces`
        self._next: dict[str, int] = {}  # where the next closer of a kind stands, -1 for none

    def lift(self) -> tuple[str, list[Island]]:
        place = 0
        while match := _START.search(self._text, place):
            place = self._take(match)
        self._pieces.append(self._text[self._done :])
        return "".join(self._pieces), self._islands

    def _take(self, match: re.Match[str]) -> int:
        """Deals with what begins at `match`; the place to go on from."""
        text = match.group()
        if match["fence"]:
            return self._after_fence(match)
        if match["code"]:
            return self._after_code(match)
        if match["bracket"]:
            return self._between(match, text, _CLOSERS[text], display=text == "\\[")
        if text == "$$":
            return self._between(match, text, text, display=True)
        if text == "$":
            return self._dollar(match)
        if match["spoiler"]:
            return self._spoiler(match)
        if match["environment"]:
            return self._between(match, text, f"\\end{{{match['name']}}}", display=True, whole=True)
        if match["command"]:
            return self._command(match)
        return match.end()

    def _lift(self, start: int, end: int, island: Island) -> int:
        self._pieces += [self._text[self._done : start], placeholder(len(self._islands))]
        self._islands.append(island)
        self._done = end
        return end

    def _find(self, closer: str, place: int) -> int:
        known = self._next.get(closer, 0)
        if known == -1 or known >= place:
            return known
        found = self._text.find(closer, place)
        self._next[closer] = found
        return found

    def _after_fence(self, match: re.Match[str]) -> int:
        run = match["run"]
        closing = re.compile(rf"^[ \t>]*{re.escape(run[0])}{{{len(run)},}}[ \t]*$", re.MULTILINE)
        end = closing.search(self._text, match.end())
        return end.end() if end else len(self._text)

    def _after_code(self, match: re.Match[str]) -> int:
        run = match["code"]
        if self._next.get(run) == -1:
            return match.end()
        end = re.compile(rf"(?<!`){run}(?!`)").search(self._text, match.end())
        if end is None:
            self._next[run] = -1
            return match.end()
        is_split = "\n\n" in self._text[match.end() : min(end.start(), match.end() + LONGEST_DISPLAY)]
        return match.end() if is_split or end.start() - match.end() > LONGEST_DISPLAY else end.end()

    def _between(
        self, match: re.Match[str], opener: str, closer: str, *, display: bool, whole: bool = False
    ) -> int:
        end = self._find(closer, match.end())
        if end == -1 or end - match.end() > LONGEST_DISPLAY or end == match.end():
            unclosed = end == -1 and not whole and len(self._text) - match.end() <= LONGEST_INLINE
            if unclosed and display and self._is_last_formula(match):
                return self._lift(
                    match.start(), len(self._text), Formula(tex=self._text[match.end() :], display=True)
                )
            return match.end()
        body = self._text[match.start() : end + len(closer)] if whole else self._text[match.end() : end]
        if opener == "\\[" and not _looks_like_maths(body):
            return match.end()
        return self._lift(
            match.start(), end + len(closer), Formula(tex=_without_quotes(body), display=display)
        )

    def _is_last_formula(self, match: re.Match[str]) -> bool:
        """Whether an unclosed display formula is all that is left, without words."""
        rest = self._text[match.end() :]
        return bool(rest.strip()) and "\n\n" not in rest.strip() and _looks_like_maths(rest)

    def _dollar(self, match: re.Match[str]) -> int:
        start, text = match.start(), self._text
        before = text[start - 1 : start]
        end = self._find("$", match.end())
        while end != -1 and text[end - 1] == "\\":
            self._next["$"] = 0
            end = self._find("$", end + 1)
        if end == -1 or end - start > LONGEST_INLINE or (before.isascii() and before.isalnum()):
            return match.end()
        body = text[match.end() : end]
        if "\n\n" in body or not is_inline_formula(body, text[end + 1 : end + 2]):
            return match.end()
        return self._lift(start, end + 1, Formula(tex=body))

    def _spoiler(self, match: re.Match[str]) -> int:
        start = match.start()
        line_start = self._text.rfind("\n", max(0, start - LONGEST_INLINE), start) + 1
        line = self._text[line_start:start].lstrip()
        end = self._find("||", match.end())
        if line.startswith("|") or end in (-1, match.end()) or end - start > LONGEST_DISPLAY:
            return match.end()
        body = self._text[match.end() : end]
        if "\n\n" in body or (
            body[0].isspace() and body[-1].isspace() and self._text[start - 1 : start] in (" ", "")
        ):
            return match.end()
        return self._lift(start, end + 2, Spoiler())

    def _command(self, match: re.Match[str]) -> int:
        bare = _BARE.match(self._text, match.start()) or _SYMBOL.match(self._text, match.start())
        if bare is None:
            return match.end()
        return self._lift(bare.start(), bare.end(), Formula(tex=bare.group()))


def is_inline_formula(body: str, after: str) -> bool:
    """Whether what stands between two dollar signs is a formula rather than the prose between two prices."""
    if not body or body[0].isspace() or body[-1].isspace() or after.isdigit():
        return False
    plain = _BRACED.sub(" ", body)
    words = [word for word in _PLAIN_WORD.findall(plain) if word not in FUNCTIONS]
    if body[0].isdigit() and (words or _EASTERN.search(plain)):
        return False
    return len(words) < 2 and not (
        _EASTERN.search(plain) and "\\" not in body and not re.search(r"[=^_+]", body)
    )


def _looks_like_maths(body: str) -> bool:
    return bool(re.search(r"[\\^_=+<>\d]|\b[a-zA-Z]\b", body)) and not _PLAIN_WORD.match(body.strip())


def _without_quotes(body: str) -> str:
    """Without the marks of a quote that the formula stands in."""
    return re.sub(r"^[ \t]*>[ \t]?", "", body, flags=re.MULTILINE) if "\n" in body else body
