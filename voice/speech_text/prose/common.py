"""Finders that every language shares: what digits and signs look like, whatever the words around them."""

import re
from collections.abc import Callable
from typing import Final

from voice.speech_text.maths.vocabulary import VULGAR
from voice.speech_text.numerals import NUMERAL, Numeral, numeral
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
from voice.speech_text.units import UNIT, parse_units

BEFORE_NUMBER: Final = r"(?<![\d.,])"
MINUS: Final = r"(?:(?<![^\s(\[\"'“‘:：，、是为到约温得于等はがをも도은는이가을를])[-\u2212])?"
DASH: Final = r"\s?[-\u2013\u2014~\uff5e\u301c]\s?"
_AROUND: Final = 16

SIGNS: Final = {
    "&": "and", "＆": "and", "@": "at", "+": "plus", "＋": "plus", "=": "equals", "＝": "equals",
    "×": "times", "÷": "divided",
    "±": "plus_minus", "≈": "approx", "≠": "unequal", "≤": "at_most", "≥": "at_least", "<": "less",
    ">": "greater", "＜": "less",
    "＞": "greater", "→": "arrow", "⇒": "arrow", "←": "left_arrow", "↔": "both_arrow", "%": "percent",
    "％": "percent",
    "©": "copyright", "®": "registered", "™": "trademark", "§": "section", "№": "number", "∞": "infinity",
    "°": "degree",
    "√": "root",
}  # fmt: skip
DIGRAPHS: Final = {
    "~=": "approx", "!=": "unequal", "<=": "at_most", ">=": "at_least", "==": "equals", "->": "arrow",
    "=>": "arrow",
    "<-": "left_arrow", "+/-": "plus_minus", "-->": "arrow",
}  # fmt: skip
_ROMANS: Final = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
_ROMAN: Final = re.compile(r"(?=[IVXLCDM])M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})$")
_LETTER_UNITS: Final = frozenset("CKTFHSAdtB")
_PICTURE_SIZES: Final = frozenset({"2", "4", "5", "8"})
_SIZES: Final = frozenset({"XL", "XX", "XXX", "VI"})
_WORD_UNITS: Final = frozenset({"in", "d", "t", "em", "pt", "mi", "cal", "min", "sec", "bar", "A", "a"})


def roman_value(text: str) -> int | None:
    """The value of a well formed Roman number in capitals."""
    if not _ROMAN.match(text):
        return None
    values = [_ROMANS[letter] for letter in text]
    following = [*values[1:], 0]
    return sum(-value if value < after else value for value, after in zip(values, following, strict=True))


def _date(match: re.Match[str]) -> ProseSpan | None:
    year, month, day = (int(part) for part in match.groups()[:3])
    return Date(year=year, month=month, day=day) if 1 <= month <= 12 and 1 <= day <= 31 else None


def _time(match: re.Match[str]) -> ProseSpan | None:
    hour, minute = int(match[1]), int(match[2])
    second = int(match[3]) if match[3] else None
    half = (match[4] or "").lower().replace(".", "").replace(" ", "")
    if hour > 24 or minute > 59 or (second or 0) > 59 or (half and not 1 <= hour <= 12):
        return None
    return TimeOfDay(hour=hour, minute=minute, second=second, half=half)


def _hour(match: re.Match[str]) -> ProseSpan | None:
    hour = int(match[1])
    return TimeOfDay(hour=hour, half=match[2].lower().replace(".", "")) if 1 <= hour <= 12 else None


def _version(match: re.Match[str]) -> ProseSpan:
    return Version(parts=tuple(match[2].split(".")), marked=bool(match[1]))


def _phone(match: re.Match[str]) -> ProseSpan:
    text = match.group()
    return Digits(groups=tuple(re.findall(r"\d+", text)), plus=text.startswith("+"))


def _measure(match: re.Match[str]) -> ProseSpan | None:
    written, gap = match["unit"], match["gap"]
    units = parse_units(written)
    if not units:
        return None
    if not gap and written in _LETTER_UNITS:
        return None
    if (
        gap
        and written in _WORD_UNITS
        and match.string[match.end() :].lstrip()[:1] not in (".", ",", ")", "", ";")
    ):
        return None
    low = numeral(match["low"])
    return Measure(low=low, units=units, high=numeral(match["high"]) if match["high"] else None)


def _percent_range(match: re.Match[str]) -> ProseSpan:
    return Measure(low=numeral(match[1]), high=numeral(match[2]), units=parse_units("%"))


def _scaled(match: re.Match[str]) -> ProseSpan | None:
    if match[2] == "K" and match[1] in _PICTURE_SIZES:
        return None
    return Scaled(numeral=numeral(match[1]), scale=match[2].upper())


def _range(match: re.Match[str]) -> ProseSpan | None:
    low, high = numeral(match[1]), numeral(match[2])
    years = all(len(part.whole) == 4 and part.whole[0] in "12" and not part.fraction for part in (low, high))
    if _size(low) <= _size(high):
        return Range(low=low, high=high, years=years, after=match.string[match.end() : match.end() + _AROUND])
    return Proportion(left=low, right=high) if len(low.whole) <= 3 else None


def _size(value: Numeral) -> tuple[int, str, str]:
    whole = value.whole.lstrip("0")
    return len(whole), whole, value.fraction


def _ratio(match: re.Match[str]) -> ProseSpan | None:
    above, below = int(match[2]), int(match[3])
    if not 2 <= below <= 1_000 or above > 1_000:
        return None
    return Ratio(whole=int(match[1]) if match[1] else None, numerator=above, denominator=below)


def _vulgar(match: re.Match[str]) -> ProseSpan:
    above, below = VULGAR[match[2]]
    return Ratio(whole=int(match[1]) if match[1] else None, numerator=above, denominator=below)


def _proportion(match: re.Match[str]) -> ProseSpan:
    return Proportion(left=numeral(match[1]), right=numeral(match[2]))


def _ordinal(match: re.Match[str]) -> ProseSpan:
    return Ordinal(value=int(match[1].replace(",", "")))


def _cardinal(match: re.Match[str]) -> ProseSpan:
    text, whole = match.string, numeral(match.group())
    if len(whole.whole) > 1 and whole.whole[0] == "0" and not whole.fraction:
        return Digits(groups=(whole.whole,))
    before = text[max(0, match.start() - _AROUND) : match.start()]
    return Cardinal(numeral=whole, before=before, after=text[match.end() : match.end() + _AROUND])


def _decade(match: re.Match[str]) -> ProseSpan:
    return Year(value=int(match[1]), decade=True)


def _roman(match: re.Match[str]) -> ProseSpan | None:
    value = roman_value(match[1]) if match[1] not in _SIZES else None
    return Roman(value=value, ordinal=False) if value is not None else None


def _sign(match: re.Match[str]) -> ProseSpan | None:
    text = match.group()
    if text == "=" and "==" in match.string[max(0, match.start() - 1) : match.end() + 1]:
        return None
    name = DIGRAPHS.get(text) or SIGNS.get(text)
    return Sign(name=name) if name else None


def _named(name: str) -> Callable[[re.Match[str]], ProseSpan]:
    return lambda _: Sign(name=name)


def _multiple(match: re.Match[str]) -> ProseSpan:
    return Scaled(numeral=numeral(match[1]), scale="x")


_NUM: Final = NUMERAL
_ASCII_EDGE: Final = r"(?![A-Za-z0-9_])"

CALENDAR: Final = (
    Finder("\\d", rf"{BEFORE_NUMBER}(\d{{4}})[-/.](\d{{1,2}})[-/.](\d{{1,2}})(?![\d-]|\.\d)", _date),
    Finder(
        "\\d",
        rf"{BEFORE_NUMBER}(\d{{1,2}}):(\d{{2}})(?::(\d{{2}}))?(?:\s?([ap]\.\s?m\.|[ap]m(?a:\b)))?(?!\d|:)",
        _time,
    ),
    Finder("\\d", rf"{BEFORE_NUMBER}(\d{{1,2}})\s?([ap]\.\s?m\.|[ap]m(?a:\b))", _hour),
)
CODES: Final = (
    Finder("vV", rf"{BEFORE_NUMBER}(?<![A-Za-z])(version\s+v?|v)(\d+(?:\.\d+){{1,5}})(?![\d])", _version),
    Finder("\\d", rf"{BEFORE_NUMBER}()(\d+(?:\.\d+){{2,5}})(?![\d])", _version),
    Finder("+", r"\+\d{1,3}(?:[-\s.]?\(?\d{1,4}\)?){2,5}(?!\d)", _phone),
    Finder("(", r"\(\d{2,4}\)\s?\d{3,4}[-\s]\d{4}(?!\d)", _phone),
    Finder(
        "\\d",
        rf"{BEFORE_NUMBER}(?<!-)(?:\d{{3}}-\d{{3,4}}-\d{{4}}|0\d{{1,4}}-\d{{2,4}}-\d{{4}})(?![\d-])",
        _phone,
    ),
    Finder("\\d", rf"{BEFORE_NUMBER}1[3-9]\d{{9}}(?!\d)", _phone),
)
_SIGNED: Final = r"(?:(?<![A-Za-z0-9.,)])[-\u2212])?"
QUANTITIES: Final = (
    Finder("\\d", rf"{BEFORE_NUMBER}(?<![A-Za-z])((?:1\d|20)\d0)['’]?s(?a:\b)", _decade),
    Finder("\\d", rf"{BEFORE_NUMBER}({_NUM})\s?[%％]?{DASH}({_NUM})\s?[%％]", _percent_range),
    Finder(
        r"\d\-\u2212",
        rf"{BEFORE_NUMBER}(?P<low>{_SIGNED}{_NUM})(?:{DASH}(?P<high>{_NUM}))?"
        rf"(?P<gap>[ \u00a0]?)(?P<unit>(?-i:{UNIT}))",
        _measure,
    ),
    Finder("\\d", rf"{BEFORE_NUMBER}(?<![A-Za-z])({_NUM})([kKMBT]){_ASCII_EDGE}", _scaled),
    Finder("\\d", rf"{BEFORE_NUMBER}({_NUM})[x×](?![A-Za-z0-9×])", _multiple),
    Finder("x×", r"(?:(?<=\d)|(?<=\d\s))[x×]\s?(?=\d)", _named("by")),
    Finder("\\d", rf"{BEFORE_NUMBER}(?<![A-Za-z])({_NUM}){DASH}({_NUM})(?![\d-])(?!\.\d)", _range),
    Finder(
        "\\d",
        rf"{BEFORE_NUMBER}(?<![/\d])(?:(\d{{1,3}})\s)?(\d{{1,4}})/(\d{{1,4}})(?:rds|ths|th)?(?![/\d]|\.\d)",
        _ratio,
    ),
    Finder(r"\d" + "".join(VULGAR), rf"(?:{BEFORE_NUMBER}(\d{{1,9}})\s?)?([{''.join(VULGAR)}])", _vulgar),
    Finder("\\d", rf"{BEFORE_NUMBER}(\d{{1,4}}(?:\.\d+)?)[:：](\d{{1,4}}(?:\.\d+)?)(?![\d:])", _proportion),
    Finder("\\d", rf"{BEFORE_NUMBER}(\d[\d,]{{0,14}})(?:st|nd|rd|th)(?a:\b)", _ordinal),
    Finder("#", r"#(?=\d)", _named("number")),
    Finder(r"\d\-\u2212", rf"(?:{BEFORE_NUMBER}{MINUS}|(?<=,)){_NUM}|\d+", _cardinal),
)
ROMANS: Final = (
    Finder("IVX", r"(?<![A-Za-z0-9_'’-])((?-i:[IVX]{2,7}|[XVI][IVXLC]{1,6}))(?![A-Za-z0-9_'’])", _roman),
)
_PLAIN_SIGNS: Final = re.escape("".join(sorted(set(SIGNS) - set("<>＜＞@°"))))
SIGN_FINDERS: Final = (
    Finder(r"+\-~!<>=", r"\+/-|-->|~=|!=|<=|>=|(?<=\s)==(?=\s)|->|=>|<-", _sign),
    Finder("*", r"(?<=[\w)]\s)[*](?=\s[\w(])|(?<=[\d)])[*](?=[\d(])", _named("times")),
    Finder("~∼～", r"[~∼～](?=\s?\d)", _named("about")),
    Finder("<>＜＞", r"(?<=\s)[<>＜＞](?=\s)|(?<=[\w)])[<>＜＞](?=\d)|[<>＜＞](?=\s?\d)", _sign),
    Finder("@", r"(?<=[\w.])@(?=\w)|(?<=\s)@(?=\s)", _named("at")),
    Finder("#", r"(?<=(?a:\b)[A-G])#(?![A-Za-z0-9_])", _named("sharp")),
    Finder("°", r"(?<=\d)\s?°", _named("degree")),
    Finder(_PLAIN_SIGNS, f"[{_PLAIN_SIGNS}]", _sign),
    Finder(".", r"(?<=[A-Za-z0-9_])\.(?=[A-Za-z]{2,6}(?![A-Za-z]))(?!\s)", _named("dot")),
)

COMMON: Final = (*CALENDAR, *CODES, *QUANTITIES, *ROMANS, *SIGN_FINDERS)
