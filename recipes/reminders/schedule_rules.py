"""When "tomorrow at eight" is (TASK-14). Pure: now and the zone are given.

A time of day is meant where the person is: across a change of the clocks it stays the same on the wall. A
span of minutes or hours is meant as it passes. A time that the clocks skip is moved behind the gap.
"""

import re
from datetime import UTC, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from dateparser.date import DateDataParser

from core.sentences import sentence
from recipes.reminders.time_word_rules import is_repeated, plain_time

_BARE_TIME: Final = re.compile(r"(?i)(?:at |um )?(\d{1,2}):(\d{2})\s*([ap]m)?")
_HAS_TIME: Final = re.compile(
    r"(?i)\d\s*[:.h]\s*\d\d|\d\s*[ap]m\b|noon|midnight|hour|minute|second|时|時|点|點|시"
)
_NUMBER: Final = re.compile(r"(?<![\d/T-])\d{1,2}(?![\d/-])(?:[:.]\d+)*")
"""Not what belongs to a date of figures: its year may well be this one."""
_SHIFT: Final = timedelta(minutes=7)
_MORNING: Final = 9
_LATEST: Final = timedelta(days=5 * 366)
_LATIN: Final = ("en", "de", "fr", "es", "it", "pt", "nl", "sv", "pl", "tr")
_SCRIPTS: Final = (
    (re.compile(r"[\u3040-\u30ff]"), ("ja",)),
    (re.compile(r"[\uac00-\ud7af]"), ("ko",)),
    (re.compile(r"[\u4e00-\u9fff]"), ("zh", "ja")),
    (re.compile(r"[\u0400-\u04ff]"), ("ru", "uk", "bg")),
)


class NoMoment(Exception):
    """The words name no moment to come; the message is one sentence."""


def moment_of(words: str, *, now: datetime, zone: ZoneInfo) -> datetime:
    """The moment that `words` name, in `zone`.

    Raises:
        NoMoment: they name none, or several, or one that is over or too far away.
    """
    if is_repeated(words):
        raise NoMoment(sentence('A reminder comes once; say one time, like "monday at 9:00".'))
    now = now.astimezone(UTC)  # moments of one zone compare by the wall alone
    base = now.astimezone(zone).replace(tzinfo=None)
    text = plain_time(words)
    bare = _BARE_TIME.fullmatch(text)
    found = _at_time(bare, base) if bare is not None else _understood(text, base)
    if found is None:
        raise NoMoment(
            sentence(
                'I do not understand "{words}" as a time; say it like "tomorrow at 8:00".', words=words[:60]
            )
        )
    due = _placed(found, text, base=base, now=now, zone=zone)
    if due <= now:
        raise NoMoment(sentence("That is over already: {when}.", when=f"{due:%Y-%m-%d %H:%M}"))
    if due - now > _LATEST:
        raise NoMoment(sentence("That is more than five years away."))
    return due


def _placed(found: datetime, text: str, *, base: datetime, now: datetime, zone: ZoneInfo) -> datetime:
    local = found.replace(tzinfo=None)
    later = None if _BARE_TIME.fullmatch(text) else _parsed(text, base + _SHIFT)
    moves = later is not None and later.replace(tzinfo=None) - local == _SHIFT
    if moves and (local - base) % timedelta(days=1):
        return (now.astimezone(UTC) + (local - base)).astimezone(zone)
    if found.tzinfo is not None:  # a zone was said, too
        return found.astimezone(zone)
    if local.time() == datetime.min.time() and not _HAS_TIME.search(text):
        local = local.replace(hour=_MORNING)
    due = on_the_wall(local, zone)
    return due if due > now else on_the_wall(local.replace(fold=1), zone)  # an hour may come twice


def on_the_wall(local: datetime, zone: ZoneInfo) -> datetime:
    """A time of day in a zone; one that the clocks skip there lies behind the gap."""
    return local.replace(tzinfo=zone).astimezone(UTC).astimezone(zone)


def _understood(text: str, base: datetime) -> datetime | None:
    """What `text` names, when all of its numbers matter: the reader leaves out what it does not know."""
    found = _parsed(text, base)
    if found is None:
        return None
    later = _parsed(text, base + _SHIFT)
    for number in _NUMBER.finditer(text):
        rest = f"{text[: number.start()]} {text[number.end() :]}"
        if _parsed(rest, base) == found and _parsed(rest, base + _SHIFT) == later:
            return None
    return found


def _parsed(text: str, base: datetime) -> datetime | None:
    """A moment without a zone, but where one is said; None for what names no day, such as "30 feb"."""
    languages = next((names for script, names in _SCRIPTS if script.search(text)), _LATIN)
    settings = {"RELATIVE_BASE": base, "PREFER_DATES_FROM": "future"}
    read = DateDataParser(languages=list(languages), settings=settings).get_date_data(text)
    if read.date_obj is None or read.period not in ("month", "year"):
        return read.date_obj
    with_day = DateDataParser(languages=list(languages), settings={**settings, "REQUIRE_PARTS": ["day"]})
    return read.date_obj if with_day.get_date_data(text).date_obj == read.date_obj else None


def _at_time(bare: "re.Match[str]", base: datetime) -> datetime | None:
    hour, minute, half = int(bare[1]), int(bare[2]), (bare[3] or "").lower()
    hour = hour % 12 + (12 if half == "pm" else 0) if half else hour
    if hour > 23 or minute > 59:
        return None
    today = base.replace(hour=hour, minute=minute, second=0, microsecond=0)
    return today if today > base else today + timedelta(days=1)
