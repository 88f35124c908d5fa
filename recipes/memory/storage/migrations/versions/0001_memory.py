"""Entries and their words, lists of notes, extractions.

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
        "memory_entries",
        sa.Column("place", _ROW_ID, nullable=False),
        sa.Column("space", sa.String(), nullable=False),
        sa.Column("shelf", sa.String(), nullable=False),
        sa.Column("persona", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("about", sa.String(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("title_key", sa.Text(), nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("session_id", sa.String(), nullable=False),
        sa.Column("turn_id", sa.String()),
        sa.Column("speaker_id", sa.String()),
        sa.Column("speaker_name", sa.Text()),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("used_at", sa.BigInteger(), nullable=False),
        sa.Column("uses", sa.Integer(), nullable=False),
        sa.Column("rank", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("place", name="pk_memory_entries"),
        sa.UniqueConstraint(
            "space", "persona", "about", "title_key", name="uq_memory_entries_space_persona_about_title_key"
        ),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_memory_entries_shelf_persona_about_rank", "memory_entries", ["shelf", "persona", "about", "rank"]
    )
    op.create_index("ix_memory_entries_space_place", "memory_entries", ["space", "place"])
    op.create_index("ix_memory_entries_about", "memory_entries", ["about"])
    op.create_index("ix_memory_entries_speaker_id", "memory_entries", ["speaker_id"])
    op.create_table(
        "memory_words",
        sa.Column("shelf", sa.String(), nullable=False),
        sa.Column("word", sa.String(), nullable=False),
        sa.Column("place", _ROW_ID, nullable=False),
        sa.PrimaryKeyConstraint("shelf", "word", "place", name="pk_memory_words"),
        sa.ForeignKeyConstraint(
            ["place"], ["memory_entries.place"], name="fk_memory_words_place", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_memory_words_place", "memory_words", ["place"])
    op.create_table(
        "note_lists",
        sa.Column("place", _ROW_ID, nullable=False),
        sa.Column("space", sa.String(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_key", sa.Text(), nullable=False),
        sa.Column("made_by", sa.String()),
        sa.Column("made_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("place", name="pk_note_lists"),
        sa.UniqueConstraint("space", "name_key", name="uq_note_lists_space_name_key"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_note_lists_made_by", "note_lists", ["made_by"])
    op.create_table(
        "note_items",
        sa.Column("place", _ROW_ID, nullable=False),
        sa.Column("list_place", _ROW_ID, nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("added_by", sa.String()),
        sa.Column("added_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("place", name="pk_note_items"),
        sa.ForeignKeyConstraint(
            ["list_place"], ["note_lists.place"], name="fk_note_items_list_place", ondelete="CASCADE"
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_note_items_list_place_place", "note_items", ["list_place", "place"])
    op.create_index("ix_note_items_added_by", "note_items", ["added_by"])
    op.create_table(
        "memory_extractions",
        sa.Column("place", _ROW_ID, nullable=False),
        sa.Column("session_id", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("asked_at", sa.BigInteger(), nullable=False),
        sa.Column("done_at", sa.BigInteger()),
        sa.Column("proposed", sa.Integer(), nullable=False),
        sa.Column("kept", sa.Integer(), nullable=False),
        sa.Column("outcomes", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("place", name="pk_memory_extractions"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_memory_extractions_state_place", "memory_extractions", ["state", "place"])
    op.create_index("ix_memory_extractions_session_id_place", "memory_extractions", ["session_id", "place"])


def downgrade() -> None:
    for table in ("memory_extractions", "note_items", "note_lists", "memory_words", "memory_entries"):
        op.drop_table(table)
