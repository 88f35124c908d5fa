"""The recipe stores that a contract is held against."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from recipes.in_memory import RecipesInMemory
from recipes.storage.recipes import StoredRecipes
from recipes.storage.schema import RECIPES
from sessions.storage.database import Database, sqlite_url
from tests.contracts.scene_contract import POSTGRESQL, empty_server

RecipeStores = RecipesInMemory | StoredRecipes


@asynccontextmanager
async def opened_recipes(adapter: str, folder: Path) -> AsyncIterator[RecipeStores]:
    """An empty store of that kind."""
    if adapter == "memory":
        yield RecipesInMemory()
        return
    url = sqlite_url(folder / "recipes.db")
    if adapter == "postgresql":
        url = POSTGRESQL or ""
        await empty_server()
    async with Database(url, (RECIPES,)) as database:
        yield StoredRecipes(database)
