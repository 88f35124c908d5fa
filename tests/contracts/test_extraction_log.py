"""Contract of `ExtractionLog`, for both kinds of store (MEM-5)."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from recipes.memory.extraction_log import Extraction, ExtractionLog, ExtractionsInMemory
from recipes.memory.storage.extractions import StoredExtractions
from tests.contracts.scene_contract import ADAPTERS
from tests.memory_setup import NOON, opened_database

ROOM, OTHER = "discord:channel:42", "discord:channel:43"


@pytest.fixture(params=ADAPTERS)
async def log(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[ExtractionLog]:
    if request.param == "memory":
        yield ExtractionsInMemory()
        return
    async with opened_database(request.param, tmp_path) as database:
        yield StoredExtractions(database)


def done(session_id: str, minute: int, **outcomes: int) -> Extraction:
    at = NOON + timedelta(minutes=minute)
    return Extraction(session_id=session_id, asked_at=at, done_at=at, outcomes=outcomes)


async def test_a_talk_waits_once_until_it_is_finished(log: ExtractionLog) -> None:
    """MEM-5: so that a stop stays fast and the next start goes on."""
    await log.wait(ROOM, NOON)
    await log.wait(OTHER, NOON)
    await log.wait(ROOM, NOON)
    assert await log.waiting() == (ROOM, OTHER)
    await log.finish(done(ROOM, 1, kept=1))
    assert await log.waiting() == (OTHER,)
    await log.wait(ROOM, NOON)
    assert await log.waiting() == (OTHER, ROOM)


async def test_every_talk_leaves_a_row(log: ExtractionLog) -> None:
    """MEM-5: the latest twenty of a session, newest first."""
    rows = [done(ROOM, minute, kept=minute, duplicate=1) for minute in range(22)]
    for row in rows:
        await log.finish(row)
    await log.finish(done(OTHER, 0))
    assert await log.finished(ROOM) == tuple(rows[::-1][:20])
    assert (await log.finished(OTHER))[0].outcomes == {}
