"""What a task made beside its text.

Revision ID: 0002
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("tasks", sa.Column("artifacts", sa.Text()))


def downgrade() -> None:
    op.drop_column("tasks", "artifacts")
