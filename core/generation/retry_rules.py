"""Whether a refused model request is tried again, and after how long (CORE-14)."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_WAITS_S = (3.0, 6.0, 12.0)
_LONGEST_WAIT_S = 30.0
_SECONDS = re.compile(r"\d+(?:\.\d+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class TryAgain:
    """Send the same request once more after `wait_s` seconds."""

    wait_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class GiveUp:
    """Fail now. `asked_wait_s` is the wait that the provider asked for, where that was the reason."""

    asked_wait_s: float | None = None


def after_status(status: int, *, attempts: int, retry_after: str | None, now: datetime) -> TryAgain | GiveUp:
    """What follows a refusal by HTTP status before any output; `attempts` counts the requests made."""
    if not is_retryable(status) or attempts > len(_WAITS_S):
        return GiveUp()
    asked_s = seconds_asked(retry_after, now=now)
    if asked_s is None:
        return TryAgain(wait_s=_WAITS_S[attempts - 1])
    return TryAgain(wait_s=asked_s) if asked_s <= _LONGEST_WAIT_S else GiveUp(asked_wait_s=asked_s)


def is_retryable(status: int) -> bool:
    """Whether the status is one that may pass: a timeout, too many requests, trouble at the server."""
    return status in {408, 429} or 500 <= status <= 599


def seconds_asked(retry_after: str | None, *, now: datetime) -> float | None:
    """Seconds of a `Retry-After` header (RFC 9110, 10.2.3: seconds or a date); None when unreadable."""
    if retry_after is None:
        return None
    value = retry_after.strip()
    if _SECONDS.fullmatch(value):
        return float(value)
    try:
        moment = parsedate_to_datetime(value)
    except (ValueError, IndexError, TypeError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - now).total_seconds())
