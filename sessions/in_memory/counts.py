"""Settings of places and counts of usage in memory."""

from collections.abc import Iterable, Mapping
from datetime import date

from sessions.channel_settings import SettingScope
from sessions.in_memory.records import Records
from sessions.usage import KEPT_DAYS, Consumed, UsageScope


class SettingsInMemory:
    """`ChannelSettings`."""

    def __init__(self, records: Records) -> None:
        self._records = records

    async def read(self, scope: SettingScope) -> Mapping[str, str]:
        return dict(self._records.settings.get(scope, {}))

    async def change(self, scope: SettingScope, key: str, value: str | None) -> None:
        held = self._records.settings.setdefault(scope, {})
        held.pop(key, None)
        if value is not None:
            held[key] = value

    async def scopes_with(self, key: str) -> tuple[SettingScope, ...]:
        return tuple(scope for scope, held in self._records.settings.items() if key in held)


class UsageInMemory:
    """`UsageCounts`."""

    def __init__(self, records: Records) -> None:
        self._records = records

    async def add(self, day: date, consumed: Mapping[UsageScope, Consumed]) -> None:
        usage = self._records.usage
        for key in [key for key in usage if (day - key[1]).days > KEPT_DAYS]:
            del usage[key]
        for scope, more in consumed.items():
            usage[scope, day] = _sum((usage.get((scope, day), Consumed()), more))

    async def consumed(self, scope: UsageScope, *, first: date, last: date) -> Consumed:
        usage = self._records.usage.items()
        return _sum(one for (of, day), one in usage if of == scope and first <= day <= last)


def _sum(counts: Iterable[Consumed]) -> Consumed:
    listed = tuple(counts)
    return Consumed(
        tokens=sum(one.tokens for one in listed), cost_micros=sum(one.cost_micros for one in listed)
    )
