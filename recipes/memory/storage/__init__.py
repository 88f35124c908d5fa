"""Memory and notes in the database."""
