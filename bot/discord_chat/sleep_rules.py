"""Whether the bot sleeps in a channel (TASK-16). Pure: moments are given, in the zone of the server.

It sleeps because somebody sent it to sleep there, or because the server has quiet hours. A mention wakes it:
out of the one for good, in the others for a while after each mention.
"""

import re
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Final

AWAKE_FOR: Final = timedelta(minutes=30)
"""In quiet hours, after a mention."""

_HOURS: Final = re.compile(r"\s*(\d{1,2})(?::(\d{2}))?\s*(?:-|–|to)\s*(\d{1,2})(?::(\d{2}))?\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class QuietHours:
    """From one time of day to another; over midnight where the first is the later one."""

    begins: time
    ends: time

    def hold_at(self, local: datetime) -> bool:
        """Whether that moment, in the server's zone, is one of them."""
        now = local.time()
        if self.begins <= self.ends:
            return self.begins <= now < self.ends
        return now >= self.begins or now < self.ends

    def __str__(self) -> str:
        return f"{self.begins:%H:%M}-{self.ends:%H:%M}"


def quiet_hours_of(text: str) -> QuietHours | None:
    """The hours that "22:00-7" names; None for words that name none."""
    found = _HOURS.fullmatch(text)
    if found is None:
        return None
    try:
        begins, ends = (time(int(found[one]), int(found[one + 1] or 0)) for one in (1, 3))
    except ValueError:
        return None
    return None if begins == ends else QuietHours(begins=begins, ends=ends)


def is_asleep(
    *, sent_to_sleep: bool, quiet: QuietHours | None, woken_at: datetime | None, local: datetime
) -> bool:
    """Whether it sleeps at that moment; `woken_at`: the latest mention."""
    if sent_to_sleep:
        return True
    if quiet is None or not quiet.hold_at(local):
        return False
    return woken_at is None or local - woken_at >= AWAKE_FOR
