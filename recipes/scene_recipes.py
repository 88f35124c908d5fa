"""The recipes of a scene, looked up fast: by name, by keyword, and as the list that a run is told of.

Each scope is indexed once per change. A scene has a few scopes, the nearest first; a recipe of a nearer scope
hides those of its name further away. Nothing here grows with the number of recipes while nothing changes.
"""

from collections.abc import Iterable, Iterator
from functools import cached_property

from recipes.matching_rules import KeywordIndex, folded_text, usable_recipes
from recipes.prompts import describe_recipes_for_run
from recipes.recipe import Recipe, Scope, name_key


class ScopeRecipes:
    """The recipes of one scope as they stand."""

    def __init__(self, scope: Scope, recipes: Iterable[Recipe]) -> None:
        self.scope = scope
        self.all = tuple(recipes)
        self.usable = usable_recipes(self.all, (scope,))
        self.waiting = tuple(recipe for recipe in self.all if not recipe.approved)
        self.by_name = {name_key(recipe.name): recipe for recipe in self.usable}

    def index(self) -> None:
        """Look through the keywords now, not at the first message."""
        _ = self.keywords

    @cached_property
    def keywords(self) -> KeywordIndex:
        """The keywords of those that can be used."""
        return KeywordIndex(self.usable)


class SceneRecipes:
    """The recipes of the scopes that hold in a scene, the nearest first."""

    def __init__(self, scopes: tuple[ScopeRecipes, ...]) -> None:
        self._scopes = scopes

    def is_made_of(self, scopes: tuple[ScopeRecipes, ...]) -> bool:
        """Whether nothing has changed since this was made of `scopes`."""
        return all(mine is theirs for mine, theirs in zip(self._scopes, scopes, strict=True))

    def all(self) -> Iterator[Recipe]:
        """Every recipe, whatever its state."""
        return (recipe for scope in self._scopes for recipe in scope.all)

    def usable(self) -> Iterator[Recipe]:
        """What can be used, hidden ones left out."""
        return (recipe for scope in self._scopes for recipe in scope.usable if not self._is_hidden(recipe))

    def named(self, name: str) -> Recipe | None:
        """The usable recipe of that name."""
        key = name_key(name)
        return next((scope.by_name[key] for scope in self._scopes if key in scope.by_name), None)

    def invoked_by(self, text: str) -> tuple[Recipe, ...]:
        """The recipes whose keywords stand in `text`, by their first place there."""
        folded = folded_text(text)
        found = [hit for scope in self._scopes for hit in scope.keywords.find(folded)]
        found.sort(key=lambda hit: hit[0])
        return tuple(recipe for _, recipe in found if not self._is_hidden(recipe))

    @cached_property
    def description(self) -> str:
        """What the tool that loads recipes says of them."""
        waiting = (recipe for scope in self._scopes for recipe in scope.waiting)
        return describe_recipes_for_run(tuple(self.usable()), waiting)

    def _is_hidden(self, recipe: Recipe) -> bool:
        return self.named(recipe.name) is not recipe
