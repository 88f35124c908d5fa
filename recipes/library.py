"""Everything that is done with recipes, whoever does it: write, propose, approve, find (REC-1, REC-5, REC-7).

Who may do what is decided before (`recipe_permissions.py`); this holds that nothing half-made is stored and
that every run sees the newest state. What is read is kept in memory per scope; a change is made there, too,
since reading ten thousand recipes again takes a second.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import replace

from core.clock import Clock
from core.identifiers import NewId
from core.sentences import sentence
from recipes.recipe import Everywhere, Recipe, RecipeOrigin, Scope, name_key, recipe_problem
from recipes.recipe_files import FileProblem, RecipeFiles
from recipes.recipe_form import RecipeDraft, recipe_of_draft
from recipes.recipe_store import NameTaken, RecipeChanged, RecipeStore, UnknownRecipe
from recipes.scene_recipes import SceneRecipes, ScopeRecipes

_SCOPES = 4_096
_WAITING = 200


class RecipeRefused(Exception):
    """It cannot be done; the message is one sentence for the person."""


class RecipeLibrary:
    """One for the process. `files` None: there are no recipe files."""

    def __init__(
        self, *, store: RecipeStore, clock: Clock, new_id: NewId, files: RecipeFiles | None = None
    ) -> None:
        self._store = store
        self._clock = clock
        self._new_id = new_id
        self._files = files
        self._from_files: tuple[Recipe, ...] = ()
        self._scopes: OrderedDict[Scope, ScopeRecipes] = OrderedDict()
        self._unindexed: OrderedDict[Scope, tuple[Recipe, ...]] = OrderedDict()
        self._scenes: OrderedDict[tuple[Scope, ...], SceneRecipes] = OrderedDict()
        self._changes = 0

    async def scene(self, scopes: tuple[Scope, ...]) -> SceneRecipes:
        """The recipes where these scopes hold, the nearest first."""
        known = tuple([await self._scope(scope) for scope in scopes])
        held = self._scenes.get(scopes)
        if held is None or not held.is_made_of(known):
            held = SceneRecipes(known)
            self._scenes[scopes] = held
        self._scenes.move_to_end(scopes)
        while len(self._scenes) > _SCOPES:
            self._scenes.popitem(last=False)
        return held

    async def find(self, recipe_id: str) -> Recipe | None:
        """One recipe as it stands, also one of a file."""
        from_file = next((one for one in self._from_files if one.id == recipe_id), None)
        return from_file or await self._store.find(recipe_id)

    async def waiting(self) -> tuple[Recipe, ...]:
        """The proposals of every scope."""
        return await self._store.waiting(_WAITING)

    async def add(self, draft: RecipeDraft, *, scope: Scope, author: str) -> Recipe:
        """Store what a person wrote; it holds at once.

        Raises:
            RecipeRefused: it is not whole, or its name is taken.
        """
        return await self._add(draft, scope=scope, origin=RecipeOrigin.PERSON, author=author)

    async def propose(self, draft: RecipeDraft, *, scope: Scope, author: str | None) -> Recipe:
        """Store what the model suggests: unapproved and disabled until a person agrees (REC-5).

        Raises:
            RecipeRefused: it is not whole, or its name is taken.
        """
        return await self._add(
            replace(draft, enabled=False), scope=scope, origin=RecipeOrigin.PROPOSAL, author=author
        )

    async def edit(self, recipe: Recipe, draft: RecipeDraft) -> Recipe:
        """Store another text for a recipe. `recipe` is what the person saw; a proposal stays one.

        Raises:
            RecipeRefused: it is not whole, its name is taken, or somebody changed it meanwhile.
        """
        written = replace(
            recipe,
            name=draft.name,
            purpose=draft.purpose,
            keywords=draft.keywords,
            steps=draft.steps,
            background=draft.background,
            decision=draft.decision,
            automation=draft.automation,
            model_timed=draft.model_timed,
        )
        return await self._change(recipe, written)

    async def switch(self, recipe: Recipe, *, on: bool) -> Recipe:
        """Enable or disable it.

        Raises:
            RecipeRefused: it is a file's or waits for approval, or somebody changed it meanwhile.
        """
        if not recipe.approved:
            raise RecipeRefused("This is a proposal: approve it first.")
        return await self._change(recipe, replace(recipe, enabled=on))

    async def approve(self, recipe: Recipe) -> Recipe:
        """A person agrees: from now on it can be used.

        Raises:
            RecipeRefused: somebody changed or decided it meanwhile.
        """
        if recipe.approved:
            raise RecipeRefused("This is approved already.")
        return await self._change(recipe, replace(recipe, approved=True, enabled=True))

    async def remove(self, recipe: Recipe) -> None:
        """Take it out, or reject a proposal.

        Raises:
            RecipeRefused: it is a file's, or gone already.
        """
        _require_stored(recipe)
        gone = await self._store.remove(recipe.id)
        self._changed(recipe.scope, lambda stored: _without(stored, recipe.id))
        if not gone:
            raise RecipeRefused("This recipe is gone already.")

    async def reload(self) -> tuple[FileProblem, ...]:
        """Read the recipe files again; returns what is wrong with those that were left out."""
        if self._files is None:
            return ()
        found = await self._files.load()
        stored = {name_key(recipe.name) for recipe in await self._store.of_scope(Everywhere())}
        hidden = [recipe for recipe in found.recipes if name_key(recipe.name) in stored]
        self._from_files = tuple(recipe for recipe in found.recipes if recipe not in hidden)
        self._forget(Everywhere())
        return (*found.problems, *(_hidden(recipe) for recipe in hidden))

    def forget_all(self) -> None:
        """Recipes were changed behind the library's back."""
        self._changes += 1
        self._scopes.clear()
        self._unindexed.clear()

    async def _add(
        self, draft: RecipeDraft, *, scope: Scope, origin: RecipeOrigin, author: str | None
    ) -> Recipe:
        now = self._clock.now()
        recipe = recipe_of_draft(
            draft,
            recipe_id=self._new_id("rec", now),
            scope=scope,
            origin=origin,
            author=author,
            now=now,
        )
        self._require_whole(recipe)
        try:
            await self._store.add(recipe)
        except NameTaken as taken:
            raise _name_taken(recipe) from taken
        self._changed(scope, lambda stored: _with(stored, recipe))
        return recipe

    async def _change(self, seen: Recipe, written: Recipe) -> Recipe:
        _require_stored(seen)
        changed = replace(written, version=seen.version + 1, updated_at=self._clock.now())
        self._require_whole(changed)
        is_kept = False
        try:
            await self._store.change(changed)
            is_kept = True
        except NameTaken as taken:
            raise _name_taken(changed) from taken
        except RecipeChanged as error:
            raise RecipeRefused("Somebody changed this recipe meanwhile. Look at it again.") from error
        except UnknownRecipe as error:
            raise RecipeRefused("This recipe is gone.") from error
        finally:
            if not is_kept:  # somebody else was quicker, or nobody knows
                self._forget(seen.scope)
        self._changed(seen.scope, lambda stored: _with(stored, changed))
        return changed

    def _require_whole(self, recipe: Recipe) -> None:
        problem = recipe_problem(recipe)
        if problem is not None:
            raise RecipeRefused(problem)

    async def _scope(self, scope: Scope) -> ScopeRecipes:
        held = self._scopes.get(scope)
        if held is None:
            before = self._changes
            stored = self._unindexed.get(scope)
            if stored is None:
                stored = await self._store.of_scope(scope)
            files = self._from_files if _is_everywhere(scope) else ()
            held = await asyncio.to_thread(_indexed, scope, stored, files)
            if before == self._changes:  # a change meanwhile may have come after the reading
                self._scopes[scope] = held
                self._unindexed.pop(scope, None)
        else:
            self._scopes.move_to_end(scope)
        while len(self._scopes) > _SCOPES:
            self._scopes.popitem(last=False)
        return held

    def _changed(self, scope: Scope, change: Callable[[tuple[Recipe, ...]], tuple[Recipe, ...]]) -> None:
        """Make the change to what is held, which the next one who asks indexes."""
        held, stored = self._scopes.get(scope), self._unindexed.get(scope)
        self._forget(scope)
        if held is not None:
            stored = tuple(recipe for recipe in held.all if recipe.origin is not RecipeOrigin.FILE)
        if stored is not None:
            self._unindexed[scope] = change(stored)
        while len(self._unindexed) > _SCOPES:
            self._unindexed.popitem(last=False)

    def _forget(self, scope: Scope) -> None:
        self._changes += 1
        self._scopes.pop(scope, None)
        self._unindexed.pop(scope, None)


def _with(stored: tuple[Recipe, ...], recipe: Recipe) -> tuple[Recipe, ...]:
    """With this version in place of an older one; it may be there already, read in between."""
    known = next((one for one in stored if one.id == recipe.id), None)
    if known is None:
        return (*stored, recipe)
    if known.version >= recipe.version:
        return stored
    return tuple(recipe if one is known else one for one in stored)


def _without(stored: tuple[Recipe, ...], recipe_id: str) -> tuple[Recipe, ...]:
    return tuple(one for one in stored if one.id != recipe_id)


def _indexed(scope: Scope, stored: tuple[Recipe, ...], files: tuple[Recipe, ...]) -> ScopeRecipes:
    """Runs in a thread: thousands of keywords take a while."""
    held = ScopeRecipes(scope, _with_files(stored, files))
    held.index()
    return held


def _with_files(stored: tuple[Recipe, ...], files: Iterable[Recipe]) -> tuple[Recipe, ...]:
    """Stored recipes hide the files of their name."""
    taken = {name_key(recipe.name) for recipe in stored}
    return (*stored, *(recipe for recipe in files if name_key(recipe.name) not in taken))


def _require_stored(recipe: Recipe) -> None:
    if recipe.origin is RecipeOrigin.FILE:
        name = recipe.id.removeprefix("file:")
        raise RecipeRefused(
            sentence("This recipe is the file `{name}`: change the file, then `/recipe reload`.", name=name)
        )


def _hidden(recipe: Recipe) -> FileProblem:
    problem = sentence(
        'the name "{recipe}" is taken by a recipe that was added by a command.', recipe=recipe.name
    )
    return FileProblem(file=recipe.id.removeprefix("file:"), problem=problem)


def _is_everywhere(scope: Scope) -> bool:
    return isinstance(scope, Everywhere)


def _name_taken(recipe: Recipe) -> RecipeRefused:
    return RecipeRefused(sentence('The name "{recipe}" is taken here.', recipe=recipe.name))
