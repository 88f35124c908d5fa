"""The migration history of memory, a branch of its own: it leaves with the folder."""

from pathlib import Path

from sessions.storage.schema import MigrationHistory

MEMORY = MigrationHistory(name="memory", versions=Path(__file__).parent / "migrations" / "versions")
