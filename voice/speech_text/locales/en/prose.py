"""What English says of the spans of its prose, and what only English writes: dates by the names of months."""

import re
from typing import Final, assert_never

from voice.speech_text.locales.en.numbers import EnglishNumbers, cardinal, fraction, year
from voice.speech_text.locales.en.units import UNITS
from voice.speech_text.measures import say_measure
from voice.speech_text.numerals import Numeral
from voice.speech_text.prose.common import roman_value
from voice.speech_text.prose.finder import Finder
from voice.speech_text.prose.spans import (
    Cardinal,
    Date,
    Digits,
    Measure,
    Ordinal,
    Proportion,
    ProseSpan,
    Range,
    Ratio,
    Roman,
    Scaled,
    Sign,
    TimeOfDay,
    Version,
    Year,
)

_MONTHS_WORDS: Final = "January February March April May June July August September October November December"
MONTHS: Final = _MONTHS_WORDS.split()
_SHORT: Final = {name[:3].lower(): place for place, name in enumerate(MONTHS, 1)}
_MONTH: Final = (
    "(?-i:" + "|".join([*MONTHS, *(f"{name[:3]}\\.?" for name in MONTHS if len(name) > 3), "Sept\\.?"]) + ")"
)
_YEAR_CUE: Final = re.compile(
    r"(?:\b(?:in|since|by|year|from|until|till|during|before|after|circa|around|of|early|late|mid|summer|winter|spring"
    r"|fall|autumn|class of|Q[1-4]|and|to|©|(?:" + "|".join(MONTHS) + r"),?)|\()[ \-]$",
    re.IGNORECASE,
)
_ERA: Final = re.compile(r" ?(?:AD|BC|BCE|CE)\b")
_RULERS_WORDS: Final = (
    "Henry Louis Elizabeth George Charles Edward James William Philip Pius Paul Benedict Leo Richard "
    "Alexander Catherine Frederick Napoleon Ramses Nicholas Peter Ivan Gregory Innocent Urban Gustav "
    "Christian Ferdinand Rama Ptolemy"
)
_RULERS: Final = frozenset(_RULERS_WORDS.split())
_NUMBERED_WORDS: Final = (
    "War Chapter Part Act Volume Section Type Phase Book Level Title Article Appendix Figure Table "
    "Stage Class Unit Vol Scene Episode Season Lesson Mark Bowl Fantasy Tier Grade"
)
_NUMBERED: Final = _NUMBERED_WORDS.split()
_WORD_BEFORE: Final = re.compile(r"([A-Za-z]+)\.? $")

_SIGNS: Final = {
    "and": "and", "at": "at", "plus": "plus", "equals": "equals", "times": "times", "divided": "divided by",
    "plus_minus": "plus or minus", "approx": "is approximately", "unequal": "is not equal to",
    "at_most": "is at most",
    "at_least": "is at least", "less": "less than", "greater": "greater than", "arrow": "to",
    "left_arrow": "from",
    "both_arrow": "to and from", "percent": "percent", "copyright": "copyright", "registered": "",
    "trademark": "",
    "section": "section", "number": "number", "infinity": "infinity", "degree": "degrees", "root": "root",
    "about": "about", "sharp": "sharp", "by": "by", "dot": "dot",
}  # fmt: skip


def _month_day(match: re.Match[str]) -> ProseSpan | None:
    day = int(match[2])
    written = int(match[3]) if match[3] else None
    return Date(month=_SHORT[match[1][:3].lower()], day=day, year=written) if 1 <= day <= 31 else None


def _day_month(match: re.Match[str]) -> ProseSpan | None:
    day = int(match[1])
    written = int(match[3]) if match[3] else None
    return Date(month=_SHORT[match[2][:3].lower()], day=day, year=written) if 1 <= day <= 31 else None


def _roman(match: re.Match[str]) -> ProseSpan | None:
    word = _WORD_BEFORE.search(match.string, max(0, match.start() - 20), match.start())
    value = roman_value(match[1])
    if word is None or value is None or (word[1] not in _RULERS and word[1] not in _NUMBERED):
        return None
    return Roman(value=value, ordinal=word[1] in _RULERS)


def _american_date(match: re.Match[str]) -> ProseSpan | None:
    month, day, written = (int(part) for part in match.groups())
    if month > 12:
        month, day = day, month
    return Date(month=month, day=day, year=written) if 1 <= month <= 12 and 1 <= day <= 31 else None


def _short_decade(match: re.Match[str]) -> ProseSpan:
    return Year(value=int(match[1]), decade=True)


FINDERS: Final = (
    Finder(r"\d", r"(?<![\d/.])(\d{1,2})/(\d{1,2})/(\d{4})(?![\d/])", _american_date),
    Finder("'’", r"(?<![A-Za-z0-9])['’]([2-9]0)s(?![A-Za-z])", _short_decade),
    Finder(r"\d", r"(?<=[Tt]he )([2-9]0)s(?![A-Za-z])", _short_decade),
    Finder(
        "JFMASOND",
        rf"\b({_MONTH}) (\d{{1,2}})(?:st|nd|rd|th)?(?![\d:])(?:,? (\d{{4}})(?!\d))?",
        _month_day,
    ),
    Finder(
        r"\d",
        rf"(?<![\d.,/:-])(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({_MONTH})\b(?:,? (\d{{4}})(?!\d))?",
        _day_month,
    ),
    Finder("IVXLC", r"(?<= )((?-i:[IVXLC]{1,7}))(?![\w'’])", _roman),
)


class EnglishProse:
    """`ProseWords` of English."""

    def __init__(self) -> None:
        self._numbers = EnglishNumbers()

    def say(self, span: ProseSpan) -> str:  # noqa: C901, PLR0912 - one case for each kind of span
        number = self._numbers.number
        match span:
            case Cardinal():
                return self._cardinal(span)
            case Digits(groups=groups, plus=plus):
                return ("plus " if plus else "") + ", ".join(self._numbers.digits(group) for group in groups)
            case Ordinal(value=value):
                return self._numbers.ordinal(value)
            case Year(value=value, decade=decade):
                return _decade(value) if decade else year(value)
            case Date():
                return self._date(span)
            case TimeOfDay():
                return _time(span)
            case Ratio():
                return _ratio(span)
            case Proportion(left=left, right=right):
                return f"{number(left)} to {number(right)}"
            case Measure():
                return self._measure(span)
            case Range(low=low, high=high, years=True):
                return f"{year(int(low.whole))} to {year(int(high.whole))}"
            case Range(low=low, high=high):
                return f"{number(low)} to {number(high)}"
            case Version(parts=parts, marked=marked):
                said = " point ".join(number(Numeral(whole=part)) for part in parts)
                return f"version {said}" if marked else said
            case Roman(value=value, ordinal=ordinal):
                return f"the {self._numbers.ordinal(value)}" if ordinal else cardinal(value)
            case Scaled(numeral=value, scale=scale):
                return self._numbers.scaled(value, scale)
            case Sign(name=name):
                return _SIGNS[name]
            case _:
                assert_never(span)

    def _cardinal(self, span: Cardinal) -> str:
        value = span.numeral.value
        if value is not None and len(span.numeral.whole) == 4 and 1100 <= value <= 2099:
            is_year = _YEAR_CUE.search(span.before) or _ERA.match(span.after)
            return year(value) if is_year else cardinal(value)
        return self._numbers.number(span.numeral)

    def _date(self, date: Date) -> str:
        said = MONTHS[date.month - 1]
        if date.day is not None:
            said += f" {self._numbers.ordinal(date.day)}"
        return said if date.year is None else f"{said}, {year(date.year)}"

    def _measure(self, span: Measure) -> str:
        if span.low is None:
            return say_measure("", span.units, UNITS, is_one=False)
        said = self._numbers.number(span.low)
        if span.high is not None:
            said = f"{said} to {self._numbers.number(span.high)}"
        return say_measure(said, span.units, UNITS, is_one=span.high is None and span.low.is_one)


def _decade(value: int) -> str:
    said = year(value)
    return said[:-1] + "ies" if said.endswith("y") else said + "s"


def _time(time: TimeOfDay) -> str:
    half = f" {time.half.upper()}" if time.half else ""
    if not time.minute and time.second is None:
        if half:
            return cardinal(time.hour) + half
        return f"{cardinal(time.hour)} o'clock" if 1 <= time.hour <= 12 else f"{cardinal(time.hour)} hundred"
    minute = (
        cardinal(time.minute)
        if time.minute >= 10
        else f"oh {cardinal(time.minute)}"
        if time.minute
        else "hundred"
    )
    said = f"{cardinal(time.hour)} {minute}{half}"
    if time.second is None:
        return said
    return f"{said} and {cardinal(time.second)} second{'' if time.second == 1 else 's'}"


def _ratio(span: Ratio) -> str:
    above, below = span.numerator, span.denominator
    if (above, below) == (24, 7):
        return "twenty-four seven"
    if above == below and span.whole is None and below > 10:
        return f"{cardinal(above)} {cardinal(below)}"
    if (above, below) == (9, 11):
        return "nine eleven"
    if span.whole is None and (below in (10, 100) or above > below):
        return (
            f"{cardinal(above)} out of {cardinal(below)}"
            if above <= below
            else f"{cardinal(above)} over {cardinal(below)}"
        )
    if span.whole is not None:
        said = "a half" if (above, below) == (1, 2) else fraction(above, below)
        return f"{cardinal(span.whole)} and {said}"
    return fraction(above, below)
