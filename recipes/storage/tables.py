"""The table of recipes. Each change to it is a migration in `migrations/versions/`; a test compares them."""

from sqlalchemy import Boolean, Column, Index, Integer, MetaData, String, Table, Text, UniqueConstraint

from sessions.storage import tables
from sessions.storage.tables import Moment, row_place

metadata = MetaData(naming_convention=tables.metadata.naming_convention)

recipes = Table(
    "recipes",
    metadata,
    row_place(),
    Column("recipe_id", String, nullable=False),
    Column("scope", String, nullable=False),
    Column("scope_id", String, nullable=False),
    Column("name_key", String, nullable=False),
    Column("form", Text, nullable=False),
    Column("enabled", Boolean, nullable=False),
    Column("approved", Boolean, nullable=False),
    Column("origin", String, nullable=False),
    Column("author", String),
    Column("version", Integer, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
    UniqueConstraint("recipe_id"),
    UniqueConstraint("scope", "scope_id", "name_key"),
    Index(None, "approved"),
    Index(None, "author"),
    sqlite_autoincrement=True,
)
