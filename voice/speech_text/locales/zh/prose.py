"""What Chinese says of the spans of its prose, and the dates that only the CJK scripts write."""

import re
from dataclasses import replace
from typing import Final, assert_never

from voice.speech_text.locales.zh.numbers import ChineseNumbers, cardinal, fraction, one_by_one
from voice.speech_text.locales.zh.units import UNITS
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

_MEASURE_WORD: Final = re.compile(
    r"\s?(?:[个個只隻条條张張本件位名人次天周週块塊元家种種杯瓶台辆輛斤米倍间間层層岁歲句遍双雙对對套门門部首场場颗顆"
    r"页頁封把支串枚头頭匹座栋棟幅滴盘盤碗袋箱盒排行列组組份根棵朵篇段笔筆顿頓趟声聲步口股片架艘题題道点點克吨噸升秒万萬千亿億]"
    r"|小时|小時|分钟|分鐘|公里|公斤|千米|厘米|毫米|英里|年(?!级|級|[12]?\d月)|星期(?![一二三四五六日天])|美元|欧元|歐元|英镑|日元|韩元)"
)
_COUNTED_TWO: Final = re.compile(r"第\s?$|[.\d]$")
_UNCOUNTED: Final = re.compile(r"\s?(?:点(?:\d|[零一二三四五六七八九]\d)|号|日|月)")

_SIGNS: Final = {
    "and": "和", "at": "艾特", "plus": "加", "equals": "等于", "times": "乘", "divided": "除以",
    "plus_minus": "正负",
    "approx": "约等于", "unequal": "不等于", "at_most": "小于等于", "at_least": "大于等于", "less": "小于",
    "greater": "大于", "arrow": "到", "left_arrow": "来自", "both_arrow": "双向到", "percent": "百分号",
    "copyright": "版权所有", "registered": "", "trademark": "", "section": "第", "number": "编号",
    "infinity": "无穷大",
    "degree": "度", "root": "根号", "about": "约", "sharp": " sharp", "by": "乘", "dot": "点", "per": "每",
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


def _decade(match: re.Match[str]) -> ProseSpan:
    return Year(value=int(match[1]), decade=True)


def _roman(match: re.Match[str]) -> ProseSpan | None:
    value = roman_value(match[1])
    return Roman(value=value, ordinal=True) if value else None


def _room(match: re.Match[str]) -> ProseSpan:
    return Digits(groups=(match[1],))


def _per(match: re.Match[str]) -> ProseSpan:
    del match
    return Sign(name="per")


FINDERS: Final = (
    Finder("/", r"(?<=[元块角分])/(?=[月年天日周人斤个件次晚米吨])", _per),
    Finder(r"\d", r"(?<![\d.])(\d{3,4})(?=\s?(?:室|房间|航班|路公交))", _room),
    Finder(r"\d", r"(?<!\d)(\d{4})\s?年代", _decade),
    Finder(r"\d", r"(?<!\d)(\d{4})\s?年(?:\s?(\d{1,2})\s?月(?:\s?(\d{1,2})\s?(?:日|号))?)?", _full_date),
    Finder("IVXLC", r"(?:(?<=第)|(?<=第\s))((?-i:[IVXLC]{1,7}))(?![A-Za-z])", _roman),
)


class ChineseProse:
    """`ProseWords` of Chinese."""

    def __init__(self) -> None:
        self._numbers = ChineseNumbers()

    def say(self, span: ProseSpan) -> str:  # noqa: C901, PLR0912 - one case for each kind of span
        number = self._numbers.number
        match span:
            case Cardinal():
                return self._cardinal(span)
            case Digits(groups=groups, plus=plus):
                return ("加" if plus else "") + _spoken_digits(groups)
            case Ordinal(value=value):
                return self._numbers.ordinal(value)
            case Year(value=value, decade=decade):
                return one_by_one(str(value)) + ("年代" if decade else "年")
            case Date():
                return _date(span)
            case TimeOfDay():
                return _time(span)
            case Ratio(numerator=24, denominator=7, whole=None):
                return "全天候"
            case Ratio(numerator=above, denominator=below, whole=whole):
                return (f"{cardinal(whole)}又" if whole is not None else "") + fraction(above, below)
            case Proportion(left=left, right=right):
                return f"{number(left)}比{number(right)}"
            case Measure():
                return self._measure(span)
            case Range(low=low, high=high, years=True):
                return f"{one_by_one(low.whole)}到{one_by_one(high.whole)}"
            case Range(low=low, high=high):
                return f"{number(low)}到{number(high)}"
            case Version(parts=parts, marked=marked):
                said = "点".join(number(Numeral(whole=part)) for part in parts)
                return f"版本{said}" if marked else said
            case Roman(value=value):
                return cardinal(value)
            case Scaled(numeral=value, scale=scale):
                return self._numbers.scaled(value, scale)
            case Sign(name=name):
                return _SIGNS[name]
            case _:
                assert_never(span)

    def _cardinal(self, span: Cardinal) -> str:
        if (
            span.numeral.value == 2
            and _MEASURE_WORD.match(span.after)
            and not _UNCOUNTED.match(span.after)
            and not _COUNTED_TWO.search(span.before)
        ):
            return "两"
        return self._numbers.number(span.numeral)

    def _measure(self, span: Measure) -> str:
        if span.low is None:
            return say_measure("", span.units, UNITS, is_one=False)
        symbol = span.units[0].symbol if len(span.units) == 1 else ""
        if symbol == "%" and span.low.whole == "100" and not span.low.fraction and span.high is None:
            return "百分之百"
        low = span.low
        if low.negative and symbol == "%":
            return "负" + self._measure(replace(span, low=Numeral(whole=low.whole, fraction=low.fraction)))
        below_zero = low.negative and symbol in ("°C", "°F")
        if below_zero:
            low = Numeral(whole=low.whole, fraction=low.fraction)
        said = self._numbers.number(low) if symbol == "%" or span.high else self._numbers.counted(low)
        if span.high is not None:
            said = f"{said}到{self._numbers.number(span.high)}"
        measure = say_measure(said, span.units, UNITS, is_one=False)
        return "零下" + measure if below_zero else measure


def _date(date: Date) -> str:
    said = f"{one_by_one(str(date.year))}年" if date.year is not None else ""
    said += f"{cardinal(date.month)}月"
    return said + (f"{cardinal(date.day)}日" if date.day is not None else "")


def _time(time: TimeOfDay) -> str:
    half = {"am": "上午", "pm": "下午"}.get(time.half, "")
    said = half + ("两" if time.hour == 2 else cardinal(time.hour)) + "点"
    if not time.minute and time.second is None:
        return said if half else said + "整"
    minute = ("零" if 0 < time.minute < 10 else "") + cardinal(time.minute)
    said += f"{minute}分"
    return said if time.second is None else f"{said}{cardinal(time.second)}秒"


def _spoken_digits(groups: tuple[str, ...]) -> str:
    """Digits one by one; in a telephone number one is 幺."""
    if len(groups) == 1 and len(groups[0]) == 11:
        groups = (groups[0][:3], groups[0][3:7], groups[0][7:])
    said = "，".join(one_by_one(group) for group in groups)
    return said.replace("一", "幺") if sum(map(len, groups)) >= 7 else said
