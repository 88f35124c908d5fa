"""The tables of scenes. Each change to them is a migration in `migrations/versions/`; a test compares them.

Row ids are never given again (SQLite does so only when asked), so that a position names one turn for good.
"""

import json
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Dialect,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
    literal_column,
)

from sessions.storage.sqlite import ROW_ID

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)


class Moment(TypeDecorator[datetime]):
    """A moment as whole microseconds since 1970, UTC: exact, and the same in every database."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        return None if value is None else (value - _EPOCH) // _MICROSECOND

    def process_result_value(self, value: int | None, dialect: Dialect) -> datetime | None:
        return None if value is None else _EPOCH + value * _MICROSECOND


class AnyText(TypeDecorator[str]):
    """Text of others, whatever it holds: NUL and lone surrogates, which databases refuse, are escaped."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else json.dumps(value)[1:-1]

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else json.loads(f'"{value}"')


def row_place() -> Column[int]:
    """The row's number, in the order in which rows came."""
    return Column("place", ROW_ID, primary_key=True)


sessions = Table(
    "sessions",
    metadata,
    Column("session_id", String, primary_key=True),
    Column("kind", String, nullable=False),
    Column("guild_id", BigInteger),
    Column("generation", Integer, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("closed_at", Moment),
    Column("reset_at", Moment),
    UniqueConstraint("session_id", "generation"),
)

turns = Table(
    "turns",
    metadata,
    Column("position", ROW_ID, primary_key=True),
    Column("session_id", String, nullable=False),
    Column("generation", Integer, nullable=False),
    Column("turn_id", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("interrupted", Boolean, nullable=False),
    Column("version", Integer, nullable=False),
    Column("body", Text, nullable=False),
    # A turn of an older generation finds no session to belong to: stale work cannot be stored (CORE-18).
    ForeignKeyConstraint(["session_id", "generation"], [sessions.c.session_id, sessions.c.generation]),
    UniqueConstraint("session_id", "turn_id"),
    Index(None, "session_id", "position"),
    sqlite_autoincrement=True,
)

turn_messages = Table(
    "turn_messages",
    metadata,
    Column("session_id", String, primary_key=True),
    Column("message_id", String, primary_key=True),
    Column("position", ROW_ID, ForeignKey(turns.c.position, ondelete="CASCADE"), nullable=False, index=True),
    Column("number", Integer, nullable=False),
)

inbox = Table(
    "inbox",
    metadata,
    row_place(),
    Column("message_id", String, nullable=False),
    Column("session_id", String, ForeignKey(sessions.c.session_id), nullable=False),
    Column("payload", AnyText, nullable=False),
    Column("at", Moment, nullable=False),
    Column("state", String, nullable=False),
    Column("run_id", String),
    Column("reason", String),
    UniqueConstraint("message_id"),
    Index(None, "state", "place"),
    sqlite_autoincrement=True,
)

outbox = Table(
    "outbox",
    metadata,
    row_place(),
    Column("reply_id", String, nullable=False),
    Column("number", Integer, nullable=False),
    Column("session_id", String, ForeignKey(sessions.c.session_id), nullable=False),
    Column("channel_id", String, nullable=False),
    Column("nonce", String, nullable=False),
    Column("at", Moment, nullable=False),
    Column("state", String, nullable=False),
    Column("message_id", String),
    Column("reason", String),
    UniqueConstraint("reply_id", "number"),
    Index(None, "state", "place"),
    sqlite_autoincrement=True,
)

tool_runs = Table(
    "tool_runs",
    metadata,
    row_place(),
    Column("reply_id", String, nullable=False),
    Column("invocation_id", String, nullable=False),
    Column("name", String, nullable=False),
    Column("arguments", AnyText, nullable=False),
    Column("at", Moment, nullable=False),
    Column("invocation", Text),
    UniqueConstraint("reply_id", "invocation_id"),
    sqlite_autoincrement=True,
)

summaries = Table(
    "summaries",
    metadata,
    Column("session_id", String, ForeignKey(sessions.c.session_id), primary_key=True),
    Column("position", BigInteger, nullable=False),
    Column("text", AnyText, nullable=False),
    Column("skills", AnyText, nullable=False),
)

channel_settings = Table(
    "channel_settings",
    metadata,
    Column("scope", String, primary_key=True),
    Column("scope_id", String, primary_key=True),
    Column("key", String, primary_key=True),
    Column("value", AnyText, nullable=False),
)

usage_counts = Table(
    "usage_counts",
    metadata,
    Column("scope", String, primary_key=True),
    Column("scope_id", String, primary_key=True),
    Column("day", Integer, primary_key=True, index=True),
    Column("tokens", BigInteger, nullable=False),
    Column("cost_micros", BigInteger, nullable=False),
)


def among(column: Column[str], states: Iterable[StrEnum]) -> ColumnElement[bool]:
    """Whether a state column holds one of these. Written into the SQL: a list of parameters is slower."""
    return column.in_([literal_column(f"'{state.value}'") for state in sorted(states)])
