"""Everything that is SQLite's own: files, pragmas, the writer's thread, row ids.

The writer has one connection in one thread, so that a whole group of writes costs one hop between threads.
Readers go through aiosqlite on connections of their own; in WAL mode neither waits for the other.

`synchronous=NORMAL`: a commit is in the operating system's hands when it is acknowledged, so killing the
process loses nothing. A power cut may lose the last moments (never the file's integrity); Discord still has
those messages, backfill reads them again, and their nonces keep replies single. An fsync per commit would
buy little more, at milliseconds per reply.
"""

import asyncio
import stat
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import ParamSpec, TypeVar

from sqlalchemy import BigInteger, Connection, Engine, Integer, create_engine, event
from sqlalchemy.engine import URL
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry, NullPool

from sessions.storage.group_commit import Group, commit_group

ROW_ID = BigInteger().with_variant(Integer(), "sqlite")
"""A primary key that counts up; SQLite does that for the exact type INTEGER only."""

_BUSY_MS = 5000
_WRITER_PRAGMAS = (
    f"PRAGMA busy_timeout={_BUSY_MS}",
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=NORMAL",
    "PRAGMA foreign_keys=ON",
)
_READER_PRAGMAS = (f"PRAGMA busy_timeout={_BUSY_MS}", "PRAGMA query_only=ON")
_OWNER_ONLY = stat.S_IRUSR | stat.S_IWUSR

_P = ParamSpec("_P")
_T = TypeVar("_T")


class SqliteBackend:
    """One file, one writer, several readers."""

    def __init__(self, url: URL, *, readers: int = 4) -> None:
        if not url.database or url.database == ":memory:":
            raise ValueError("the database needs a file; a database in memory has no second connection")
        self._path = Path(url.database)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="database-writer")
        self._engine = _writer_engine(self._path)
        self._writer: Connection | None = None
        self.readers = _reader_engine(self._path, readers)

    async def open(self, upgrade: Callable[[Connection], None]) -> None:
        """Creates the file, for its owner only, and has `upgrade` bring its tables up to date."""
        self._writer = await self._in_thread(self._open_writer, upgrade)

    async def commit(self, group: Group) -> None:
        """Carries a group out in the writer's thread."""
        writer = self._writer
        if writer is None:
            raise RuntimeError("open the backend before committing")
        await self._in_thread(commit_group, writer, group)

    async def aclose(self) -> None:
        """Closes all connections and ends the writer's thread."""
        await self.readers.dispose()
        if self._writer is not None:
            await self._in_thread(self._writer.close)
        await self._in_thread(self._engine.dispose)
        self._thread.shutdown(wait=False)

    def _open_writer(self, upgrade: Callable[[Connection], None]) -> Connection:
        self._path.parent.mkdir(mode=stat.S_IRWXU, parents=True, exist_ok=True)
        self._path.touch(mode=_OWNER_ONLY)
        self._path.chmod(_OWNER_ONLY)
        with _upgrade_engine(self._path).connect() as connection:
            upgrade(connection)
        return self._engine.connect()

    async def _in_thread(self, work: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        call = partial(work, *args, **kwargs)
        return await asyncio.get_running_loop().run_in_executor(self._thread, call)


def _writer_engine(path: Path) -> Engine:
    """The driver begins a transaction, for writing at once, before the first INSERT, UPDATE or DELETE."""
    return _sync_engine(path, "IMMEDIATE")


def _upgrade_engine(path: Path) -> Engine:
    """A transaction begins where SQLAlchemy begins one, so that changes of tables are part of it.

    The writer does without: a listener on an engine costs time at each of its statements.
    """
    engine = _sync_engine(path, None)

    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    event.listen(engine, "begin", begin)
    return engine


def _sync_engine(path: Path, begins: str | None) -> Engine:
    engine = create_engine(
        URL.create("sqlite+pysqlite", database=str(path)), poolclass=NullPool, hide_parameters=True
    )

    def prepare(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
        connection.isolation_level = begins
        _execute_all(connection, _WRITER_PRAGMAS)

    event.listen(engine, "connect", prepare)
    return engine


def _reader_engine(path: Path, readers: int) -> AsyncEngine:
    engine = create_async_engine(
        URL.create("sqlite+aiosqlite", database=str(path)),
        pool_size=readers,
        max_overflow=0,
        isolation_level="AUTOCOMMIT",  # each read is one statement, which sees one moment
        hide_parameters=True,
    )

    def prepare(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
        _execute_all(connection, _READER_PRAGMAS)

    event.listen(engine.sync_engine, "connect", prepare)
    return engine


def _execute_all(connection: DBAPIConnection, statements: Sequence[str]) -> None:
    cursor = connection.cursor()
    for statement in statements:
        cursor.execute(statement)
    cursor.close()
