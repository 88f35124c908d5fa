"""What SQLite is asked for, and what its file looks like from outside."""

import asyncio
import sqlite3
import stat
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from sessions.failures import DatabaseUnusable, StorageFailed
from sessions.storage.database import Database, sqlite_url


def pragmas(connection: Connection, *names: str) -> list[object]:
    return [connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in names]


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


async def test_the_file_is_its_owner_s_alone(tmp_path: Path) -> None:
    """SET-6: with its companions and its folder; one left open by an older start is closed."""
    path = tmp_path / "data" / "parley.db"
    for _ in range(2):
        async with Database(sqlite_url(path)) as database:
            await database.write(
                lambda connection: connection.execute(text("CREATE TABLE IF NOT EXISTS x (i)"))
            )
            await database.read(lambda connection: connection.execute(text("SELECT * FROM x")).all())
            files = await asyncio.to_thread(lambda: sorted(path.parent.iterdir()))
            assert [file.name for file in files] == ["parley.db", "parley.db-shm", "parley.db-wal"]
            assert {mode_of(file) for file in files} == {0o600}
        assert mode_of(path.parent) == 0o700
        path.chmod(0o644)


async def test_the_writer_and_the_readers_are_set_up(tmp_path: Path) -> None:
    """SCENE-7: write-ahead log, keys held, patience; readers cannot write."""
    async with Database(sqlite_url(tmp_path / "x.db")) as database:
        names = ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        assert await database.write(lambda connection: pragmas(connection, *names)) == ["wal", 1, 1, 5000]
        assert await database.read(lambda connection: pragmas(connection, "query_only", "busy_timeout")) == [
            1,
            5000,
        ]
        with pytest.raises(StorageFailed, match="readonly"):
            await database.read(lambda connection: connection.execute(text("CREATE TABLE x (i)")))


async def test_readers_do_not_wait_for_the_writer(tmp_path: Path) -> None:
    """CORE-28: a prompt is composed while others are written."""
    path = tmp_path / "x.db"
    async with Database(sqlite_url(path)) as database:
        other = await asyncio.to_thread(sqlite3.connect, path, check_same_thread=False)
        await asyncio.to_thread(other.execute, "BEGIN IMMEDIATE")
        assert await database.read(lambda connection: connection.execute(text("SELECT 1")).scalar()) == 1
        await asyncio.to_thread(other.close)


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:"])
def test_a_database_in_memory_is_refused(url: str) -> None:
    """SET-6."""
    with pytest.raises(ValueError, match="needs a file"):
        Database(url)


def test_other_databases_are_refused() -> None:
    """SET-6."""
    with pytest.raises(ValueError, match="mysql"):
        Database("mysql://host/name")


async def test_a_file_that_is_no_database_is_one_clear_failure(tmp_path: Path) -> None:
    """SET-6: said at the start, the file is left as it is."""
    path = tmp_path / "x.db"
    path.write_text("this is a letter, not a database" * 100)
    with pytest.raises(DatabaseUnusable, match="not a database"):
        async with Database(sqlite_url(path)):
            pass
    assert path.read_text().startswith("this is a letter")


async def test_a_folder_that_cannot_be_made_is_one_clear_failure(tmp_path: Path) -> None:
    """SET-6."""
    (tmp_path / "file").write_text("")
    with pytest.raises(DatabaseUnusable) as caught:
        async with Database(sqlite_url(tmp_path / "file" / "x.db")):
            pass
    assert "data folder" in caught.value.advice
