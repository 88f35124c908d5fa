"""What `/recipe`, its cards and its forms share: finding a recipe, and who may do what with it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from discord import app_commands

from bot.discord_chat.commands.answering import AnyInteraction, Refused, plain
from bot.discord_chat.commands.parts import CommandParts, require
from bot.discord_chat.languages import told, words_of
from bot.recipe_members import RecipeMembers
from recipes.library import RecipeLibrary, RecipeRefused
from recipes.matching_rules import scopes_of
from recipes.recipe import Everywhere, InDirectMessages, InGuild, Recipe, Scope, name_key
from recipes.recipe_permissions import may_manage_recipe, may_use_recipes
from recipes.run_scene import RunScene
from recipes.scene_recipes import SceneRecipes

_MOST_CHOICES: Final = 25  # Discord: of an autocomplete
_LONGEST_CHOICE: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipeParts:
    """The library, and what tells who asks."""

    parts: CommandParts
    library: RecipeLibrary
    members: RecipeMembers
    runs_in_background: Callable[[], bool]

    async def seen(self, interaction: AnyInteraction) -> tuple[RunScene, SceneRecipes]:
        """The scene of an interaction, and the recipes there.

        Raises:
            Refused: recipes are not for this person here.
        """
        scene = await self.parts.scene(interaction)
        place = scene.place
        members_may = place.guild_id is not None and await self.members.members_may(place.guild_id)
        may = may_use_recipes(scene.standing, place, members_may=members_may)
        require(may, _not_for(scene))
        return scene, await self.library.scene(_scopes(scene))

    async def named(self, interaction: AnyInteraction, name: str) -> tuple[RunScene, Recipe]:
        """A recipe by its name, whatever its state; the nearest where several have it.

        Raises:
            Refused: there is none, or it is not for this person.
        """
        scene, recipes = await self.seen(interaction)
        found = next((one for one in recipes.all() if name_key(one.name) == name_key(name)), None)
        if found is None:
            raise Refused(
                told("There is no recipe `{name}` here; `/recipe list` names them.", name=plain(name))
            )
        return scene, found

    async def managed(self, interaction: AnyInteraction, name: str) -> Recipe:
        """A recipe that this person may change.

        Raises:
            Refused: there is none, or they may not.
        """
        scene, recipe = await self.named(interaction, name)
        require_manages(scene, recipe.scope)
        return recipe

    async def by_id(self, interaction: AnyInteraction, recipe_id: str) -> Recipe:
        """The recipe of a card, which this person may decide about.

        Raises:
            Refused: it is gone, or they may not.
        """
        scene = await self.parts.scene(interaction)
        recipe = await self.library.find(recipe_id)
        if recipe is None:
            raise Refused(told("This recipe is gone."))
        require_manages(scene, recipe.scope)
        return recipe

    async def names(self, interaction: AnyInteraction, current: str) -> list[app_commands.Choice[str]]:
        """The names that hold what was typed; none for somebody who may not use recipes."""
        try:
            _, recipes = await self.seen(interaction)
        except Refused:
            return []
        wanted = name_key(current)
        found = dict.fromkeys(one.name for one in recipes.all() if wanted in name_key(one.name))
        fitting = [name for name in found if len(name) <= _LONGEST_CHOICE][:_MOST_CHOICES]
        return [app_commands.Choice(name=name, value=name) for name in fitting]


def refused(error: RecipeRefused) -> Refused:
    """The library's refusal as that of a command."""
    return Refused(words_of(error))


def require_manages(scene: RunScene, scope: Scope) -> None:
    """Pass who may add, change, approve or delete recipes of `scope`.

    Raises:
        Refused: they may not.
    """
    if isinstance(scope, InGuild):
        otherwise = told("Only the bot's owner and members with the Manage Server permission can do this.")
    else:
        otherwise = told("Only the bot's owner can do this.")
    require(may_manage_recipe(scene.standing, scene.place, scope), otherwise)


def scope_here(scene: RunScene, *, everywhere: bool) -> Scope:
    """Where a new recipe of this scene holds."""
    place = scene.place
    if everywhere:
        return Everywhere()
    if place.guild_id is not None:
        return InGuild(guild_id=place.guild_id)
    return InDirectMessages(user_id=place.direct_with or "")


def _scopes(scene: RunScene) -> tuple[Scope, ...]:
    return scopes_of(guild_id=scene.place.guild_id, direct_with=scene.place.direct_with)


def _not_for(scene: RunScene) -> str:
    if scene.place.guild_id is None:
        return told("In direct messages only the bot's owner uses recipes.")
    return told("Recipes are not open to members here; a manager can change that with `/recipe members`.")
