"""What Japanese says of the spans of its prose, and the dates that only the CJK scripts write."""

import re
from typing import Final, assert_never

from voice.speech_text.locales.ja.numbers import JapaneseNumbers, cardinal, fraction
from voice.speech_text.locales.ja.units import UNITS
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

_SIGNS: Final = {
    "and": "アンド", "at": "アット", "plus": "プラス", "equals": "イコール", "times": "かける",
    "divided": "わる",
    "plus_minus": "プラスマイナス", "approx": "ほぼ", "unequal": "ノットイコール",
    "at_most": "小なりイコール",
    "at_least": "大なりイコール", "less": "小なり", "greater": "大なり", "arrow": "から",
    "left_arrow": "左矢印",
    "both_arrow": "両矢印", "percent": "パーセント", "copyright": "著作権", "registered": "", "trademark": "",
    "section": "第",
    "number": "ナンバー", "infinity": "無限大", "degree": "度", "root": "ルート", "about": "約",
    "sharp": "シャープ",
    "by": "かける", "dot": "ドット",
}  # fmt: skip


def _full_date(match: re.Match[str]) -> ProseSpan | None:
    year, month, day = (int(part) if part else None for part in match.groups()[:3])
    if month is None:
        return Year(value=int(match[1]))
    return (
        Date(year=year, month=month, day=day)
        if 1 <= month <= 12 and (day is None or 1 <= day <= 31)
        else None
    )


def _roman(match: re.Match[str]) -> ProseSpan | None:
    value = roman_value(match[1])
    return Roman(value=value, ordinal=True) if value else None


FINDERS: Final = (
    Finder(r"\d", r"(?<!\d)(\d{4})年(?:\s?(\d{1,2})月(?:\s?(\d{1,2})日)?)?(?!代)", _full_date),
    Finder("IVXLC", r"(?:(?<=第)|(?<=第\s))((?-i:[IVXLC]{1,7}))(?![A-Za-z])", _roman),
)


class JapaneseProse:
    """`ProseWords` of Japanese."""

    def __init__(self) -> None:
        self._numbers = JapaneseNumbers()

    def say(self, span: ProseSpan) -> str:  # noqa: C901, PLR0912 - one case for each kind of span
        number = self._numbers.number
        match span:
            case Cardinal(numeral=value):
                return number(value)
            case Digits(groups=groups, plus=plus):
                return ("プラス" if plus else "") + "の".join(self._numbers.digits(group) for group in groups)
            case Ordinal(value=value):
                return self._numbers.ordinal(value)
            case Year(value=value, decade=decade):
                return cardinal(value) + ("年代" if decade else "年")
            case Date():
                return _date(span)
            case TimeOfDay():
                return _time(span)
            case Ratio(numerator=24, denominator=7, whole=None):
                return "二十四時間年中無休"
            case Ratio(numerator=above, denominator=below, whole=whole):
                return (f"{cardinal(whole)}と" if whole is not None else "") + fraction(above, below)
            case Proportion(left=left, right=right):
                return f"{number(left)}対{number(right)}"
            case Measure():
                return self._measure(span)
            case Range(low=low, high=high):
                return f"{number(low)}から{number(high)}"
            case Version(parts=parts, marked=marked):
                said = "点".join(number(Numeral(whole=part)) for part in parts)
                return f"バージョン{said}" if marked else said
            case Roman(value=value):
                return cardinal(value)
            case Scaled(numeral=value, scale=scale):
                return self._numbers.scaled(value, scale)
            case Sign(name=name):
                return _SIGNS[name]
            case _:
                assert_never(span)

    def _measure(self, span: Measure) -> str:
        if span.low is None:
            return say_measure("", span.units, UNITS, is_one=False)
        said = self._numbers.number(span.low)
        if span.high is not None:
            said = f"{said}から{self._numbers.number(span.high)}"
        return say_measure(said, span.units, UNITS, is_one=False)


def _date(date: Date) -> str:
    said = f"{cardinal(date.year)}年" if date.year is not None else ""
    said += f"{cardinal(date.month)}月"
    return said + (f"{cardinal(date.day)}日" if date.day is not None else "")


def _time(time: TimeOfDay) -> str:
    hour = "零" if not time.hour else cardinal(time.hour)
    said = {"am": "午前", "pm": "午後"}.get(time.half, "") + hour + "時"
    if time.minute or time.second is not None:
        said += f"{cardinal(time.minute)}分"
    return said if time.second is None else f"{said}{cardinal(time.second)}秒"
