"""Documents, their pieces, and the words of those.

Revision ID: 0001
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_ROW_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "knowledge_documents",
        sa.Column("place", _ROW_ID, nullable=False),
        sa.Column("space", sa.String(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_key", sa.Text(), nullable=False),
        sa.Column("added_by", sa.String()),
        sa.Column("added_at", sa.BigInteger(), nullable=False),
        sa.Column("pieces", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("place", name="pk_knowledge_documents"),
        sa.UniqueConstraint("space", "name_key", name="uq_knowledge_documents_space_name_key"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_knowledge_documents_added_by", "knowledge_documents", ["added_by"])
    op.create_table(
        "knowledge_pieces",
        sa.Column("place", _ROW_ID, nullable=False),
        sa.Column("document_place", _ROW_ID, nullable=False),
        sa.Column("line", sa.Integer(), nullable=False),
        sa.Column("heading", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("place", name="pk_knowledge_pieces"),
        sa.ForeignKeyConstraint(
            ["document_place"],
            ["knowledge_documents.place"],
            name="fk_knowledge_pieces_document_place",
            ondelete="CASCADE",
        ),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_knowledge_pieces_document_place_place", "knowledge_pieces", ["document_place", "place"]
    )
    op.create_table(
        "knowledge_words",
        sa.Column("space", sa.String(), nullable=False),
        sa.Column("word", sa.String(), nullable=False),
        sa.Column("place", _ROW_ID, nullable=False),
        sa.PrimaryKeyConstraint("space", "word", "place", name="pk_knowledge_words"),
        sa.ForeignKeyConstraint(
            ["place"], ["knowledge_pieces.place"], name="fk_knowledge_words_place", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_knowledge_words_place", "knowledge_words", ["place"])


def downgrade() -> None:
    for table in ("knowledge_words", "knowledge_pieces", "knowledge_documents"):
        op.drop_table(table)
