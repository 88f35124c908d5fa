"""Fixtures of the contract tests: stores of every kind, and the fake Discord."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from blockbuster import BlockBuster

from sessions.stores import SceneStores
from tests.contracts.scene_contract import ADAPTERS, opened_stores
from tests.fake_discord.fixtures import discord_server

__all__ = ["discord_server"]


@pytest.fixture(params=ADAPTERS)
async def stores(
    request: pytest.FixtureRequest, tmp_path: Path, blocking_calls_are_errors: BlockBuster
) -> AsyncIterator[SceneStores]:
    """Empty stores of one adapter."""
    if request.param == "postgresql":
        blocking_calls_are_errors.deactivate()  # asyncpg looks at files when it connects
    async with opened_stores(request.param, tmp_path) as opened:
        yield opened
