"""Tables and migrations: the same in the end, from empty, twice, and never backwards."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, inspect, text

from sessions.failures import DatabaseTooNew
from sessions.storage.database import Database, sqlite_url
from sessions.storage.schema import SCENES, MigrationHistory
from sessions.storage.tables import metadata

NOTES = """
from alembic import op
import sqlalchemy as sa
revision = "n1"
down_revision = None
def upgrade():
    op.create_table("notes", sa.Column("note", sa.Text()))
    {more}
"""


def differences(connection: Connection) -> list[object]:
    def ours(_: object, name: str | None, kind: str, *__: object) -> bool:
        return not (kind == "table" and name == SCENES.version_table)

    options = {"version_table": SCENES.version_table, "include_object": ours, "compare_type": True}
    return list(compare_metadata(MigrationContext.configure(connection, opts=options), metadata))


def table_names(connection: Connection) -> set[str]:
    return set(inspect(connection).get_table_names())


def notes(folder: Path, more: str = "") -> MigrationHistory:
    folder.mkdir(exist_ok=True)
    (folder / "n1_notes.py").write_text(NOTES.format(more=more))
    return MigrationHistory(name="notes", versions=folder)


async def in_database(
    path: Path, work: Callable[[Connection], object], *histories: MigrationHistory
) -> object:
    async with Database(sqlite_url(path), histories) as database:
        return await database.write(work)


async def test_the_migrations_end_at_the_tables(tmp_path: Path) -> None:
    """SET-6: a column that only the code knows, or only the database, is found here."""
    assert await in_database(tmp_path / "x.db", differences) == []


async def test_the_comparison_sees_a_difference(tmp_path: Path) -> None:
    """SET-6: so that the test above can fail."""

    def changed(connection: Connection) -> list[object]:
        connection.execute(text("ALTER TABLE sessions ADD COLUMN extra TEXT"))
        connection.execute(text("DROP INDEX ix_turns_session_id_position"))
        return differences(connection)

    found = await in_database(tmp_path / "x.db", changed)
    assert isinstance(found, list)
    assert len(found) == 2


async def test_a_second_start_changes_nothing(tmp_path: Path) -> None:
    """SET-6."""

    def schema(connection: Connection) -> list[object]:
        return [tuple(row) for row in connection.execute(text("SELECT * FROM sqlite_master ORDER BY name"))]

    first = await in_database(tmp_path / "x.db", schema)
    assert await in_database(tmp_path / "x.db", schema) == first


async def test_a_database_of_a_newer_version_is_one_clear_failure(tmp_path: Path) -> None:
    """SET-6: refused before anything is touched, with words that say what to do."""
    path = tmp_path / "x.db"
    await in_database(path, lambda c: c.execute(text("UPDATE scenes_version SET version_num = '9999'")))
    with pytest.raises(DatabaseTooNew) as caught:
        await in_database(path, table_names, notes(tmp_path / "notes"))
    assert "newer Parley" in caught.value.advice
    assert "9999" in caught.value.reason


async def test_a_package_brings_its_own_tables_and_may_leave(tmp_path: Path) -> None:
    """CORE-42: an optional package has its own revisions; without it the rest starts as before."""
    path = tmp_path / "x.db"
    history = notes(tmp_path / "notes")
    for histories, expected in (((), False), ((history,), True), ((), True), ((history,), True)):
        names = await in_database(path, table_names, *histories)
        assert isinstance(names, set)
        assert ({"notes", "notes_version"} <= names) is expected
        assert "sessions" in names


async def test_a_migration_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    """SET-6: changes of tables are part of the transaction; the next start tries again."""
    path = tmp_path / "x.db"
    with pytest.raises(ZeroDivisionError):
        await in_database(path, table_names, notes(tmp_path / "notes", more="1 / 0"))
    names = await in_database(path, table_names)
    assert isinstance(names, set)
    assert "notes" not in names
    repaired = await in_database(path, table_names, notes(tmp_path / "repaired"))
    assert isinstance(repaired, set)
    assert "notes" in repaired


async def test_the_loop_goes_on_during_a_migration(tmp_path: Path) -> None:
    """SET-6: the start does not stand still."""
    database = Database(sqlite_url(tmp_path / "x.db"))
    turns = 0
    async with asyncio.TaskGroup() as tasks:
        opening = tasks.create_task(database.__aenter__())
        while not opening.done():
            turns += 1
            await asyncio.sleep(0.001)
    await database.__aexit__(None, None, None)
    assert turns > 3
