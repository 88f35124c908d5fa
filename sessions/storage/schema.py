"""Brings the tables up to date at start, with Alembic and without its command line.

Each package that stores something has a migration history of its own: a folder of revisions and a version
table. So a package can be taken out, tables and all, and a revision that nobody knows can only mean that a
newer Parley wrote it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from sessions.failures import DatabaseTooNew

_MIGRATIONS = Path(__file__).parent / "migrations"


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrationHistory:
    """The revisions of one package's tables. `name` is a stored word: the version table has it."""

    name: str
    versions: Path

    @property
    def version_table(self) -> str:
        """The table that holds the revision the database stands at."""
        return f"{self.name}_version"


SCENES = MigrationHistory(name="scenes", versions=_MIGRATIONS / "versions")


def upgrade_tables(connection: Connection, histories: Iterable[MigrationHistory]) -> None:
    """Upgrades each history to its newest revision, each in one transaction. Blocks.

    Raises:
        DatabaseTooNew: one stands at an unknown revision; nothing was changed.
    """
    behind: list[Config] = []
    for history in histories:
        config = _config(connection, history)
        script = ScriptDirectory.from_config(config)
        known = {revision.revision for revision in script.walk_revisions()}
        current = _current(connection, history)
        if current is not None and current not in known:
            raise DatabaseTooNew(history.name, current)
        if current not in script.get_heads():
            behind.append(config)
    for config in behind:
        command.upgrade(config, "head")


def _current(connection: Connection, history: MigrationHistory) -> str | None:
    with connection.begin():
        context = MigrationContext.configure(connection, opts={"version_table": history.version_table})
        return context.get_current_revision()


def _config(connection: Connection, history: MigrationHistory) -> Config:
    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS))
    config.set_main_option("path_separator", "newline")
    config.set_main_option("version_locations", str(history.versions))
    config.attributes["connection"] = connection
    config.attributes["version_table"] = history.version_table
    return config
