"""What Korean says of the spans of its prose: which counters take native numbers, dates and times."""

import re
from typing import Final, assert_never

from voice.speech_text.locales.ko.numbers import KoreanNumbers, cardinal, fraction, native
from voice.speech_text.locales.ko.units import UNITS
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

_NATIVE: Final = re.compile(
    r"\s?(?:개(?!월|국|년|소)|명|사람|마리|권|시간|시(?!리즈|즌)|살|잔|병|대(?!로)|그루|송이|켤레|벌|채|척|자루|가지|군데|달(?!러)|배(?!럴)"
    r"|곳|통|줄|알|끼|모금|번째|번(?!호|지|\s(?:문제|버스|출구|게이트|선수|타자|방|자리|질문|국도|홈|후보|항목))|장(?!에서|의)|판(?!매)|쌍|차례|걸음|그릇|조각|방울|시경)"
)
_HOUR: Final = re.compile(r"\s?시(?!간)")
_COUNTER: Final = re.compile(r"\s?[가-힣]")
_SPACED: Final = re.compile(
    r"(?:개월|개|명|사람|마리|권|시간|시|살|잔|병|대|그루|송이|켤레|벌|채|척|자루|가지|군데|달|배|곳|통|줄|알|끼"
    r"|번째|번|장|판|쌍|년(?!대)|분|초|원|층|호|도|점|회|주|일|학년|인분|쪽|페이지|위|등|세|킬로|미터|그램"
    r"|리터|퍼센트)"
)
_ORDINAL_MARK: Final = re.compile(r"제\s?$")
_MONTHS: Final = {6: "유월", 10: "시월"}

_SIGNS: Final = {
    "and": "앤드", "at": "골뱅이", "plus": "더하기", "equals": "은(는)", "times": "곱하기",
    "divided": "나누기",
    "plus_minus": "플러스마이너스", "approx": "약", "unequal": "같지 않다", "at_most": "작거나 같다",
    "at_least": "크거나 같다",
    "less": "작다", "greater": "크다", "arrow": "에서", "left_arrow": "왼쪽 화살표",
    "both_arrow": "양쪽 화살표",
    "percent": "퍼센트", "copyright": "저작권", "registered": "", "trademark": "", "section": "절",
    "number": "번호",
    "infinity": "무한대", "degree": "도", "root": "루트", "about": "약", "sharp": "샵", "by": "곱하기",
    "dot": "닷",
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


def _month(match: re.Match[str]) -> ProseSpan | None:
    month, day = int(match[1]), int(match[2]) if match[2] else None
    return Date(month=month, day=day) if 1 <= month <= 12 and (day is None or 1 <= day <= 31) else None


def _roman(match: re.Match[str]) -> ProseSpan | None:
    value = roman_value(match[1])
    return Roman(value=value, ordinal=True) if value else None


def _anniversary(match: re.Match[str]) -> ProseSpan:
    return Digits(groups=(match[1] + match[2],))


FINDERS: Final = (
    Finder(r"\d", r"(?<![\d.,])(\d{1,2})[·ㆍ](\d{1,2})(?![\d.,])", _anniversary),
    Finder(r"\d", r"(?<!\d)(\d{4})년(?!대|간)(?:\s?(\d{1,2})월(?:\s?(\d{1,2})일)?)?", _full_date),
    Finder(r"\d", r"(?<![\d.,])(\d{1,2})월(?:\s?(\d{1,2})일)?", _month),
    Finder("IVXLC", r"(?:(?<=제)|(?<=제\s))((?-i:[IVXLC]{1,7}))(?![A-Za-z])", _roman),
)


class KoreanProse:
    """`ProseWords` of Korean."""

    def __init__(self) -> None:
        self._numbers = KoreanNumbers()

    def say(self, span: ProseSpan) -> str:  # noqa: C901, PLR0912 - one case for each kind of span
        number = self._numbers.number
        match span:
            case Cardinal():
                return self._cardinal(span)
            case Digits(groups=groups, plus=plus):
                return ("플러스 " if plus else "") + ", ".join(
                    self._numbers.digits(group) for group in groups
                )
            case Ordinal(value=value):
                return self._numbers.ordinal(value)
            case Year(value=value, decade=decade):
                return cardinal(value) + ("년대" if decade else " 년")
            case Date():
                return _date(span)
            case TimeOfDay():
                return _time(span)
            case Ratio(numerator=24, denominator=7, whole=None):
                return "연중무휴 이십사 시간"
            case Ratio(numerator=above, denominator=below, whole=whole):
                return (f"{cardinal(whole)}과(와) " if whole is not None else "") + fraction(above, below)
            case Proportion(left=left, right=right):
                return f"{number(left)} 대 {number(right)}"
            case Measure():
                return self._measure(span)
            case Range(low=low, high=high, after=after):
                return self._range(low, high, after)
            case Version(parts=parts, marked=marked):
                said = " 점 ".join(number(Numeral(whole=part)) for part in parts)
                return f"버전 {said}" if marked else said
            case Roman(value=value):
                return cardinal(value)
            case Scaled(numeral=value, scale=scale):
                return self._numbers.scaled(value, scale)
            case Sign(name=name):
                return _SIGNS[name]
            case _:
                assert_never(span)

    def _cardinal(self, span: Cardinal) -> str:
        value = span.numeral.value
        said = self._numbers.number(span.numeral)
        is_age_group = value is not None and value >= 20 and span.after.lstrip().startswith("대")
        if (
            value is not None
            and not is_age_group
            and _NATIVE.match(span.after)
            and not _ORDINAL_MARK.search(span.before)
        ):
            first = value == 1 and span.after.lstrip().startswith("번째")
            said = "첫" if first else _counted(value, span.after)
        if is_age_group:
            return said
        return said + (" " if _SPACED.match(span.after) and not _ORDINAL_MARK.search(span.before) else "")

    def _range(self, low: Numeral, high: Numeral, after: str) -> str:
        lower, upper = low.value, high.value
        if lower is not None and upper is not None and _NATIVE.match(after):
            said = f"{_counted(lower, after)}에서 {_counted(upper, after)}"
        else:
            said = f"{self._numbers.number(low)}에서 {self._numbers.number(high)}"
        return said + (" " if _SPACED.match(after) else "")

    def _measure(self, span: Measure) -> str:
        if span.low is None:
            return say_measure("", span.units, UNITS, is_one=False)
        low = span.low
        below_zero = low.negative and span.units[0].symbol == "°C"
        if below_zero:
            low = Numeral(whole=low.whole, fraction=low.fraction)
        said = self._numbers.number(low)
        if span.high is not None:
            said = f"{said}에서 {self._numbers.number(span.high)}"
        elif span.units[0].symbol == "h" and len(span.units) == 1 and low.value is not None:
            said = native(low.value)
        measure = say_measure(said, span.units, UNITS, is_one=False)
        return "영하 " + measure.removeprefix("섭씨 ") if below_zero else measure


def _date(date: Date) -> str:
    said = f"{cardinal(date.year)} 년 " if date.year is not None else ""
    said += _MONTHS.get(date.month) or f"{cardinal(date.month)}월"
    return said + (f" {cardinal(date.day)} 일" if date.day is not None else "")


def _counted(value: int, after: str) -> str:
    return _hour(value) if _HOUR.match(after) else native(value)


def _hour(value: int) -> str:
    """Those of a clock with 24 hours that one with 12 has not are read as Chinese numbers."""
    return native(value) if 1 <= value <= 12 else cardinal(value)


def _time(time: TimeOfDay) -> str:
    said = {"am": "오전 ", "pm": "오후 "}.get(time.half, "") + f"{_hour(time.hour)} 시"
    if time.minute or time.second is not None:
        said += f" {cardinal(time.minute)} 분"
    return said if time.second is None else f"{said} {cardinal(time.second)} 초"
