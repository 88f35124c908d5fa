"""What is done with recipes, whoever does it (REC-1, REC-5, REC-6, REC-7)."""

from dataclasses import replace
from pathlib import Path

import pytest

from recipes.in_memory import RecipesInMemory
from recipes.library import RecipeLibrary, RecipeRefused
from recipes.recipe import Everywhere, Recipe, RecipeOrigin, Scope
from recipes.recipe_folder import RecipeFolder
from recipes.recipe_form import RecipeDraft, draft_of
from recipes.scene_recipes import SceneRecipes
from tests.orchestration import CountedIds, StillClock
from tests.recipe_values import GUILD, decision, recipe

HERE = (GUILD, Everywhere())


def library(folder: Path | None = None, store: RecipesInMemory | None = None) -> RecipeLibrary:
    return RecipeLibrary(
        store=store or RecipesInMemory(),
        clock=StillClock(),
        new_id=CountedIds(),
        files=None if folder is None else RecipeFolder(folder),
    )


class Counting(RecipesInMemory):
    """Knows how often a scope was read."""

    read = 0

    async def of_scope(self, scope: Scope) -> tuple[Recipe, ...]:
        self.read += 1
        return await super().of_scope(scope)


def draft(name: str = "brief", **more: object) -> RecipeDraft:
    return replace(draft_of(recipe(name)), **more)


def usable(scene: SceneRecipes) -> list[str]:
    return [one.name for one in scene.usable()]


async def test_what_a_person_adds_holds_at_once_where_they_said() -> None:
    """REC-1."""
    books = library()
    added = await books.add(draft(), scope=GUILD, author="1")
    assert added.approved
    assert added.enabled
    assert usable(await books.scene(HERE)) == ["brief"]
    assert usable(await books.scene((Everywhere(),))) == []


async def test_a_change_costs_no_reading_of_all_the_others(tmp_path: Path) -> None:
    """REC-1, REC-2: what is held is what a fresh reading gives, after each change."""
    (tmp_path / "calm.md").write_text("---\npurpose: p\nkeywords: [calm]\n---\n1.")
    store = Counting()
    books = library(tmp_path, store)
    await books.reload()
    await books.scene(HERE)
    read = store.read
    everywhere = await books.add(draft("calm"), scope=Everywhere(), author="1")
    brief = await books.add(draft(), scope=GUILD, author="1")
    second = await books.add(draft("second"), scope=GUILD, author="1")
    steps = (
        lambda: books.edit(brief, draft("brief", steps="Else.")),
        lambda: books.switch(second, on=False),
        lambda: books.propose(draft("third"), scope=GUILD, author=None),
        lambda: books.remove(second),
        lambda: books.remove(everywhere),
    )
    for step in steps:
        await step()
        held = tuple((await books.scene(HERE)).all())
        assert store.read == read
        again = library(tmp_path, store)
        await again.reload()
        assert tuple((await again.scene(HERE)).all()) == held
        store.read = read


async def test_a_proposal_does_nothing_until_a_person_agrees() -> None:
    """REC-5, REC-9: unapproved and disabled; its keyword is dead, its name waits."""
    books = library()
    proposed = await books.propose(draft(), scope=GUILD, author="1")
    assert (proposed.approved, proposed.enabled, proposed.origin) == (False, False, RecipeOrigin.PROPOSAL)
    scene = await books.scene(HERE)
    assert usable(scene) == []
    assert scene.invoked_by("brief") == ()
    assert scene.named("brief") is None
    assert 'Proposals that wait for a person: "brief"' in scene.description
    with pytest.raises(RecipeRefused, match="approve it first"):
        await books.switch(proposed, on=True)
    assert await books.waiting() == (proposed,)
    approved = await books.approve(proposed)
    assert [one.id for one in (await books.scene(HERE)).invoked_by("be brief")] == [approved.id]
    assert await books.waiting() == ()
    with pytest.raises(RecipeRefused, match="approved already"):
        await books.approve(approved)


async def test_an_edited_proposal_stays_one() -> None:
    """REC-5: whoever approves sees what they approve."""
    books = library()
    proposed = await books.propose(draft(), scope=GUILD, author=None)
    edited = await books.edit(proposed, draft(steps="Else."))
    assert (edited.approved, edited.enabled, edited.version) == (False, False, 2)
    with pytest.raises(RecipeRefused, match="meanwhile"):
        await books.approve(proposed)
    await books.remove(edited)
    with pytest.raises(RecipeRefused, match="gone"):
        await books.approve(edited)


async def test_nothing_half_made_is_stored() -> None:
    """REC-7: one sentence says why."""
    books = library()
    await books.add(draft(), scope=GUILD, author="1")
    with pytest.raises(RecipeRefused, match=r'The name "BRIEF" is taken here\.'):
        await books.add(draft("BRIEF"), scope=GUILD, author="1")
    with pytest.raises(RecipeRefused, match="4,001"):
        await books.add(draft("long", steps="s" * 4001), scope=GUILD, author="1")
    assert usable(await books.scene(HERE)) == ["brief"]


async def test_a_nearer_recipe_hides_one_of_its_name() -> None:
    """REC-1: by name, by keyword and in the list, until it is switched off."""
    books = library()
    far = await books.add(draft(steps="far"), scope=Everywhere(), author="1")
    near = await books.add(draft(steps="near"), scope=GUILD, author="1")
    scene = await books.scene(HERE)
    assert scene.named("Brief") == near
    assert scene.invoked_by("brief") == (near,)
    assert usable(scene) == ["brief"]
    await books.switch(near, on=False)
    scene = await books.scene(HERE)
    assert scene.invoked_by("brief") == (far,)


async def test_matches_of_both_scopes_come_in_the_order_of_the_message() -> None:
    """REC-2."""
    books = library()
    await books.add(draft("one"), scope=GUILD, author="1")
    await books.add(draft("two"), scope=Everywhere(), author="1")
    found = (await books.scene(HERE)).invoked_by("two then one")
    assert [one.name for one in found] == ["two", "one"]


async def test_a_scene_is_looked_up_once_and_sees_what_changed() -> None:
    """REC-2: a turn costs no reading, and sees what changed."""
    store = Counting()
    books = library(store=store)
    added = await books.add(draft(), scope=GUILD, author="1")
    first = await books.scene(HERE)
    assert await books.scene(HERE) is first
    assert store.read == 2
    await books.switch(added, on=False)
    assert usable(await books.scene(HERE)) == []
    assert store.read == 2


async def test_files_are_loaded_and_broken_ones_reported_and_skipped(tmp_path: Path) -> None:
    """REC-6: the flat layout and the Agent Skills layout; a reload sees what changed."""
    folder = tmp_path / "recipes.d"
    books = library(folder)
    assert await books.reload() == ()
    (folder / "pdf").mkdir(parents=True)
    (folder / "pdf" / "SKILL.md").write_text("---\nname: pdf\ndescription: Reads files.\n---\n1. Open.")
    (folder / "calm.md").write_text("---\npurpose: Calm.\nkeywords: calm\n---\n1. Breathe.")
    (folder / "wrong.md").write_text("---\nname: wrong\npurpose: p\nbackground: perhaps\n---\n1.")
    (folder / "empty.md").write_text("---\nname: empty\npurpose: p\n---\n")
    (folder / "twin.md").write_text("---\nname: CALM\npurpose: p\n---\n1.")
    (folder / "latin.md").write_bytes(b"---\nname: caf\xe9\n---\n1.")
    problems = [str(problem) for problem in await books.reload()]
    assert problems == [
        "empty.md, line 2: A recipe needs steps, or a decision in their place.",
        "latin.md: it is not in UTF-8.",
        'twin.md: the name "CALM" is taken by calm.md.',
        "wrong.md, line 4: `background` must be true or false.",
    ]
    scene = await books.scene(HERE)
    assert usable(scene) == ["calm", "pdf"]
    assert [one.name for one in scene.invoked_by("keep calm")] == ["calm"]
    calm = scene.named("calm")
    assert calm is not None
    assert calm.origin is RecipeOrigin.FILE
    assert await books.find(calm.id) == calm
    for refused in (books.switch(calm, on=False), books.remove(calm), books.edit(calm, draft("calm"))):
        with pytest.raises(RecipeRefused, match=r"the file `calm\.md`"):
            await refused
    (folder / "calm.md").unlink()
    await books.reload()
    assert usable(await books.scene(HERE)) == ["pdf", "CALM"]


async def test_a_stored_recipe_goes_before_a_file_of_its_name(tmp_path: Path) -> None:
    """REC-6: and the reload says so."""
    (tmp_path / "brief.md").write_text("---\npurpose: p\n---\n1. of the file")
    books = library(tmp_path)
    await books.add(draft(), scope=Everywhere(), author="1")
    (problem,) = await books.reload()
    assert "taken by a recipe that was added by a command" in str(problem)
    named = (await books.scene(HERE)).named("brief")
    assert named is not None
    assert named.origin is RecipeOrigin.PERSON


async def test_the_list_names_decisions_and_what_waits_and_stays_short() -> None:
    """REC-3, REC-14: of many recipes the first are listed and the rest counted."""
    books = library()
    await books.add(draft_of(decision()), scope=GUILD, author="1")
    await books.propose(draft("new"), scope=GUILD, author="1")
    for number in range(70):
        await books.add(draft(f"r{number}"), scope=GUILD, author="1")
    text = (await books.scene(HERE)).description
    assert "- r59: What r59 is for." in text
    assert "- r60:" not in text
    assert "- and 10 more, which a person names" in text
    assert 'Decisions, which a keyword of a person invokes: "late"' in text
    assert 'Proposals that wait for a person: "new"' in text
    assert "stay quiet" not in text.casefold()
