"""Recipes in memory: nothing outlives the process, everything else is the same."""

from collections.abc import Mapping
from dataclasses import replace

from recipes.recipe import InDirectMessages, Recipe, Scope, name_key
from recipes.recipe_store import NameTaken, RecipeChanged, UnknownRecipe


class RecipesInMemory:
    """`RecipeStore` and `RecipePersons`."""

    def __init__(self) -> None:
        self._recipes: dict[str, Recipe] = {}

    async def of_scope(self, scope: Scope) -> tuple[Recipe, ...]:
        """See `RecipeStore`."""
        return tuple(recipe for recipe in self._recipes.values() if recipe.scope == scope)

    async def find(self, recipe_id: str) -> Recipe | None:
        """See `RecipeStore`."""
        return self._recipes.get(recipe_id)

    async def add(self, recipe: Recipe) -> None:
        """See `RecipeStore`."""
        self._check_name(recipe)
        self._recipes[recipe.id] = recipe

    async def change(self, recipe: Recipe) -> None:
        """See `RecipeStore`."""
        known = self._recipes.get(recipe.id)
        if known is None:
            raise UnknownRecipe(recipe.id)
        if recipe.version != known.version + 1:
            raise RecipeChanged(recipe.id)
        self._check_name(recipe)
        self._recipes[recipe.id] = recipe

    async def remove(self, recipe_id: str) -> bool:
        """See `RecipeStore`."""
        return self._recipes.pop(recipe_id, None) is not None

    async def waiting(self, limit: int) -> tuple[Recipe, ...]:
        """See `RecipeStore`."""
        return tuple(recipe for recipe in self._recipes.values() if not recipe.approved)[:limit]

    async def recipes_of(self, user_id: str) -> tuple[Recipe, ...]:
        """See `RecipePersons`."""
        own = InDirectMessages(user_id=user_id)
        return tuple(one for one in self._recipes.values() if own == one.scope or one.author == user_id)

    async def forget_recipes_of(self, user_id: str) -> Mapping[str, int]:
        """See `RecipePersons`."""
        own = InDirectMessages(user_id=user_id)
        gone = [one.id for one in self._recipes.values() if one.scope == own]
        for recipe_id in gone:
            del self._recipes[recipe_id]
        written = [one for one in self._recipes.values() if one.author == user_id]
        self._recipes.update({one.id: replace(one, author=None) for one in written})
        return {"recipes": len(gone), "recipe_authors": len(written)}

    def _check_name(self, recipe: Recipe) -> None:
        key = name_key(recipe.name)
        others = (one for one in self._recipes.values() if one.scope == recipe.scope and one.id != recipe.id)
        if any(name_key(other.name) == key for other in others):
            raise NameTaken(recipe.name)
