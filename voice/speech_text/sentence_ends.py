"""Where a sentence ends (SPEECH-1), told from the characters around a terminator.

A full stop ends a sentence only before a space, and not after an abbreviation, an initial or a list number.
CJK terminators end one wherever they stand. Closing quotes and brackets belong to the sentence before them.
"""

import re
from enum import Enum
from typing import Final

WIDE_TERMINATORS: Final = frozenset("。！？｡")
NARROW_TERMINATORS: Final = frozenset(".!?…")
TERMINATORS: Final = WIDE_TERMINATORS | NARROW_TERMINATORS
CLOSERS: Final = frozenset("\"'”’)]}»」』）】〉》］｝")

_NEVER_FINAL_WORDS: Final = (
    "mr mrs ms mx dr prof rev hon st sgt capt lt col gen sen rep gov pres sr jr vs cf viz approx est "
    "dept eq eqs fig figs sec secs ch vol vols p pp ed eds trans no nos op al resp ca mt ft e.g i.e "
    "a.k.a p.s jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thurs fri sat "
    "sun ave blvd rd ltd inc corp co u.s u.k u.n e.u ph.d b.sc m.sc b.a m.a d.c u.s.a"
)
_NEVER_FINAL: Final = frozenset(_NEVER_FINAL_WORDS.split())
_FINAL_BEFORE_A_CAPITAL: Final = frozenset({"etc", "a.m", "p.m"})
_WORD_BEFORE: Final = re.compile(r"(?:[^\W\d_]+\.)*[^\W\d_]+$")
_LIST_NUMBER: Final = re.compile(r"(?:^|\n)[ \t>]*(?:[-*+][ \t]+)?(?:\d{1,9}|[A-Za-z])$")
LOOK_BACK: Final = 24
"""Characters up to and with a terminator that decide whether it ends a sentence."""


class Verdict(Enum):
    """Whether a terminator ends its sentence."""

    ENDS = "ends"
    GOES_ON = "goes on"
    DEPENDS = "depends on the case of the next letter"


def judge(before: str) -> Verdict:
    """What the text up to and with a run of narrow terminators says of it, when a space follows.

    The last `LOOK_BACK` characters are enough; a line's start must be in sight or further away.
    """
    stripped = before.rstrip(".!?…")
    run = before[len(stripped) :]
    if run != ".":
        return Verdict.DEPENDS if not run.strip(".…") else Verdict.ENDS
    if _LIST_NUMBER.search(stripped):
        return Verdict.GOES_ON
    word = _WORD_BEFORE.search(stripped)
    if word is None:
        return Verdict.ENDS
    spelled = word.group().lower()
    if spelled in _FINAL_BEFORE_A_CAPITAL:
        return Verdict.DEPENDS
    is_initial = len(spelled) == 1 and word.group().isupper() and spelled != "i"
    return Verdict.GOES_ON if is_initial or spelled in _NEVER_FINAL else Verdict.ENDS
