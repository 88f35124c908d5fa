"""The tables of memory and notes. Each change to them is a migration; a test compares them.

`shelf` is what an entry is read by: its space, or `public` for those that every place may read.
"""

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    UniqueConstraint,
)

from sessions.storage import tables
from sessions.storage.sqlite import ROW_ID
from sessions.storage.tables import AnyText, Moment, row_place

metadata = MetaData(naming_convention=tables.metadata.naming_convention)

PUBLIC = "public"

entries = Table(
    "memory_entries",
    metadata,
    row_place(),
    Column("space", String, nullable=False),
    Column("shelf", String, nullable=False),
    Column("persona", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("about", String, nullable=False),
    Column("title", AnyText, nullable=False),
    Column("title_key", AnyText, nullable=False),
    Column("summary", AnyText, nullable=False),
    Column("text", AnyText, nullable=False),
    Column("session_id", String, nullable=False),
    Column("turn_id", String),
    Column("speaker_id", String),
    Column("speaker_name", AnyText),
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
    Column("used_at", Moment, nullable=False),
    Column("uses", Integer, nullable=False),
    Column("rank", BigInteger, nullable=False),
    UniqueConstraint("space", "persona", "about", "title_key"),
    Index(None, "shelf", "persona", "about", "rank"),
    Index(None, "space", "place"),
    Index(None, "about"),
    Index(None, "speaker_id"),
    sqlite_autoincrement=True,
)

words = Table(
    "memory_words",
    metadata,
    Column("shelf", String, primary_key=True),
    Column("word", String, primary_key=True),
    Column("place", ROW_ID, ForeignKey(entries.c.place, ondelete="CASCADE"), primary_key=True),
    Index(None, "place"),
)

note_lists = Table(
    "note_lists",
    metadata,
    row_place(),
    Column("space", String, nullable=False),
    Column("name", AnyText, nullable=False),
    Column("name_key", AnyText, nullable=False),
    Column("made_by", String),
    Column("made_at", Moment, nullable=False),
    UniqueConstraint("space", "name_key"),
    Index(None, "made_by"),
    sqlite_autoincrement=True,
)

note_items = Table(
    "note_items",
    metadata,
    row_place(),
    Column("list_place", ROW_ID, ForeignKey(note_lists.c.place, ondelete="CASCADE"), nullable=False),
    Column("text", AnyText, nullable=False),
    Column("added_by", String),
    Column("added_at", Moment, nullable=False),
    Index(None, "list_place", "place"),
    Index(None, "added_by"),
    sqlite_autoincrement=True,
)

extractions = Table(
    "memory_extractions",
    metadata,
    row_place(),
    Column("session_id", String, nullable=False),
    Column("state", String, nullable=False),
    Column("asked_at", Moment, nullable=False),
    Column("done_at", Moment),
    Column("proposed", Integer, nullable=False),
    Column("kept", Integer, nullable=False),
    Column("outcomes", AnyText, nullable=False),
    Index(None, "state", "place"),
    Index(None, "session_id", "place"),
    sqlite_autoincrement=True,
)
