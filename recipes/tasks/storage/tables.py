"""The tables of tasks. Each change to them is a migration in `migrations/versions/`; a test compares them.

The steps of a run are not here: the durable execution keeps them in a file or schema of its own.
"""

from sqlalchemy import Column, ForeignKey, Index, Integer, MetaData, String, Table, Text, UniqueConstraint

from sessions.storage import tables
from sessions.storage.sqlite import ROW_ID
from sessions.storage.tables import AnyText, Moment, row_place

metadata = MetaData(naming_convention=tables.metadata.naming_convention)

tasks = Table(
    "tasks",
    metadata,
    row_place(),
    Column("task_id", String, nullable=False),
    Column("task_key", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("requester", String, nullable=False),
    Column("guild_id", String),
    Column("slot", String, nullable=False, server_default="0"),
    Column("request", AnyText, nullable=False),
    Column("state", String, nullable=False),
    Column("result", AnyText),
    Column("error", AnyText),
    Column("artifacts", Text),
    Column("news", String, nullable=False),
    Column("announced", Integer, nullable=False),
    Column("claimed_by", String),
    Column("claimed_until", Moment),
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
    UniqueConstraint("task_id"),
    UniqueConstraint("task_key"),
    Index(None, "state", "news"),
    Index(None, "requester", "place"),
    Index(None, "guild_id", "place"),
    sqlite_autoincrement=True,
)


def _of_task() -> Column[int]:
    """The task that a row belongs to, and goes with."""
    return Column("task_place", ROW_ID, ForeignKey(tasks.c.place, ondelete="CASCADE"), nullable=False)


moves = Table(
    "task_moves",
    metadata,
    row_place(),
    _of_task(),
    Column("state", String, nullable=False),
    Column("at", Moment, nullable=False),
    Index(None, "task_place", "place"),
    sqlite_autoincrement=True,
)

effects = Table(
    "task_effects",
    metadata,
    row_place(),
    _of_task(),
    Column("effect", String, nullable=False),
    Column("intended_at", Moment, nullable=False),
    Column("receipt", AnyText),
    UniqueConstraint("task_place", "effect"),
    sqlite_autoincrement=True,
)
