"""When "tomorrow at eight" is (TASK-14). Pure: now and the zone are given.

A time of day is meant where the person is: across a change of the clocks it stays the same on the wall. A
span of minutes or hours is meant as it passes. A time that the clocks skip is moved behind the gap.
"""

import re
from datetime import UTC, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

import dateparser

_AT_HOUR: Final = re.compile(
    r"(?i)\b(at|um|à|alle|às|om|a las)\s+(\d{1,2})(?![\d:.h])(?:\s*(?:uhr|o'clock)\b)?"
)
_BARE_TIME: Final = re.compile(r"(?i)(?:at |um )?(\d{1,2}):(\d{2})\s*([ap]m)?")
_HAS_TIME: Final = re.compile(
    r"(?i)\d\s*[:.h]\s*\d\d|\d\s*[ap]m\b|noon|midnight|hour|minute|second|时|時|点|點|시"
)
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
        NoMoment: they name none, or one that is over or too far away.
    """
    local = now.astimezone(zone)
    base = local.replace(tzinfo=None)
    text = _AT_HOUR.sub(r"\1 \2:00", words.strip())
    bare = _BARE_TIME.fullmatch(text)
    found = _at_time(bare, base) if bare is not None else _parsed(text, base)
    if found is None:
        raise NoMoment(f'I do not understand "{words[:60]}" as a time; say it like "tomorrow at 8:00".')
    due = _placed(found, text, base=base, now=now, zone=zone)
    if due <= now:
        raise NoMoment(f"That is over already: {due:%Y-%m-%d %H:%M}.")
    if due - now > _LATEST:
        raise NoMoment("That is more than five years away.")
    return due


def _placed(found: datetime, text: str, *, base: datetime, now: datetime, zone: ZoneInfo) -> datetime:
    if found.time() == datetime.min.time() and not _HAS_TIME.search(text):
        found = found.replace(hour=_MORNING)
    later = None if _BARE_TIME.fullmatch(text) else _parsed(text, base + timedelta(minutes=7))
    span = found - base
    is_span = later is not None and later - found == timedelta(minutes=7) and span % timedelta(days=1)
    if is_span:
        return (now.astimezone(UTC) + span).astimezone(zone)
    return on_the_wall(found, zone)


def on_the_wall(local: datetime, zone: ZoneInfo) -> datetime:
    """A time of day in a zone; one that the clocks skip there lies behind the gap."""
    return local.replace(tzinfo=zone).astimezone(UTC).astimezone(zone)


def _parsed(text: str, base: datetime) -> datetime | None:
    languages = next((names for script, names in _SCRIPTS if script.search(text)), _LATIN)
    return dateparser.parse(
        text,
        languages=list(languages),
        settings={
            "RELATIVE_BASE": base,
            "PREFER_DATES_FROM": "future",
            "RETURN_AS_TIMEZONE_AWARE": False,
        },
    )


def _at_time(bare: "re.Match[str]", base: datetime) -> datetime | None:
    hour, minute, half = int(bare[1]), int(bare[2]), (bare[3] or "").lower()
    hour = hour % 12 + (12 if half == "pm" else 0) if half else hour
    if hour > 23 or minute > 59:
        return None
    today = base.replace(hour=hour, minute=minute, second=0, microsecond=0)
    return today if today > base else today + timedelta(days=1)
