"""Tasks in the database."""
