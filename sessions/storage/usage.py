"""Counts of consumption in the database: one row per day and scope."""

from collections.abc import Mapping
from datetime import date

from sqlalchemy import Connection, bindparam, delete, func, insert, select, update

from sessions.storage.database import Database
from sessions.storage.tables import usage_counts
from sessions.usage import KEPT_DAYS, Consumed, UsageScope

_of_scope = (
    usage_counts.c.scope == bindparam("in_scope"),
    usage_counts.c.scope_id == bindparam("in_id"),
)
_sum = select(
    func.coalesce(func.sum(usage_counts.c.tokens), 0),
    func.coalesce(func.sum(usage_counts.c.cost_micros), 0),
).where(*_of_scope, usage_counts.c.day >= bindparam("first"), usage_counts.c.day <= bindparam("last"))
_insert = insert(usage_counts)
_add = (
    update(usage_counts)
    .where(*_of_scope, usage_counts.c.day == bindparam("on_day"))
    .values(
        tokens=usage_counts.c.tokens + bindparam("more_tokens"),
        cost_micros=usage_counts.c.cost_micros + bindparam("more_cost"),
    )
)
_forget = delete(usage_counts).where(usage_counts.c.day < bindparam("oldest"))


class StoredUsageCounts:
    """`UsageCounts`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._forgotten_before = 0

    async def add(self, day: date, consumed: Mapping[UsageScope, Consumed]) -> None:
        """See `UsageCounts`."""
        number, oldest = day.toordinal(), day.toordinal() - KEPT_DAYS

        def work(connection: Connection) -> None:
            if oldest > self._forgotten_before:
                connection.execute(_forget, {"oldest": oldest})
            for scope, more in consumed.items():
                _count(connection, number, scope, more)

        def kept(_: None) -> None:
            self._forgotten_before = max(self._forgotten_before, oldest)

        await self._database.write(work, kept)

    async def consumed(self, scope: UsageScope, *, first: date, last: date) -> Consumed:
        """See `UsageCounts`."""
        asked = {
            "in_scope": scope.kind.value,
            "in_id": scope.id,
            "first": first.toordinal(),
            "last": last.toordinal(),
        }

        def work(connection: Connection) -> Consumed:
            tokens, cost_micros = connection.execute(_sum, asked).one()
            return Consumed(tokens=int(tokens), cost_micros=int(cost_micros))

        return await self._database.read(work)


def _count(connection: Connection, day: int, scope: UsageScope, more: Consumed) -> None:
    one = {"in_scope": scope.kind.value, "in_id": scope.id, "on_day": day}
    added = {**one, "more_tokens": more.tokens, "more_cost": more.cost_micros}
    if connection.execute(_add, added).rowcount == 0:
        row = {
            "scope": scope.kind.value,
            "scope_id": scope.id,
            "day": day,
            "tokens": more.tokens,
            "cost_micros": more.cost_micros,
        }
        connection.execute(_insert, row)
