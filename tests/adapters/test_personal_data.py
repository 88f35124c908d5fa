"""What is held of a person is covered whole: a new table without an answer for it fails here (MEM-6)."""

from pathlib import Path

from sqlalchemy import Connection, inspect

from bot.domains import optional_domains
from bot.domains.opened import Domains, domain_histories, opened_domains
from bot.person_settings_data import PersonSettingsData
from bot.personal_data import AllPersonalData
from bot.task_delegates import TaskDelegates
from core.clock import SystemClock
from core.identifiers import RandomIds
from sessions.channel_settings import UserScope
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


def test_memory_and_knowledge_are_the_optional_domains() -> None:
    """MEM-9."""
    assert [domain.name for domain in optional_domains()] == ["memory", "knowledge"]


async def test_what_settings_hold_of_a_person(tmp_path: Path) -> None:
    """MEM-6: permission to use the backend goes; a limit that the owner has set is told, and stays."""
    async with Database(sqlite_url(tmp_path / "x.db"), domain_histories()) as database:
        settings = stored_scenes(database).settings
        delegates = TaskDelegates(settings)
        for guild_id, user_id in (("7", "1"), ("7", "11"), ("8", "1")):
            await delegates.let(guild_id, user_id, use=True)
        await settings.change(UserScope(user_id="1"), "limit_tokens_per_day", "100")
        data = PersonSettingsData(settings, delegates)
        assert await data.export("1") == {
            "settings": {"limit_tokens_per_day": "100"},
            "may_use_the_backend_in": ["7", "8"],
        }
        assert await data.forget("1") == {"permissions": 2}
        await settings.change(UserScope(user_id="1"), "time_zone", "Asia/Tokyo")
        assert await data.forget("1") == {"permissions": 0, "time_zones": 1}
        assert await data.export("1") == {
            "settings": {"limit_tokens_per_day": "100"},
            "may_use_the_backend_in": [],
        }
        assert await delegates.allowed("7") == {"11"}
