"""The migration history of recipes, for the database to bring up to date at start."""

from pathlib import Path

from sessions.storage.schema import MigrationHistory

RECIPES = MigrationHistory(name="recipes", versions=Path(__file__).parent / "migrations" / "versions")
