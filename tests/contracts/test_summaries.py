"""Contract of `Summaries` (CORE-28), for both kinds of store."""

import pytest

from core.conversation.turns import InvokedSkill
from sessions.bindings import ChannelBinding
from sessions.failures import StaleGeneration, UnknownSession
from sessions.stores import SceneStores
from sessions.summaries import StoredSummary
from tests.scene_values import NOON

ROOM = ChannelBinding(channel_id=42, guild_id=7)


async def test_a_newer_summary_takes_the_place_of_the_older(stores: SceneStores) -> None:
    """CORE-28."""
    session = await stores.sessions.open(ROOM, NOON)
    assert await stores.summaries.latest(session.session_id) is None
    first = StoredSummary(position=3, text="They met.")
    second = StoredSummary(
        position=9, text="They met and agreed.", skills=(InvokedSkill(name="brief", text="1. Be brief."),)
    )
    for summary in (first, second):
        await stores.summaries.keep(session.session_id, session.generation, summary)
        assert await stores.summaries.latest(session.session_id) == summary


async def test_a_reset_forgets_it_and_refuses_an_older_one(stores: SceneStores) -> None:
    """CORE-18, CORE-28."""
    session = await stores.sessions.open(ROOM, NOON)
    await stores.summaries.keep(session.session_id, 0, StoredSummary(position=3, text="secret"))
    await stores.sessions.reset(session.session_id, NOON)
    assert await stores.summaries.latest(session.session_id) is None
    with pytest.raises(StaleGeneration):
        await stores.summaries.keep(session.session_id, 0, StoredSummary(position=3, text="late"))
    assert await stores.summaries.latest(session.session_id) is None


async def test_a_session_that_was_never_opened_keeps_nothing(stores: SceneStores) -> None:
    with pytest.raises(UnknownSession):
        await stores.summaries.keep("discord:channel:404", 0, StoredSummary(position=1, text="x"))
