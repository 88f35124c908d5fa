"""Alembic's door: runs the revisions on the connection that `schema.py` hands over."""

from alembic import context

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    version_table=context.config.attributes["version_table"],
    render_as_batch=True,
)
with connection.begin():
    context.run_migrations()
