"""Contract of `UsageCounts`."""

from datetime import UTC, date, datetime, timedelta

from sessions.stores import SceneStores
from sessions.usage import Consumed, UsageKind, UsageScope

ADA = UsageScope(kind=UsageKind.USER, id="42")
ROOM = UsageScope(kind=UsageKind.CHANNEL, id="42")
ALL = UsageScope(kind=UsageKind.ALL)
DAY = date(2026, 11, 30)


async def test_counts_add_up_by_day_and_scope(stores: SceneStores) -> None:
    """TEXT-9: tokens of a day, cost of a month; a person and a channel of one id are two."""
    usage = stores.usage
    some = Consumed(tokens=10, cost_micros=3)
    await usage.add(DAY, {ADA: some, ALL: some})
    await usage.add(DAY, {ADA: some})
    await usage.add(DAY + timedelta(days=1), {ADA: some, ROOM: Consumed(tokens=1)})
    assert await usage.consumed(ADA, first=DAY, last=DAY) == Consumed(tokens=20, cost_micros=6)
    both = await usage.consumed(ADA, first=DAY, last=DAY + timedelta(days=1))
    assert both == Consumed(tokens=30, cost_micros=9)
    assert await usage.consumed(ROOM, first=DAY, last=DAY) == Consumed()
    assert await usage.consumed(ALL, first=DAY, last=DAY) == some


async def test_days_of_long_ago_are_forgotten(stores: SceneStores) -> None:
    """TEXT-9: the counts stay small."""
    usage = stores.usage
    await usage.add(DAY, {ADA: Consumed(tokens=10)})
    await usage.add(DAY + timedelta(days=90), {ADA: Consumed(tokens=1)})
    total = await usage.consumed(ADA, first=DAY, last=DAY + timedelta(days=90))
    assert total.tokens == 1


async def test_a_person_is_forgotten_and_the_rest_still_counts(stores: SceneStores) -> None:
    """TEXT-9, MEM-6."""
    await stores.usage.add(DAY, {ADA: Consumed(tokens=10), ALL: Consumed(tokens=10)})
    await stores.persons.forget("42", datetime(2026, 11, 30, tzinfo=UTC))
    assert await stores.usage.consumed(ADA, first=DAY, last=DAY) == Consumed()
    assert (await stores.usage.consumed(ALL, first=DAY, last=DAY)).tokens == 10
