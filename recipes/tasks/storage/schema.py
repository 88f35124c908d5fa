"""The migration history of tasks, a branch of its own."""

from pathlib import Path

from sessions.storage.schema import MigrationHistory

TASKS = MigrationHistory(name="tasks", versions=Path(__file__).parent / "migrations" / "versions")
