"""What recipes hold of a person (MEM-6): who wrote them, and those of their direct messages."""

from collections.abc import Mapping

from recipes.library import RecipeLibrary
from recipes.recipe_form import draft_of, form_of_recipe
from recipes.recipe_store import RecipePersons


class RecipePersonalData:
    """Exports and forgets. A server's recipe stays when its author is forgotten, without their id."""

    def __init__(self, *, persons: RecipePersons, library: RecipeLibrary, tables: frozenset[str]) -> None:
        self._persons = persons
        self._library = library
        self.tables = tables

    async def export(self, user_id: str) -> Mapping[str, object]:
        """The recipes that they wrote."""
        return {"recipes": [form_of_recipe(draft_of(one)) for one in await self._persons.recipes_of(user_id)]}

    async def forget(self, user_id: str) -> Mapping[str, int]:
        """Remove what is theirs alone, and their id from the rest."""
        counts = await self._persons.forget_recipes_of(user_id)
        self._library.forget_all()
        return counts
