"""Reasoning that a model writes into its text as a `<think>` block, wherever chunks are cut (CORE-11).

Only a block at the very beginning of a round counts, so that a reply may speak of the tag.
"""

from dataclasses import dataclass
from enum import Enum, auto

_PAIRS = (("<think>", "</think>"), ("<thinking>", "</thinking>"), ("<reasoning>", "</reasoning>"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """What became certain: reasoning first, then text."""

    reasoning: str = ""
    text: str = ""


class _Place(Enum):
    BEFORE = auto()
    INSIDE = auto()
    JUST_AFTER = auto()
    TEXT = auto()


class ThinkTagSplitter:
    """Feed the text of one round as it comes; `end` gives what was held back."""

    def __init__(self) -> None:
        self._place = _Place.BEFORE
        self._held = ""
        self._closing = ""

    def feed(self, piece: str) -> Split:
        """The part of what came so far that is certain now."""
        if self._place is _Place.TEXT:
            return Split(text=piece)
        self._held += piece
        if self._place is _Place.BEFORE:
            return self._look_for_opening()
        if self._place is _Place.INSIDE:
            return self._look_for_closing()
        return self._skip_space()

    def end(self) -> Split:
        """What is left when the round ends: an open block is reasoning, a half tag is text."""
        held, self._held = self._held, ""
        if self._place is _Place.INSIDE:
            return Split(reasoning=held)
        return Split(text=held) if self._place is _Place.BEFORE else Split()

    def _look_for_opening(self) -> Split:
        start = self._held.lstrip()
        for opening, closing in _PAIRS:
            if start.startswith(opening):
                self._place, self._closing = _Place.INSIDE, closing
                self._held = start[len(opening) :]
                return self._look_for_closing()
        if any(opening.startswith(start) for opening, _ in _PAIRS):
            return Split()
        return self._rest_as_text()

    def _look_for_closing(self) -> Split:
        before, found, after = self._held.partition(self._closing)
        if found:
            self._place, self._held = _Place.JUST_AFTER, after
            return Split(reasoning=before, text=self._skip_space().text)
        kept = _length_of_half_tag(self._held, self._closing)
        certain = self._held[: len(self._held) - kept]
        self._held = self._held[len(certain) :]
        return Split(reasoning=certain)

    def _skip_space(self) -> Split:
        self._held = self._held.lstrip()
        return self._rest_as_text() if self._held else Split()

    def _rest_as_text(self) -> Split:
        text, self._held, self._place = self._held, "", _Place.TEXT
        return Split(text=text)


def _length_of_half_tag(text: str, tag: str) -> int:
    return next((size for size in range(len(tag) - 1, 0, -1) if text.endswith(tag[:size])), 0)
