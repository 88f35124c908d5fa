"""What is held of a person is covered whole: a new table without an answer for it fails here (MEM-6)."""

from pathlib import Path

from sqlalchemy import Connection, inspect

from bot.domains import optional_domains
from bot.domains.opened import Domains, domain_histories, opened_domains
from bot.personal_data import AllPersonalData
from core.clock import SystemClock
from core.identifiers import RandomIds
from sessions.storage.database import Database, sqlite_url
from sessions.storage.schema import SCENES
from sessions.storage.stores import stored_scenes


async def opened(database: Database, folder: Path) -> Domains:
    return await opened_domains(
        database,
        settings=stored_scenes(database).settings,
        recipe_folder=folder / "recipes.d",
        context_tokens=32_000,
        clock=SystemClock(),
        new_id=RandomIds(),
    )


async def test_every_table_is_answered_for(tmp_path: Path) -> None:
    """MEM-6: `/privacy forget-me` and `export-me` leave no table out."""

    def tables(connection: Connection) -> set[str]:
        return set(inspect(connection).get_table_names())

    histories = domain_histories()
    async with Database(sqlite_url(tmp_path / "x.db"), histories) as database:
        there = await database.read(tables)
        domains = await opened(database, tmp_path)
        covered = AllPersonalData((stored_scenes(database).persons, *domains.personal_data)).tables  # type: ignore[list-item] # only its tables are asked for
    versions = {history.version_table for history in (SCENES, *histories)}
    assert there - versions - {"sqlite_sequence"} == covered


def test_memory_is_one_of_the_optional_domains() -> None:
    """MEM-9."""
    assert [domain.name for domain in optional_domains()] == ["memory"]
