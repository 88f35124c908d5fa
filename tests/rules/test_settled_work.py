"""SCENE-7: what is settled is forgotten in time, and never while it may still be needed."""

import asyncio
from datetime import datetime, timedelta

import pytest

from bot.settings import TextSettings
from bot.settled_work import KEPT, forget_settled_daily
from sessions.failures import StorageFailed
from tests.manual_clock import ManualClock


class WatchedRetention:
    """Remembers the moments; fails at the first one, and ends the test's patience after the third."""

    def __init__(self) -> None:
        self.moments: list[datetime] = []

    async def forget_settled(self, before: datetime) -> int:
        self.moments.append(before)
        if len(self.moments) == 1:
            raise StorageFailed("disk full")
        if len(self.moments) == 3:
            raise asyncio.CancelledError
        return 7


async def test_it_is_done_at_the_start_and_every_day_whatever_fails() -> None:
    """SCENE-7: a full disk today is no reason to grow for ever."""
    clock, retention = ManualClock(), WatchedRetention()
    start = clock.now()
    with pytest.raises(asyncio.CancelledError):
        await forget_settled_daily((retention,), clock)
    assert retention.moments == [start - KEPT + timedelta(days=day) for day in range(3)]


def test_rows_are_kept_longer_than_missed_messages_are_looked_for() -> None:
    """SCENE-7: else a message that was answered long ago would be answered again."""
    longest = timedelta(seconds=2_592_000)
    assert TextSettings.model_validate({"ANSWER_MISSED_WITHIN_S": 2_592_000}).answer_missed_within_s
    with pytest.raises(ValueError, match="ANSWER_MISSED_WITHIN_S"):
        TextSettings.model_validate({"ANSWER_MISSED_WITHIN_S": 2_592_001})
    assert longest < KEPT
