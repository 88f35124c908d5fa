"""A database on a server (PostgreSQL through asyncpg): same tables, same group commit, no own thread."""

import asyncio
from collections.abc import Callable

from sqlalchemy import Connection
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from sessions.storage.group_commit import Group, commit_group


class ServerBackend:
    """One connection for the writer, a pool for the readers."""

    def __init__(self, url: URL, *, readers: int = 4) -> None:
        self._url = url
        self._writer = create_async_engine(
            url, pool_size=1, max_overflow=0, pool_pre_ping=True, hide_parameters=True
        )
        self.readers: AsyncEngine = create_async_engine(
            url, pool_size=readers, pool_pre_ping=True, isolation_level="AUTOCOMMIT", hide_parameters=True
        )

    async def open(self, upgrade: Callable[[Connection], None]) -> None:
        """Has `upgrade` bring the tables up to date, in a thread: it reads files and takes a while."""
        await asyncio.to_thread(asyncio.run, self._upgrade(upgrade))

    async def commit(self, group: Group) -> None:
        """Carries a group out on the writer's connection; a lost one is replaced for the next group."""
        async with self._writer.connect() as connection:
            await connection.run_sync(commit_group, group)

    async def aclose(self) -> None:
        """Closes all connections."""
        await self.readers.dispose()
        await self._writer.dispose()

    async def _upgrade(self, upgrade: Callable[[Connection], None]) -> None:
        engine = create_async_engine(self._url, hide_parameters=True)
        try:
            async with engine.connect() as connection:
                await connection.run_sync(upgrade)
        finally:
            await engine.dispose()
