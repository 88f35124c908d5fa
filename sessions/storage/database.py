"""The one database of the process: one writer with group commit, readers beside it, tables up to date.

Work is a function over a SQLAlchemy connection, so that the same statements run on SQLite and PostgreSQL.
"""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self, TypeVar

from sqlalchemy import Connection
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from sessions.failures import DatabaseUnusable
from sessions.storage.database_server import ServerBackend
from sessions.storage.group_commit import (
    ConstraintRefused,
    Group,
    Settled,
    Work,
    WriteQueue,
    described,
    translated,
)
from sessions.storage.schema import SCENES, MigrationHistory, upgrade_tables
from sessions.storage.sqlite import SqliteBackend

_T = TypeVar("_T")


class Backend(Protocol):
    """What a kind of database brings: its readers, its way to commit, its start and end."""

    @property
    def readers(self) -> AsyncEngine: ...
    async def open(self, upgrade: Callable[[Connection], None]) -> None: ...
    async def commit(self, group: Group) -> None: ...
    async def aclose(self) -> None: ...


class Database:
    """Opened with `async with`; the end of the block waits until every queued write is committed.

    Args:
        url: `sqlite:///<path>` or `postgresql://<host>/<name>`; the drivers are chosen here.
        histories: tables of removable packages, upgraded after those of scenes.

    Raises:
        DatabaseTooNew: on entering; nothing was touched.
        DatabaseUnusable: on entering, when it cannot be opened.
    """

    def __init__(self, url: str, histories: Sequence[MigrationHistory] = ()) -> None:
        self._histories = (SCENES, *histories)
        self._backend = _backend(make_url(url))
        self._queue = WriteQueue()
        self._owner = asyncio.TaskGroup()

    async def __aenter__(self) -> Self:
        try:
            await self._backend.open(lambda connection: upgrade_tables(connection, self._histories))
        except (SQLAlchemyError, OSError) as failure:
            await self._backend.aclose()
            raise DatabaseUnusable(described(failure)) from failure
        except BaseException:
            await self._backend.aclose()
            raise
        await self._owner.__aenter__()
        self._owner.create_task(self._queue.run(self._backend.commit), name="database-writer")
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        failure: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._queue.close()
        try:
            await self._owner.__aexit__(None, None, None)  # the writer ends by itself, also after a failure
        finally:
            await self._backend.aclose()

    async def write(
        self, work: Work[_T], on_commit: Settled[_T] | None = None, *, instead: Work[_T] | None = None
    ) -> _T:
        """Has `work` carried out by the writer and returns its value after the commit.

        `work` touches nothing but its connection: it runs in the writer's thread, and again when a neighbour
        in its group failed. What it raises comes out here, and nothing of it is kept. `on_commit` runs on
        the loop before any later write is settled. Cancelling the wait does not take the write back.

        `instead` is carried out when a constraint refused `work`: so `work` can do without looking first,
        and what is rare (a message that comes twice, a run that starts again) is looked at then.

        Raises:
            StorageFailed: the database did not do it.
        """
        try:
            return await self._queue.submit(work, on_commit)
        except ConstraintRefused:
            if instead is None:
                raise
        return await self._queue.submit(instead, on_commit)

    async def read(self, work: Work[_T]) -> _T:
        """Has `work` read on a connection of its own: all that was acknowledged before is seen.

        Each statement sees one moment; two statements may see two.

        Raises:
            StorageFailed: the database did not do it.
        """
        try:
            async with self._backend.readers.connect() as connection:
                return await connection.run_sync(work)
        except SQLAlchemyError as failure:
            raise translated(failure) from failure


def sqlite_url(path: Path) -> str:
    """The URL of a database in this file."""
    return URL.create("sqlite", database=str(path)).render_as_string()


def _backend(url: URL) -> Backend:
    match url.get_backend_name():
        case "sqlite":
            return SqliteBackend(url)
        case "postgresql":
            try:
                return ServerBackend(url.set(drivername="postgresql+asyncpg"))
            except ModuleNotFoundError as missing:
                raise DatabaseUnusable("PostgreSQL needs the package asyncpg") from missing
        case name:
            raise ValueError(f"Parley stores in sqlite or postgresql, not in {name}")
