"""The tables of knowledge. Each change to them is a migration; a test compares them."""

from sqlalchemy import Column, ForeignKey, Index, Integer, MetaData, String, Table, UniqueConstraint

from sessions.storage import tables
from sessions.storage.sqlite import ROW_ID
from sessions.storage.tables import AnyText, Moment, row_place

metadata = MetaData(naming_convention=tables.metadata.naming_convention)

documents = Table(
    "knowledge_documents",
    metadata,
    row_place(),
    Column("space", String, nullable=False),
    Column("name", AnyText, nullable=False),
    Column("name_key", AnyText, nullable=False),
    Column("added_by", String),
    Column("added_at", Moment, nullable=False),
    Column("pieces", Integer, nullable=False),
    UniqueConstraint("space", "name_key"),
    Index(None, "added_by"),
    sqlite_autoincrement=True,
)

pieces = Table(
    "knowledge_pieces",
    metadata,
    row_place(),
    Column("document_place", ROW_ID, ForeignKey(documents.c.place, ondelete="CASCADE"), nullable=False),
    Column("line", Integer, nullable=False),
    Column("heading", AnyText, nullable=False),
    Column("text", AnyText, nullable=False),
    Index(None, "document_place", "place"),
    sqlite_autoincrement=True,
)

words = Table(
    "knowledge_words",
    metadata,
    Column("space", String, primary_key=True),
    Column("word", String, primary_key=True),
    Column("place", ROW_ID, ForeignKey(pieces.c.place, ondelete="CASCADE"), primary_key=True),
    Index(None, "place"),
)
