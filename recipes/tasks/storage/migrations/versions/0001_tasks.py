"""Tasks.

Revision ID: 0001
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    row_id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "tasks",
        sa.Column("place", row_id, nullable=False),
        sa.Column("task_id", sa.String(), nullable=False),
        sa.Column("task_key", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("requester", sa.String(), nullable=False),
        sa.Column("guild_id", sa.String()),
        sa.Column("request", sa.Text(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("result", sa.Text()),
        sa.Column("error", sa.Text()),
        sa.Column("news", sa.String(), nullable=False),
        sa.Column("announced", sa.Integer(), nullable=False),
        sa.Column("claimed_by", sa.String()),
        sa.Column("claimed_until", sa.BigInteger()),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("place", name="pk_tasks"),
        sa.UniqueConstraint("task_id", name="uq_tasks_task_id"),
        sa.UniqueConstraint("task_key", name="uq_tasks_task_key"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_tasks_state_news", "tasks", ["state", "news"])
    op.create_index("ix_tasks_requester_place", "tasks", ["requester", "place"])
    op.create_index("ix_tasks_guild_id_place", "tasks", ["guild_id", "place"])
    op.create_table(
        "task_moves",
        sa.Column("place", row_id, nullable=False),
        sa.Column("task_place", row_id, nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("place", name="pk_task_moves"),
        sa.ForeignKeyConstraint(
            ["task_place"], ["tasks.place"], name="fk_task_moves_task_place", ondelete="CASCADE"
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_task_moves_task_place_place", "task_moves", ["task_place", "place"])
    op.create_table(
        "task_effects",
        sa.Column("place", row_id, nullable=False),
        sa.Column("task_place", row_id, nullable=False),
        sa.Column("effect", sa.String(), nullable=False),
        sa.Column("intended_at", sa.BigInteger(), nullable=False),
        sa.Column("receipt", sa.Text()),
        sa.PrimaryKeyConstraint("place", name="pk_task_effects"),
        sa.UniqueConstraint("task_place", "effect", name="uq_task_effects_task_place_effect"),
        sa.ForeignKeyConstraint(
            ["task_place"], ["tasks.place"], name="fk_task_effects_task_place", ondelete="CASCADE"
        ),
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    op.drop_table("task_effects")
    op.drop_table("task_moves")
    op.drop_table("tasks")
