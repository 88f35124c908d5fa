"""When a session was reset, so that nothing said before is read back.

Revision ID: 0003
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("sessions", sa.Column("reset_at", sa.BigInteger()))


def downgrade() -> None:
    op.drop_column("sessions", "reset_at")
