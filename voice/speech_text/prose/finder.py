"""How spans are found in running text: a list of finders, tried in order wherever one of them may begin.

A finder is a pattern and a builder; a builder that answers nothing leaves the text to the next finder.
`first` is what a match may begin with, so that most of a text is passed over at the speed of one character
class. Every pattern is of bounded length, so a text is scanned in linear time.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from voice.speech_text.prose.spans import ProseSpan


@dataclass(frozen=True, slots=True)
class Finder:
    """`first` is the inside of a character class; the match that `build` gets has the whole run of text."""

    first: str
    pattern: str
    build: Callable[[re.Match[str]], ProseSpan | None]
    compiled: re.Pattern[str] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "compiled", re.compile(self.pattern, re.IGNORECASE))


@dataclass(frozen=True, slots=True)
class Found:
    """A span with its place in the text."""

    start: int
    end: int
    span: ProseSpan


class Finders:
    """Finders in the order of their precedence."""

    def __init__(self, *finders: Finder) -> None:
        self._finders = [(re.compile(f"[{finder.first}]"), finder) for finder in finders]
        letters = "".join(finder.first for finder in finders if finder.first.isalpha())
        others = "".join(dict.fromkeys(finder.first for finder in finders if not finder.first.isalpha()))
        self._any = re.compile(f"[{others}]|(?<![A-Za-z])[{letters}]" if letters else f"[{others}]")
        self._by_character: dict[str, tuple[Finder, ...]] = {}

    def spans(self, text: str) -> Iterator[Found]:
        """Spans in the order of the text; they do not overlap."""
        place = 0
        while match := self._any.search(text, place):
            found = self._at(text, match.start())
            if found is not None:
                yield found
            place = found.end if found is not None else match.start() + 1

    def _at(self, text: str, place: int) -> Found | None:
        for finder in self._beginning_with(text[place]):
            match = finder.compiled.match(text, place)
            if match and match.end() > place:
                span = finder.build(match)
                if span is not None:
                    return Found(start=place, end=match.end(), span=span)
        return None

    def _beginning_with(self, character: str) -> tuple[Finder, ...]:
        known = self._by_character.get(character)
        if known is None:
            known = tuple(finder for first, finder in self._finders if first.match(character))
            if len(self._by_character) < 1_000:
                self._by_character[character] = known
        return known
