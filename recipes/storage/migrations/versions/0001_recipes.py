"""Recipes.

Revision ID: 0001
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "recipes",
        sa.Column("place", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("recipe_id", sa.String(), nullable=False),
        sa.Column("scope", sa.String(), nullable=False),
        sa.Column("scope_id", sa.String(), nullable=False),
        sa.Column("name_key", sa.String(), nullable=False),
        sa.Column("form", sa.Text(), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("approved", sa.Boolean(), nullable=False),
        sa.Column("origin", sa.String(), nullable=False),
        sa.Column("author", sa.String()),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("place", name="pk_recipes"),
        sa.UniqueConstraint("recipe_id", name="uq_recipes_recipe_id"),
        sa.UniqueConstraint("scope", "scope_id", "name_key", name="uq_recipes_scope_scope_id_name_key"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_recipes_approved", "recipes", ["approved"])
    op.create_index("ix_recipes_author", "recipes", ["author"])


def downgrade() -> None:
    op.drop_table("recipes")
