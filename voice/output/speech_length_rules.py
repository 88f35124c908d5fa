"""How long words take to say, before anybody has said them; and long speech cut into parts (VOX-22)."""

import re
from typing import Final

from voice.output.heard_text_rules import source_up_to
from voice.speech_text import Spoken

_WIDE: Final = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff]")
_WIDE_WEIGHT: Final = 3
_WEIGHT_PER_S: Final = 15.0
_FIRST_GRACE: Final = 1.5
_CLAUSE_END: Final = re.compile(r"[,;:.!?][\"'”’)]*\s+|[，、；：。！？]+\s*")
_BLANK: Final = re.compile(r"\s+")


def speech_weight(text: str) -> int:
    """Length in characters of an alphabet: a Han, kana or Hangul character takes as long as three."""
    return len(text) + (_WIDE_WEIGHT - 1) * len(_WIDE.findall(text))


def expected_s(text: str) -> float:
    """About how many seconds `text` takes to say."""
    return speech_weight(text) / _WEIGHT_PER_S


def in_parts(spoken: Spoken, *, longest: int, first: int | None = None) -> tuple[Spoken, ...]:
    """`spoken` in parts no longer than `longest`, cut after a clause, else at a blank, else anywhere.

    `first` is the bound of the first part, unless nearly all of `spoken` is inside it. Bounds are in
    characters of an alphabet. The parts joined are the whole, in text and in source.
    """
    parts: list[Spoken] = []
    text, source = spoken.text, spoken.source
    share = len(text) / max(1, speech_weight(text))
    most = max(1, int(longest * share))
    bound = most if first is None else min(most, max(1, int(first * share)))
    while len(text) > (most if parts or bound == most else bound * _FIRST_GRACE):
        cut = _cut_place(text, most if parts else bound)
        place = source_up_to(text, source, cut)
        parts.append(Spoken(text=text[:cut], source=source[:place]))
        text, source = text[cut:], source[place:]
    return (*parts, Spoken(text=text, source=source))


def _cut_place(text: str, longest: int) -> int:
    for ends in (_CLAUSE_END, _BLANK):
        places = [match.end() for match in ends.finditer(text, longest // 3, longest)]
        if places:
            return places[-1]
    return longest
