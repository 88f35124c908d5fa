"""Pytest fixtures: a running fake without rate limits, checked against Discord's document."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio

from tests.fake_discord.server import FakeDiscord


@pytest_asyncio.fixture
async def discord_server() -> AsyncIterator[FakeDiscord]:
    """Fails the test when a request or an answer breaks the document, if that is there."""
    async with FakeDiscord.running(rate_limits=False) as server:
        yield server
    server.assert_no_violations()
