"""The migration history of knowledge, a branch of its own: it leaves with the folder."""

from pathlib import Path

from sessions.storage.schema import MigrationHistory

KNOWLEDGE = MigrationHistory(name="knowledge", versions=Path(__file__).parent / "migrations" / "versions")
