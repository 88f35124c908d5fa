"""Summaries of older turns.

Revision ID: 0002
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "summaries",
        sa.Column("session_id", sa.String(), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("skills", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("session_id", name="pk_summaries"),
        sa.ForeignKeyConstraint(["session_id"], ["sessions.session_id"], name="fk_summaries_session_id"),
    )


def downgrade() -> None:
    op.drop_table("summaries")
