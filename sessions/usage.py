"""What was consumed, by day: of a person, a channel, a server, and of all together (TEXT-9).

The counts outlive the process, so that a limit of a day or a month holds over restarts.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Final, Protocol

KEPT_DAYS: Final = 62
"""Older days are forgotten: no limit looks further back than a month."""


class UsageKind(StrEnum):
    """For whom is counted."""

    USER = "user"
    CHANNEL = "channel"
    GUILD = "guild"
    ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageScope:
    """One count; `id` is empty for all together."""

    kind: UsageKind
    id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Consumed:
    """Tokens read and written, and what they cost, in millionths of the deployment's currency."""

    tokens: int = 0
    cost_micros: int = 0


class UsageCounts(Protocol):
    """Adds up and tells."""

    async def add(self, day: date, consumed: Mapping[UsageScope, Consumed]) -> None:
        """Add to the counts of that day, all or nothing."""
        ...

    async def consumed(self, scope: UsageScope, *, first: date, last: date) -> Consumed:
        """The sum of these days, both included."""
        ...
