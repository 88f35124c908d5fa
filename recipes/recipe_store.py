"""The port to where recipes are kept. Both adapters pass one contract.

Exception
├── NameTaken        another recipe of that scope has the name; nothing was stored
├── RecipeChanged    somebody changed it meanwhile; read it again
└── UnknownRecipe    it is not there (any more)
"""

from collections.abc import Mapping
from typing import Protocol

from recipes.recipe import Recipe, Scope


class NameTaken(Exception):
    """Names are compared without case."""


class RecipeChanged(Exception):
    """The version that a change was made from is not the stored one."""


class UnknownRecipe(Exception):
    """No recipe of this id."""


class RecipeStore(Protocol):
    """Keeps recipes; what one call has acknowledged, the next one sees."""

    async def of_scope(self, scope: Scope) -> tuple[Recipe, ...]:
        """Every recipe of the scope, whatever its state, in the order in which they came."""
        ...

    async def find(self, recipe_id: str) -> Recipe | None:
        """One recipe."""
        ...

    async def add(self, recipe: Recipe) -> None:
        """Stores a new recipe.

        Raises:
            NameTaken: nothing was stored.
        """
        ...

    async def change(self, recipe: Recipe) -> None:
        """Stores the next version of a recipe: `recipe.version` is one more than the stored one's.

        Raises:
            NameTaken, RecipeChanged, UnknownRecipe: nothing was changed.
        """
        ...

    async def remove(self, recipe_id: str) -> bool:
        """Takes it out; False when it was not there."""
        ...

    async def waiting(self, limit: int) -> tuple[Recipe, ...]:
        """Proposals of every scope that nobody has decided about, oldest first."""
        ...


class RecipePersons(Protocol):
    """What recipes hold about a person (MEM-6)."""

    async def recipes_of(self, user_id: str) -> tuple[Recipe, ...]:
        """What the person wrote, and what is of their direct messages."""
        ...

    async def forget_recipes_of(self, user_id: str) -> Mapping[str, int]:
        """Takes out the recipes of their direct messages, and their id from the others; counts both."""
        ...
