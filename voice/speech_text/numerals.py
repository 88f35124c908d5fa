"""A written number as a value: what every finder makes and every language pack reads.

The digits stay strings, so that `3.10` keeps its zero and a number of a thousand digits costs what its text
costs.
"""

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

LONGEST_NAMED: Final = 24
"""Whole numbers with more digits than this are read digit by digit."""

NUMERAL: Final = r"(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?"
"""Pattern of an unsigned decimal number, with or without groups of three."""


SCALE_ZEROS: Final = {
    "K": 3, "M": 6, "B": 9, "T": 12, "천": 3, "万": 4, "萬": 4, "만": 4, "十万": 5, "百万": 6, "千万": 7,
    "천만": 7,
    "亿": 8, "億": 8, "억": 8, "兆": 12, "조": 12,
}  # fmt: skip
"""Powers of ten that a sign after a number stands for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Numeral:
    """A decimal number as written; `whole` and `fraction` are ASCII digits, `fraction` may be empty."""

    whole: str
    fraction: str = ""
    negative: bool = False

    @property
    def value(self) -> int | None:
        """The number when it is whole, short enough to be named and without leading zeros; else nothing."""
        if self.fraction or len(self.whole) > LONGEST_NAMED or (len(self.whole) > 1 and self.whole[0] == "0"):
            return None
        return -int(self.whole) if self.negative else int(self.whole)

    @property
    def is_one(self) -> bool:
        """Whether a unit after it stands in the singular."""
        return self.whole == "1" and not self.fraction


def numeral(text: str) -> Numeral:
    """The number written in `text` (a match of `NUMERAL`, optionally signed; any script's decimal digits)."""
    negative = text.startswith(("-", "\N{MINUS SIGN}", "\N{EN DASH}"))
    plain = re.sub(r"[^\d.]", "", text)
    if not plain.isascii():
        plain = "".join(c if c == "." else str(unicodedata.digit(c)) for c in plain)
    whole, _, fraction = plain.partition(".")
    return Numeral(whole=whole or "0", fraction=fraction.replace(".", ""), negative=negative)


def whole(value: int) -> Numeral:
    """A whole number as a numeral."""
    return Numeral(whole=str(abs(value)), negative=value < 0)
