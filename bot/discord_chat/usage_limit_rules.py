"""How much a person, a channel and a server may ask of the bot, and what says no first (TEXT-9)."""

from collections import OrderedDict, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final, assert_never

from core.sentences import Sentence, sentence
from sessions.usage import UsageKind, UsageScope

MINUTE: Final = timedelta(minutes=1)
_TOLD_AGAIN_AFTER: Final = timedelta(minutes=10)


class LimitKind(StrEnum):
    """What is limited; the word is also the key of a setting."""

    MESSAGES_PER_MINUTE = "messages_per_minute"
    TOKENS_PER_DAY = "tokens_per_day"
    COST_PER_MONTH = "cost_per_month"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one person, channel or server may have; None: as much as they like.

    `cost_per_month` is in the currency in which the deployment gives the model's prices.
    """

    messages_per_minute: float | None = None
    tokens_per_day: float | None = None
    cost_per_month: float | None = None

    def of(self, kind: LimitKind) -> float | None:
        """One of them."""
        match kind:
            case LimitKind.MESSAGES_PER_MINUTE:
                return self.messages_per_minute
            case LimitKind.TOKENS_PER_DAY:
                return self.tokens_per_day
            case LimitKind.COST_PER_MONTH:
                return self.cost_per_month
            case _:
                assert_never(kind)

    @property
    def look_at_counts(self) -> bool:
        """Whether what was consumed decides anything."""
        return self.tokens_per_day is not None or self.cost_per_month is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What was had so far: messages of the last minute, tokens of today, cost of this month."""

    messages: int = 0
    tokens: int = 0
    cost: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Breach:
    """The limit that says no."""

    scope: UsageScope
    kind: LimitKind
    limit: float


def first_breach(limits: Mapping[UsageScope, Limits], spent: Mapping[UsageScope, Spent]) -> Breach | None:
    """The first limit that leaves no room for one more message; a person's own goes before a channel's."""
    for kind in LimitKind:
        for scope, of_scope in limits.items():
            limit = of_scope.of(kind)
            if limit is not None and _had(spent.get(scope, Spent()), kind) >= limit:
                return Breach(scope=scope, kind=kind, limit=limit)
    return None


def _had(spent: Spent, kind: LimitKind) -> float:
    match kind:
        case LimitKind.MESSAGES_PER_MINUTE:
            return spent.messages
        case LimitKind.TOKENS_PER_DAY:
            return spent.tokens
        case LimitKind.COST_PER_MONTH:
            return spent.cost
        case _:
            assert_never(kind)


_WHOSE: Mapping[UsageKind, str] = {
    UsageKind.USER: sentence("you"),
    UsageKind.CHANNEL: sentence("this channel"),
    UsageKind.GUILD: sentence("this server"),
    UsageKind.ALL: sentence("everybody"),
}


def limit_notice(breach: Breach) -> Sentence:
    """What the person is told, once."""
    whose = _WHOSE[breach.scope.kind]
    match breach.kind:
        case LimitKind.MESSAGES_PER_MINUTE:
            most = (
                sentence("{limit:g} messages", limit=breach.limit)
                if breach.limit != 1
                else sentence("one message")
            )
            return sentence(
                "I may answer {whose} {most} a minute; please wait a moment and ask again.",
                whose=whose,
                most=most,
            )
        case LimitKind.TOKENS_PER_DAY:
            return sentence(
                "What I may read and write for {whose} today is used up; please come back tomorrow (UTC).",
                whose=whose,
            )
        case LimitKind.COST_PER_MONTH:
            return sentence(
                "What I may spend for {whose} this month is used up; the bot's owner can raise it.",
                whose=whose,
            )
        case _:
            assert_never(breach.kind)


class MessageRates:
    """When messages were let through lately, of at most `most` people, channels and servers."""

    def __init__(self, *, most: int = 10_000) -> None:
        self._most = most
        self._times: OrderedDict[UsageScope, deque[datetime]] = OrderedDict()

    def within_a_minute(self, scope: UsageScope, at: datetime) -> int:
        """How many were let through in the minute before `at`."""
        times = self._times.get(scope)
        if times is None:
            return 0
        while times and times[0] <= at - MINUTE:
            times.popleft()
        return len(times)

    def let_through(self, scopes: Iterable[UsageScope], at: datetime) -> None:
        """Count one more."""
        for scope in scopes:
            self._times.setdefault(scope, deque()).append(at)
            self._times.move_to_end(scope)
            self.within_a_minute(scope, at)
        while len(self._times) > self._most:
            self._times.popitem(last=False)


class Notices:
    """Who was told of which limit: once while it lasts, not once per message."""

    def __init__(self, *, most: int = 10_000) -> None:
        self._most = most
        self._told: OrderedDict[tuple[UsageScope, LimitKind], datetime] = OrderedDict()

    def is_due(self, breach: Breach, at: datetime) -> bool:
        """Whether to tell now; what is due counts as told."""
        key = (breach.scope, breach.kind)
        told = self._told.get(key)
        if told is not None and not _is_over(breach.kind, told, at):
            return False
        self._told[key] = at
        self._told.move_to_end(key)
        if len(self._told) > self._most:
            self._told.popitem(last=False)
        return True


def _is_over(kind: LimitKind, told: datetime, at: datetime) -> bool:
    match kind:
        case LimitKind.MESSAGES_PER_MINUTE:
            return at - told >= _TOLD_AGAIN_AFTER
        case LimitKind.TOKENS_PER_DAY:
            return at.date() != told.date()
        case LimitKind.COST_PER_MONTH:
            return (at.year, at.month) != (told.year, told.month)
        case _:
            assert_never(kind)
