"""Which process goes on with a task, where several share a database.

Revision ID: 0003
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("tasks", sa.Column("slot", sa.String(), nullable=False, server_default="0"))


def downgrade() -> None:
    op.drop_column("tasks", "slot")
