"""How people say a time, made into how dates are read (TASK-14). Pure.

The reader of dates knows "tomorrow 20:00" in many languages, and leaves out what it does not know: "17 Uhr"
becomes the 17th, "tonight at 8" this morning. So hours, halves and parts of the day are written out before.
"""

import re
from typing import Final

_AT_HOUR: Final = re.compile(
    r"(?i)\b(at|um|à|alle|às|om|a las)\s+(\d{1,2})(?![\d:.h])(?:\s*(?:uhr|o'clock)\b)?"
)
_UHR: Final = re.compile(r"(?i)\b(\d{1,2})(?:[:.](\d{2}))?\s*(?:uhr|o'clock)\b")
_PAST: Final = re.compile(r"(?i)\b(half|quarter)\s+past\s+(\d{1,2})\b")
_CJK_HOUR: Final = re.compile(
    r"(\d{1,2}|十[一二]?|[一二两三四五六七八九])\s*[时時点點시](?!間|间|간)\s*(?:(\d{1,2})\s*[分분]|(半|반))?"
)
_CJK_NUMBERS: Final = {word: number for number, word in enumerate("零一二三四五六七八九十")} | {
    "两": 2,
    "十一": 11,
    "十二": 12,
}
_FRACTIONS: Final = (
    (re.compile(r"(?i)\bhalf\s+an?\s+hour\b"), "30 minutes"),
    (re.compile(r"(?i)\b(?:a\s+)?quarter\s+of\s+an\s+hour\b"), "15 minutes"),
    (re.compile(r"(?i)\b(?:einer\s+)?halben\s+stunde\b"), "30 Minuten"),
    (re.compile(r"半个?小时"), "30分钟"),
)
_TODAY: Final = (
    (re.compile(r"(?i)\btonight\b|\bthis\s+(?=evening|afternoon)"), "today "),
    (re.compile(r"今晚"), "今天晚上"),
    (re.compile(r"今夜"), "今日夜"),
)
_EARLY: Final = re.compile(
    r"(?i)\b(?:in\s+the\s+)?mornings?\b|\b(?:früh|morgens|vormittags?)\b|早上|早晨|上午|凌晨|午前|の?朝|오전|아침"
)
_LATE: Final = re.compile(
    r"(?i)\b(?:in\s+the\s+)?(?:evening|afternoon)\b|\b(?:abends?|nachmittags?)\b|晚上|下午|の?夜|夕方|午後|오후|저녁|밤"
)
_EVENING: Final = re.compile(r"(?i)\btonight\b|今晚|今夜")
_CLOCK: Final = re.compile(r"(?<![\d:.-])(\d{1,2}):(\d{2})(?!\s*[ap]\.?m\b)(?![\d:])", re.IGNORECASE)
_REPEATS: Final = re.compile(
    r"(?i)\b(?:every|each|daily|weekly|monthly|yearly|hourly|jede[nrs]?|täglich|wöchentlich|chaque|tous\s+les|"
    r"toutes\s+les|cada|todos\s+los|ogni|elke|varje)\b|每|毎|매일|매주|매월|마다"
)


def is_repeated(words: str) -> bool:
    """Whether they ask for more than one time."""
    return _REPEATS.search(words) is not None


def plain_time(words: str) -> str:
    """The same time, in the words and figures that dates are read from."""
    text = words.strip()
    for said, plain in _FRACTIONS:
        text = said.sub(plain, text)
    text = _PAST.sub(lambda found: f"{found[2]}:{30 if found[1].lower() == 'half' else 15}", text)
    text = _AT_HOUR.sub(r"\1 \2:00", text)
    text = _UHR.sub(lambda found: f"{found[1]}:{found[2] or '00'}", text)
    return _without_part_of_day(_CJK_HOUR.sub(_clock_of, text))


def _without_part_of_day(text: str) -> str:
    """A time of day says more than its part of the day, which only tells which half is meant."""
    if _CLOCK.search(text) is None:
        return text
    late = _LATE.search(text) is not None or _EVENING.search(text) is not None
    for said, plain in _TODAY:
        text = said.sub(plain, text)
    text = " ".join(_EARLY.sub(" ", _LATE.sub(" ", text)).split())
    return _CLOCK.sub(_after_noon, text) if late else text


def _after_noon(found: "re.Match[str]") -> str:
    hour = int(found[1])
    return f"{hour + 12 if 0 < hour < 12 else hour}:{found[2]}"


def _clock_of(found: "re.Match[str]") -> str:
    hour = _CJK_NUMBERS.get(found[1]) or int(found[1])
    minute = 30 if found[3] else int(found[2] or 0)
    return f" {hour}:{minute:02} "
