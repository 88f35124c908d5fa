"""What of an answer is said and what is only shown (VOX-28): pure, while the answer is being written.

Where the chat shows the whole answer, speech carries its short version: no code and no table, the first items
of a long list, the first part of a long answer; and one sentence that the rest can be read. What lies just
beyond a bound waits until it is known whether the answer or the list ends there, so that nobody is sent to
the chat for one sentence.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Final

from voice.output.phrases import Phrases, phrases_in
from voice.output.speech_length_rules import speech_weight
from voice.speech_text import SpeechPiece, Spoken
from voice.speech_text.languages import language_of_words

_FENCE: Final = re.compile(r"(?:^|\n)[ \t>]*(?:```|~~~)")
_FENCE_PREFIX: Final = 80
_TABLE: Final = re.compile(r"\s*[^\n]*\|[^\n]*\n[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t:-]*)*(?:\n|$)")
_ITEM: Final = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])[ \t]")
_LINK: Final = re.compile(r"\]\(\s*<?https?:|https?://")
_LANGUAGE_FROM: Final = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class SayLimits:
    """How much of an answer is said where the chat shows all of it; lengths in characters of an alphabet.

    900 of them take about a minute; a Han, kana or Hangul character counts as three. `grace` more are said
    when the answer ends with them.
    """

    most_said: int = 900
    grace: int = 200
    items_said: int = 3
    longest_list: int = 5


class _Shown(Enum):
    CODE = "code"
    TABLE = "table"
    LINK = "link"


class SayAndShow:
    """One answer: `wrote` and `take` in order, then `end`. With `limits` None nothing is only shown."""

    def __init__(self, limits: SayLimits | None, *, language: str) -> None:
        self._limits = limits
        self._voice = language
        self._said = ""
        self._weight = 0
        self._has_said = False
        self._beyond: list[SpeechPiece] = []
        self._beyond_weight = 0
        self._is_cut = False
        self._items = 0
        self._held_items: list[SpeechPiece] = []
        self._line_goes_on = False
        self._shown: set[_Shown] = set()
        self._has_code = self._code_is_told = False
        self._line = ""

    @property
    def is_cut(self) -> bool:
        """The rest of the answer is only shown, whatever it is."""
        return self._is_cut

    def wrote(self, markdown: str) -> None:
        """The text as it is written, before what it says."""
        text = self._line + markdown
        if _FENCE.search(text):
            self._has_code = True
        self._line = text[text.rfind("\n") + 1 :][:_FENCE_PREFIX]

    def take(self, piece: SpeechPiece) -> tuple[SpeechPiece, ...]:
        """What is to be said now, of this piece and of those that waited."""
        if self._limits is None:
            return (piece,)
        if not isinstance(piece, Spoken):
            return self._at_its_place(piece)
        if _LINK.search(piece.source):
            self._shown.add(_Shown.LINK)
        if _TABLE.match(piece.source):
            self._shown.add(_Shown.TABLE)
            return self._leave_list()
        if not self._has_said and _FENCE.search(piece.source):
            self._code_is_told = True  # by the notice of an answer that is code alone
        return self._line_of(piece, self._limits)

    def end(self) -> tuple[SpeechPiece, ...]:
        """What waited for the end of the answer, and what can only be read."""
        pieces = [*self._leave_list()]
        if not self._is_cut:
            pieces += self._beyond
            if self._has_code and not self._code_is_told:
                self._shown.add(_Shown.CODE)
            if (notice := self._notice()) is not None:
                pieces.append(notice)
        return tuple(pieces)

    def _line_of(self, piece: Spoken, limits: SayLimits) -> tuple[SpeechPiece, ...]:
        begins_item = _ITEM.match(piece.source) is not None and not self._line_goes_on
        goes_on = self._line_goes_on
        self._line_goes_on = not piece.source.endswith("\n")
        if begins_item:
            self._items += 1
        elif not goes_on:
            return (*self._leave_list(), *self._within([piece]))
        if self._items <= limits.items_said:
            return self._within([piece])
        if self._items <= limits.longest_list:
            self._held_items.append(piece)
            return ()
        if begins_item and self._items == limits.longest_list + 1:
            self._held_items.clear()
            return self._within([Spoken(text=self._phrases().full_list, source="")])
        return ()

    def _leave_list(self) -> tuple[SpeechPiece, ...]:
        held, self._held_items, self._items = self._held_items, [], 0
        return self._within(held)

    def _at_its_place(self, piece: SpeechPiece) -> tuple[SpeechPiece, ...]:
        if self._is_cut:
            return ()
        if self._held_items or self._beyond:
            (self._held_items or self._beyond).append(piece)
            return ()
        return (piece,)

    def _within(self, pieces: Iterable[SpeechPiece]) -> tuple[SpeechPiece, ...]:
        """What of `pieces` is inside the length that is said."""
        out: list[SpeechPiece] = []
        for piece in pieces:
            out += self._measured(piece)
        return tuple(out)

    def _measured(self, piece: SpeechPiece) -> tuple[SpeechPiece, ...]:
        if self._is_cut or self._limits is None:
            return ()
        weight = speech_weight(piece.text) if isinstance(piece, Spoken) else 0
        if not self._beyond and (not self._has_said or self._weight + weight <= self._limits.most_said):
            self._weight += weight
            if isinstance(piece, Spoken):
                self._has_said = True
                self._said = (self._said + piece.text)[-_LANGUAGE_FROM:]
            return (piece,)
        self._beyond.append(piece)
        self._beyond_weight += weight
        if self._beyond_weight <= self._limits.grace:
            return ()
        self._is_cut = True
        self._beyond.clear()
        return (Spoken(text=self._phrases().rest, source=""),)

    def _notice(self) -> Spoken | None:
        phrases = self._phrases()
        match sorted(kind.value for kind in self._shown):
            case []:
                return None
            case ["code"]:
                text = phrases.code
            case ["table"]:
                text = phrases.table
            case ["link"]:
                text = phrases.link
            case _:
                text = phrases.details
        return Spoken(text=text, source="")

    def _phrases(self) -> Phrases:
        return phrases_in(language_of_words(self._said, voice=self._voice) or self._voice)
