"""Tables of recipes and memory: migrations end at the tables, and memory can leave (SET-6, MEM-9)."""

from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, MetaData, inspect

from recipes.knowledge.storage import tables as knowledge_tables
from recipes.knowledge.storage.schema import KNOWLEDGE
from recipes.memory.storage import tables as memory_tables
from recipes.memory.storage.schema import MEMORY
from recipes.storage import tables as recipe_tables
from recipes.storage.schema import RECIPES
from recipes.tasks.storage import tables as task_tables
from recipes.tasks.storage.schema import TASKS
from sessions.storage.database import Database, sqlite_url
from sessions.storage.schema import MigrationHistory


@pytest.mark.parametrize(
    ("history", "metadata"),
    [
        (RECIPES, recipe_tables.metadata),
        (MEMORY, memory_tables.metadata),
        (KNOWLEDGE, knowledge_tables.metadata),
        (TASKS, task_tables.metadata),
    ],
)
async def test_the_migrations_end_at_the_tables(
    tmp_path: Path, history: MigrationHistory, metadata: MetaData
) -> None:
    """SET-6: a column that only the code knows, or only the database, is found here."""

    def differences(connection: Connection) -> list[object]:
        def ours(_: object, name: str | None, kind: str, *__: object) -> bool:
            return kind != "table" or name in metadata.tables

        options = {"version_table": history.version_table, "include_object": ours, "compare_type": True}
        return list(compare_metadata(MigrationContext.configure(connection, opts=options), metadata))

    async with Database(sqlite_url(tmp_path / "x.db"), (history,)) as database:
        assert await database.write(differences) == []


async def test_without_memory_its_tables_are_not_made(tmp_path: Path) -> None:
    """MEM-9: a history of its own, beside that of recipes."""

    def names(connection: Connection) -> set[str]:
        return set(inspect(connection).get_table_names())

    async with Database(sqlite_url(tmp_path / "x.db"), (RECIPES,)) as database:
        without = await database.read(names)
    async with Database(sqlite_url(tmp_path / "x.db"), (RECIPES, MEMORY)) as database:
        both = await database.read(names)
    memory = set(memory_tables.metadata.tables)
    assert not without & memory
    assert both - without == memory | {MEMORY.version_table}
    async with Database(sqlite_url(tmp_path / "x.db"), (RECIPES,)) as database:
        assert await database.read(names) == both
