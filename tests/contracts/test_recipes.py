"""Contract of `RecipeStore` and `RecipePersons`, for both kinds of store (REC-1)."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recipes.recipe import Everywhere, InDirectMessages, Recipe
from recipes.recipe_store import NameTaken, RecipeChanged, UnknownRecipe
from tests.contracts.recipe_contract import RecipeStores, opened_recipes
from tests.contracts.scene_contract import ADAPTERS
from tests.recipe_values import DIRECT, GUILD, NOON, decision, recipe, recipes


@pytest.fixture(params=ADAPTERS)
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[RecipeStores]:
    async with opened_recipes(request.param, tmp_path) as opened:
        yield opened


async def test_what_was_added_is_found_by_scope_and_id_in_order(store: RecipeStores) -> None:
    """REC-1."""
    here, private = recipe("here", scope=GUILD), recipe("private", scope=DIRECT, author="111")
    proposed = decision(scope=GUILD, approved=False, enabled=False)
    for one in (here, private, proposed):
        await store.add(one)
    assert await store.of_scope(GUILD) == (here, proposed)
    assert await store.of_scope(DIRECT) == (private,)
    assert await store.of_scope(Everywhere()) == ()
    assert await store.find(private.id) == private
    assert await store.find("nobody") is None
    assert await store.waiting(5) == (proposed,)
    assert await store.waiting(0) == ()


async def test_a_name_is_given_once_per_scope(store: RecipeStores) -> None:
    """REC-7: without case; other scopes do not matter, and nothing is stored of a refusal."""
    await store.add(recipe("Brief", scope=GUILD))
    await store.add(recipe("brief", id="rec_2"))
    with pytest.raises(NameTaken):
        await store.add(recipe("BRIEF ", id="rec_3", scope=GUILD))
    assert await store.find("rec_3") is None
    other = recipe("other", scope=GUILD)
    await store.add(other)
    with pytest.raises(NameTaken):
        await store.change(replace(other, name="brief", version=2))
    assert await store.find(other.id) == other


async def test_a_change_is_the_next_version(store: RecipeStores) -> None:
    """REC-1: of what is stored; a change from an older one changes nothing."""
    first = recipe(scope=GUILD)
    await store.add(first)
    second = replace(
        first, purpose="Else.", enabled=False, version=2, updated_at=NOON + timedelta(microseconds=1)
    )
    await store.change(second)
    assert await store.of_scope(GUILD) == (second,)
    with pytest.raises(RecipeChanged):
        await store.change(replace(first, purpose="Late.", version=2))
    with pytest.raises(UnknownRecipe):
        await store.change(replace(first, id="gone", version=2))
    assert await store.find(first.id) == second


async def test_what_was_removed_is_gone_and_its_name_free(store: RecipeStores) -> None:
    await store.add(recipe(scope=GUILD))
    assert await store.remove("rec_brief")
    assert not await store.remove("rec_brief")
    assert await store.of_scope(GUILD) == ()
    await store.add(recipe(id="rec_again", scope=GUILD))


async def test_a_person_is_forgotten(store: RecipeStores) -> None:
    """MEM-6: what was theirs alone goes, what a server uses stays without their id."""
    mine = recipe("mine", scope=InDirectMessages(user_id="111"), author="111")
    shared = recipe("shared", scope=GUILD, author="111")
    others = recipe("others", scope=GUILD, author="222")
    for one in (mine, shared, others):
        await store.add(one)
    assert await store.recipes_of("111") == (mine, shared)
    assert await store.forget_recipes_of("111") == {"recipes": 1, "recipe_authors": 1}
    assert await store.recipes_of("111") == ()
    assert await store.of_scope(GUILD) == (replace(shared, author=None), others)
    assert await store.forget_recipes_of("111") == {"recipes": 0, "recipe_authors": 0}


@pytest.mark.parametrize("adapter", ADAPTERS)
@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(made=st.lists(recipes(), max_size=4, unique_by=(lambda one: one.id, lambda one: one.name.casefold())))
async def test_any_whole_recipe_is_kept_as_it_is(adapter: str, made: list[Recipe]) -> None:
    """REC-1."""
    with TemporaryDirectory() as folder:
        async with opened_recipes(adapter, Path(folder)) as opened:
            for one in made:
                await opened.add(one)
            assert [await opened.find(one.id) for one in made] == made
