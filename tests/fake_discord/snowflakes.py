"""Snowflake ids that grow with time, so that the order of ids is the order of events.

Source: https://docs.discord.com/developers/reference#snowflakes
(milliseconds since 2015 in the upper 42 bits).
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

EPOCH_MS = 1_420_070_400_000
_BACKDATED = 1 << 21  # keeps ids made for a past moment apart from those counted up in the present

Clock = Callable[[], float]
"""Seconds since 1970, as `time.time` gives them."""


class Snowflakes:
    """Gives ids; never the same twice."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._last = 0
        self._serial = 0

    def now(self) -> float:
        return self._clock()

    def next(self, at: float | None = None) -> int:
        """An id for now, or for the moment `at` (seconds since 1970), which may lie in the past."""
        if at is None:
            self._last = max(_first_of(self._clock()), self._last + 1)
            return self._last
        self._serial = (self._serial + 1) % _BACKDATED
        made = _first_of(at) | _BACKDATED | self._serial
        self._last = max(self._last, made)
        return made


def _first_of(at: float) -> int:
    return (int(at * 1000) - EPOCH_MS) << 22


def moment_of(snowflake: int) -> float:
    """Seconds since 1970 at which the id was made."""
    return ((snowflake >> 22) + EPOCH_MS) / 1000


def iso(at: float) -> str:
    """A moment as Discord writes it: UTC, microseconds."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="microseconds")
