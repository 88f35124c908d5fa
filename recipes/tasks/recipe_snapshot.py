"""A recipe as it stood when its task was accepted: a later change does not reach into what runs."""

import json
from datetime import datetime

from recipes.recipe import Everywhere, Recipe, RecipeOrigin
from recipes.recipe_form import draft_from_form, draft_of, form_of_recipe, recipe_of_draft


def snapshot_of(recipe: Recipe) -> str:
    """The recipe as JSON text."""
    return json.dumps(form_of_recipe(draft_of(recipe)), separators=(",", ":"))


def recipe_from(snapshot: str, *, now: datetime) -> Recipe:
    """The recipe again; its id, scope and author are of no use to a run.

    Raises:
        ValueError: something else wrote it.
    """
    return recipe_of_draft(
        draft_from_form(json.loads(snapshot)),
        recipe_id="snapshot",
        scope=Everywhere(),
        origin=RecipeOrigin.PERSON,
        author=None,
        now=now,
    )
