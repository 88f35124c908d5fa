"""Discord's timestamps as words: a moment in a time zone, or its distance from now (SPEECH-3)."""

from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final

from voice.speech_text.discord_syntax import Timestamp
from voice.speech_text.locale_pack import LocalePack
from voice.speech_text.numerals import Numeral
from voice.speech_text.prose.spans import Cardinal, Date, TimeOfDay

_PERIODS: Final = (
    ("year", 31_557_600),
    ("month", 2_629_800),
    ("week", 604_800),
    ("day", 86_400),
    ("hour", 3_600),
    ("minute", 60),
    ("second", 1),
)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def say_moment(stamp: Timestamp, pack: LocalePack, *, now_s: float | None, zone: tzinfo) -> str:
    """The words of a timestamp; a relative one without a known present is said as date and time."""
    if stamp.style == "R" and now_s is not None:
        return _distance(stamp.seconds - now_s, pack)
    moment = (_EPOCH + timedelta(seconds=stamp.seconds)).astimezone(zone)
    date = pack.prose.say(Date(year=moment.year, month=moment.month, day=moment.day))
    has_seconds = stamp.style in "TS"
    clock = pack.prose.say(
        TimeOfDay(hour=moment.hour, minute=moment.minute, second=moment.second if has_seconds else None)
    )
    match stamp.style:
        case "t" | "T":
            return clock
        case "d" | "D":
            return date
        case "F":
            weekday = pack.moments.weekdays[moment.weekday()]
            date = pack.moments.weekday_date.format(weekday=weekday, date=date)
        case _:
            pass
    return pack.moments.date_time.format(date=date, time=clock)


def _distance(seconds: float, pack: LocalePack) -> str:
    words = pack.moments
    apart = round(abs(seconds))
    for name, length in _PERIODS:
        count = round(apart / length) if apart >= length else 0
        if count:
            one, many = words.periods[name]
            unit = one if count == 1 else many
            number = pack.prose.say(Cardinal(numeral=Numeral(whole=str(count)), after=unit)).strip()
            period = words.period.format(number=number, unit=unit)
            return (words.ahead if seconds > 0 else words.ago).format(period=period)
    return words.now
