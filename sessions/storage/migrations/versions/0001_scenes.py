"""Sessions, turns, inbox, outbox, tools of a reply, settings.

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
        "sessions",
        sa.Column("session_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("guild_id", sa.BigInteger()),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("closed_at", sa.BigInteger()),
        sa.PrimaryKeyConstraint("session_id", name="pk_sessions"),
        sa.UniqueConstraint("session_id", "generation", name="uq_sessions_session_id_generation"),
    )
    op.create_table(
        "turns",
        sa.Column("position", _ROW_ID, nullable=False),
        sa.Column("session_id", sa.String(), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("turn_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("interrupted", sa.Boolean(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("position", name="pk_turns"),
        sa.ForeignKeyConstraint(
            ["session_id", "generation"],
            ["sessions.session_id", "sessions.generation"],
            name="fk_turns_session_id_generation",
        ),
        sa.UniqueConstraint("session_id", "turn_id", name="uq_turns_session_id_turn_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_turns_session_id_position", "turns", ["session_id", "position"])
    op.create_table(
        "turn_messages",
        sa.Column("session_id", sa.String(), nullable=False),
        sa.Column("message_id", sa.String(), nullable=False),
        sa.Column("position", _ROW_ID, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("session_id", "message_id", name="pk_turn_messages"),
        sa.ForeignKeyConstraint(
            ["position"], ["turns.position"], name="fk_turn_messages_position", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_turn_messages_position", "turn_messages", ["position"])
    op.create_table(
        "inbox",
        sa.Column("place", _ROW_ID, nullable=False),
        sa.Column("message_id", sa.String(), nullable=False),
        sa.Column("session_id", sa.String(), nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("run_id", sa.String()),
        sa.Column("reason", sa.String()),
        sa.PrimaryKeyConstraint("place", name="pk_inbox"),
        sa.ForeignKeyConstraint(["session_id"], ["sessions.session_id"], name="fk_inbox_session_id"),
        sa.UniqueConstraint("message_id", name="uq_inbox_message_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_inbox_state_place", "inbox", ["state", "place"])
    op.create_table(
        "outbox",
        sa.Column("place", _ROW_ID, nullable=False),
        sa.Column("reply_id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.String(), nullable=False),
        sa.Column("channel_id", sa.String(), nullable=False),
        sa.Column("nonce", sa.String(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("message_id", sa.String()),
        sa.Column("reason", sa.String()),
        sa.PrimaryKeyConstraint("place", name="pk_outbox"),
        sa.ForeignKeyConstraint(["session_id"], ["sessions.session_id"], name="fk_outbox_session_id"),
        sa.UniqueConstraint("reply_id", "number", name="uq_outbox_reply_id_number"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_outbox_state_place", "outbox", ["state", "place"])
    op.create_table(
        "tool_runs",
        sa.Column("place", _ROW_ID, nullable=False),
        sa.Column("reply_id", sa.String(), nullable=False),
        sa.Column("invocation_id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("arguments", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("invocation", sa.Text()),
        sa.PrimaryKeyConstraint("place", name="pk_tool_runs"),
        sa.UniqueConstraint("reply_id", "invocation_id", name="uq_tool_runs_reply_id_invocation_id"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "channel_settings",
        sa.Column("scope", sa.String(), nullable=False),
        sa.Column("scope_id", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("scope", "scope_id", "key", name="pk_channel_settings"),
    )


def downgrade() -> None:
    for table in ("channel_settings", "tool_runs", "outbox", "inbox", "turn_messages", "turns", "sessions"):
        op.drop_table(table)
