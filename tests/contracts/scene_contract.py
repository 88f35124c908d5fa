"""The stores that a contract is held against: in memory, SQLite, and PostgreSQL where there is one.

`PARLEY_TEST_POSTGRESQL` names a server's database (`postgresql://user@host/name`); each worker of the test
run makes and empties one of its own beside it.
"""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest
from sqlalchemy import make_url, text
from sqlalchemy.ext.asyncio import create_async_engine

from sessions.in_memory import scenes_in_memory
from sessions.storage.database import Database, sqlite_url
from sessions.storage.stores import stored_scenes
from sessions.stores import SceneStores

_SERVER = os.environ.get("PARLEY_TEST_POSTGRESQL")
_WORKER = os.environ.get("PYTEST_XDIST_WORKER", "main")
POSTGRESQL = f"{_SERVER}_{_WORKER}" if _SERVER else None
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
    """Makes this worker's database, or empties it."""
    await _make_database()
    engine = create_async_engine(_driven(POSTGRESQL))
    async with engine.begin() as connection:
        await connection.execute(text("DROP SCHEMA public CASCADE"))
        await connection.execute(text("CREATE SCHEMA public"))
    await engine.dispose()


async def _make_database() -> None:
    name = make_url(POSTGRESQL or "").database
    engine = create_async_engine(_driven(_SERVER), isolation_level="AUTOCOMMIT")
    async with engine.connect() as connection:
        known = await connection.execute(
            text("SELECT 1 FROM pg_database WHERE datname = :name"), {"name": name}
        )
        if known.scalar() is None:
            await connection.execute(text(f'CREATE DATABASE "{name}"'))
    await engine.dispose()


def _driven(url: str | None) -> str:
    return (url or "").replace("postgresql:", "postgresql+asyncpg:")
