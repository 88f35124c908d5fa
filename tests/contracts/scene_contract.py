"""The stores that a contract is held against: in memory, SQLite, and PostgreSQL where there is one.

`PARLEY_TEST_POSTGRESQL` names a server's database (`postgresql://user@host/name`) that tests may empty.
"""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest
from sqlalchemy import MetaData
from sqlalchemy.ext.asyncio import create_async_engine

from sessions.in_memory import scenes_in_memory
from sessions.storage.database import Database, sqlite_url
from sessions.storage.stores import stored_scenes
from sessions.stores import SceneStores

POSTGRESQL = os.environ.get("PARLEY_TEST_POSTGRESQL")
ADAPTERS = [
    "memory",
    "sqlite",
    pytest.param(
        "postgresql",
        marks=pytest.mark.skipif(
            not POSTGRESQL or not find_spec("asyncpg"),
            reason="PARLEY_TEST_POSTGRESQL names no database, or asyncpg is not installed",
        ),
    ),
]


@asynccontextmanager
async def opened_stores(adapter: str, folder: Path) -> AsyncIterator[SceneStores]:
    """Empty stores of that kind."""
    if adapter == "memory":
        yield scenes_in_memory()
        return
    url = sqlite_url(folder / "scenes.db")
    if adapter == "postgresql":
        url = POSTGRESQL or ""
        await empty_server()
    async with Database(url) as database:
        yield stored_scenes(database)


async def empty_server() -> None:
    """Drops every table of the server's database."""
    engine = create_async_engine((POSTGRESQL or "").replace("postgresql:", "postgresql+asyncpg:"))
    async with engine.begin() as connection:
        found = MetaData()
        await connection.run_sync(found.reflect)
        await connection.run_sync(found.drop_all)
    await engine.dispose()
