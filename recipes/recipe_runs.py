"""What recipes add to a run, and to the messages that it answers (REC-2, REC-3, REC-4).

a message comes   -> skills: its keywords invoke recipes, whose text is stored with it
a run starts      -> additions: the tools, and a forced judgment for each decision among the skills;
                     recipes for the background begin beside it, once the run is certain
"""

from collections.abc import Sequence
from typing import Final, Protocol

from core.conversation.turns import InvokedSkill, SkillForm, UserTurn
from recipes.library import RecipeLibrary
from recipes.matching_rules import scopes_of
from recipes.prompts import judgment_skill_text, skill_of
from recipes.recipe import Decision, Everywhere, Recipe, Scope
from recipes.recipe_permissions import may_use_recipes
from recipes.recipe_tasks import BackgroundRecipes, RecipeStarts
from recipes.run_scene import Place, RunAdditions, RunScene, Standing
from recipes.scene_recipes import SceneRecipes
from recipes.tools import Judgments, propose_recipe_tool, use_recipe_tool

MOST_SKILLS: Final = 5
"""Of one message; what else its words invoke is left out."""


class MemberRecipes(Protocol):
    """Knows whether plain members use recipes in a server."""

    async def members_may(self, guild_id: str) -> bool:
        """The server's setting; no by default."""
        ...


class ProposalNotices(Protocol):
    """Shows proposals where they were made."""

    async def show(self, proposal: Recipe, place: Place) -> None:
        """Post its card. Raises nothing: the proposal is stored, and listed, either way."""
        ...


class RecipeRuns:
    """One for the process."""

    def __init__(
        self,
        *,
        library: RecipeLibrary,
        members: MemberRecipes,
        notices: ProposalNotices,
        background: BackgroundRecipes | None = None,
    ) -> None:
        self._library = library
        self._members = members
        self._notices = notices
        self._background = background

    async def skills(self, scene: RunScene, text: str) -> tuple[InvokedSkill, ...]:
        """What the keywords in `text`, the speaker's own words, invoke."""
        if not await self._may_use(scene):
            return ()
        recipes = await self._recipes(scene)
        by_owner = scene.standing is Standing.OWNER
        runs = self.runs_in_background
        invoked = recipes.invoked_by(text)[:MOST_SKILLS]
        return tuple(skill_of(recipe, by_owner=by_owner, runs_in_background=runs) for recipe in invoked)

    @property
    def runs_in_background(self) -> bool:
        """Whether background recipes run here."""
        return self._background is not None and self._background.can_run()

    async def additions(self, scene: RunScene, turns: Sequence[UserTurn]) -> RunAdditions:
        """The tools of a run that answers `turns`, and its judgments."""
        told = [f"recipe {name}" for name in _followed(turns)]
        recipes = await self._recipes(scene)
        judgments = Judgments(waiting=_invoked_decisions(recipes, turns), scene=recipes, tell=told.append)
        if not await self._may_use(scene):
            return RunAdditions(next_forced=judgments.next_forced, small_print=lambda: tuple(told))

        async def announce(proposal: Recipe) -> None:
            await self._notices.show(proposal, scene.place)

        starts = None
        if self._background is not None and self._background.can_run():
            starts = RecipeStarts(self._background, scene, turns, told.append)
            judgments.begin = starts.by_decision

        async def begin() -> None:
            if starts is not None:
                await starts.by_keyword(recipes)

        tools = (
            use_recipe_tool(recipes, told.append, None if starts is None else starts.by_model),
            propose_recipe_tool(self._library, scope_of_scene(scene), announce, told.append),
        )
        return RunAdditions(
            tools=tools, next_forced=judgments.next_forced, begins=begin, small_print=lambda: tuple(told)
        )

    async def _recipes(self, scene: RunScene) -> SceneRecipes:
        place = scene.place
        return await self._library.scene(scopes_of(guild_id=place.guild_id, direct_with=place.direct_with))

    async def _may_use(self, scene: RunScene) -> bool:
        guild_id = scene.place.guild_id
        if scene.speaker is None:
            return False
        asks_members = scene.standing is Standing.MEMBER and guild_id is not None
        members_may = asks_members and guild_id is not None and await self._members.members_may(guild_id)
        return may_use_recipes(scene.standing, scene.place, members_may=members_may)


def scope_of_scene(scene: RunScene) -> Scope:
    """Where a proposal of this scene would hold: its server, its direct messages, else everywhere."""
    nearest = scopes_of(guild_id=scene.place.guild_id, direct_with=scene.place.direct_with)
    return nearest[0] if nearest else Everywhere()


def _followed(turns: Sequence[UserTurn]) -> list[str]:
    return [skill.name for turn in turns for skill in turn.skills if skill.form is SkillForm.STEPS]


def _invoked_decisions(recipes: SceneRecipes, turns: Sequence[UserTurn]) -> list[tuple[Recipe, Decision]]:
    """The decisions among the skills of the turns, as long as they stand as the message holds them."""
    found: dict[str, tuple[Recipe, Decision]] = {}
    for turn in turns:
        for skill in turn.skills:
            recipe = recipes.named(skill.name) if skill.form is SkillForm.DECISION else None
            decision = None if recipe is None else recipe.decision
            if recipe is not None and decision is not None and judgment_skill_text(decision) == skill.text:
                found.setdefault(recipe.id, (recipe, decision))
    return list(found.values())
