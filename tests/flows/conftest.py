"""Fixtures of the flow tests."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from tests.fake_discord import FakeDiscord
from tests.fake_models import FakeModels
from tests.flows.text_room import TextRoom


@pytest_asyncio.fixture
async def room(tmp_path: Path) -> AsyncIterator[TextRoom]:
    """Both fakes, running, without rate limits; the bot is started by the test."""
    async with FakeDiscord.running(rate_limits=False) as discord, FakeModels.running() as models:
        yield TextRoom(discord=discord, models=models, folder=tmp_path / "data")
    discord.assert_no_violations()
    assert models.invalid_requests == []


@pytest_asyncio.fixture
async def limited_room(tmp_path: Path) -> AsyncIterator[TextRoom]:
    """The same under Discord's real rate limits."""
    async with FakeDiscord.running() as discord, FakeModels.running() as models:
        yield TextRoom(discord=discord, models=models, folder=tmp_path / "data")
    discord.assert_no_violations()
