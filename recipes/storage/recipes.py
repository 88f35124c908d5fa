"""Recipes in the database. What a person may change lies in one JSON form, what is asked for in columns."""

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, assert_never

from sqlalchemy import Connection, Row, bindparam, delete, insert, or_, select, update

from recipes.recipe import Everywhere, InDirectMessages, InGuild, Recipe, RecipeOrigin, Scope, name_key
from recipes.recipe_form import draft_from_form, draft_of, form_of_recipe, recipe_of_draft
from recipes.recipe_store import NameTaken, RecipeChanged, UnknownRecipe
from recipes.storage.tables import recipes
from sessions.storage.database import Database

_of_scope = (recipes.c.scope == bindparam("in_scope"), recipes.c.scope_id == bindparam("in_id"))
_one = recipes.c.recipe_id == bindparam("one")
_all = select(recipes).where(*_of_scope).order_by(recipes.c.place)
_find = select(recipes).where(_one)
_version = select(recipes.c.version).where(_one)
_named = select(recipes.c.recipe_id).where(*_of_scope, recipes.c.name_key == bindparam("named"))
_waiting = (
    select(recipes).where(recipes.c.approved.is_(False)).order_by(recipes.c.place).limit(bindparam("most"))
)
_insert = insert(recipes)
_update = update(recipes).where(_one)
_delete = delete(recipes).where(_one)
_of_person = or_(
    recipes.c.author == bindparam("person"),
    (recipes.c.scope == "direct") & (recipes.c.scope_id == bindparam("person")),
)
_written_by = select(recipes).where(_of_person).order_by(recipes.c.place)


class StoredRecipes:
    """`RecipeStore` and `RecipePersons`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def of_scope(self, scope: Scope) -> tuple[Recipe, ...]:
        """See `RecipeStore`."""
        rows = await self._database.read(lambda connection: connection.execute(_all, _in(scope)).all())
        # Thousands of recipes take a while to read, and the loop has other things to do.
        return await asyncio.to_thread(lambda: tuple(_recipe(row) for row in rows))

    async def find(self, recipe_id: str) -> Recipe | None:
        """See `RecipeStore`."""
        found = await self._database.read(_reading(_find, one=recipe_id))
        return found[0] if found else None

    async def add(self, recipe: Recipe) -> None:
        """See `RecipeStore`."""

        def work(connection: Connection) -> None:
            _check_name(connection, recipe)
            connection.execute(_insert, _row(recipe))

        await self._database.write(work)

    async def change(self, recipe: Recipe) -> None:
        """See `RecipeStore`."""

        def work(connection: Connection) -> None:
            version = connection.execute(_version, {"one": recipe.id}).scalar_one_or_none()
            if version is None:
                raise UnknownRecipe(recipe.id)
            if version + 1 != recipe.version:
                raise RecipeChanged(recipe.id)
            _check_name(connection, recipe)
            connection.execute(_update, {**_row(recipe), "one": recipe.id})

        await self._database.write(work)

    async def remove(self, recipe_id: str) -> bool:
        """See `RecipeStore`."""

        def work(connection: Connection) -> bool:
            return connection.execute(_delete, {"one": recipe_id}).rowcount > 0

        return await self._database.write(work)

    async def waiting(self, limit: int) -> tuple[Recipe, ...]:
        """See `RecipeStore`."""
        return await self._database.read(_reading(_waiting, most=limit))

    async def recipes_of(self, user_id: str) -> tuple[Recipe, ...]:
        """See `RecipePersons`."""
        return await self._database.read(_reading(_written_by, person=user_id))

    async def forget_recipes_of(self, user_id: str) -> Mapping[str, int]:
        """See `RecipePersons`."""

        def work(connection: Connection) -> Mapping[str, int]:
            own = delete(recipes).where(recipes.c.scope == "direct", recipes.c.scope_id == user_id)
            written = update(recipes).where(recipes.c.author == user_id).values(author=None)
            return {
                "recipes": connection.execute(own).rowcount,
                "recipe_authors": connection.execute(written).rowcount,
            }

        return await self._database.write(work)


def _reading(statement: Any, **values: object) -> Callable[[Connection], tuple[Recipe, ...]]:
    def work(connection: Connection) -> tuple[Recipe, ...]:
        return tuple(_recipe(row) for row in connection.execute(statement, values))

    return work


def _check_name(connection: Connection, recipe: Recipe) -> None:
    named = {**_in(recipe.scope), "named": name_key(recipe.name)}
    other = connection.execute(_named, named).scalar_one_or_none()
    if other not in (None, recipe.id):
        raise NameTaken(recipe.name)


def _row(recipe: Recipe) -> dict[str, object]:
    scope, scope_id = _words(recipe.scope)
    # Whether it is enabled has a column of its own; in a form it would say it a second time.
    form = form_of_recipe(replace(draft_of(recipe), enabled=True))
    return {
        "recipe_id": recipe.id,
        "scope": scope,
        "scope_id": scope_id,
        "name_key": name_key(recipe.name),
        "form": json.dumps(form, separators=(",", ":")),  # ASCII: a text of a database holds no NUL
        "enabled": recipe.enabled,
        "approved": recipe.approved,
        "origin": recipe.origin.value,
        "author": recipe.author,
        "version": recipe.version,
        "created_at": recipe.created_at,
        "updated_at": recipe.updated_at,
    }


def _recipe(row: Row[Any]) -> Recipe:
    first = recipe_of_draft(
        draft_from_form(json.loads(row.form)),
        recipe_id=row.recipe_id,
        scope=_scope(row.scope, row.scope_id),
        origin=RecipeOrigin(row.origin),
        author=row.author,
        now=row.created_at,
    )
    return replace(
        first,
        enabled=row.enabled,
        approved=row.approved,
        version=row.version,
        updated_at=row.updated_at,
    )


def _in(scope: Scope) -> dict[str, object]:
    kind, scope_id = _words(scope)
    return {"in_scope": kind, "in_id": scope_id}


def _words(scope: Scope) -> tuple[str, str]:
    match scope:
        case Everywhere():
            return "everywhere", ""
        case InGuild(guild_id=guild_id):
            return "guild", guild_id
        case InDirectMessages(user_id=user_id):
            return "direct", user_id
        case _:
            assert_never(scope)


def _scope(kind: str, scope_id: str) -> Scope:
    match kind:
        case "guild":
            return InGuild(guild_id=scope_id)
        case "direct":
            return InDirectMessages(user_id=scope_id)
        case _:
            return Everywhere()
