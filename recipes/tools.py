"""The tools of recipes: load steps, propose a recipe, answer a decision (REC-3, REC-4, REC-5).

They are made for one run, whose scene they close over: what they may reach is settled before the model sees
them.
"""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel, Field

from core.generation.requests import ForcedCall
from core.sentences import sentence
from core.tools.context import ToolContext
from core.tools.policies import RepeatPolicy, ToolPolicy
from core.tools.tool import AnyTool, Tool, ToolFailed, TurnOver
from recipes.decision_rules import judge_decision
from recipes.library import RecipeLibrary, RecipeRefused
from recipes.matching_rules import is_background_recipe, steps_of
from recipes.prompts import judge_description, judgment_result, loaded_steps
from recipes.recipe import Decision, Recipe, Scope, StayQuiet, UseRecipe
from recipes.recipe_form import RecipeDraft
from recipes.run_scene import ForcedTool
from recipes.scene_recipes import SceneRecipes

USE_RECIPE: Final = "builtIn_useRecipe"
PROPOSE_RECIPE: Final = "builtIn_proposeRecipe"
JUDGE: Final = "builtIn_judge"

Tell = Callable[[str], None]
"""Takes a few words for the small print under the reply."""

Begin = Callable[[Recipe, str], Awaitable[str]]
"""Has a recipe begin in the background with a task; returns what the model is told, raises `ToolFailed`."""

_PROPOSE: Final = """\
Propose a new recipe when people ask for the same kind of work again and again, or ask you to keep a way of \
doing something. A person has to agree before it can be used; say that you proposed it and nothing more."""


class UseRecipeArguments(BaseModel):
    """Which recipe."""

    recipe: str = Field(description="The name of the recipe, as it is listed.")
    task: str = Field(
        default="",
        description="For a recipe that runs in the background: the whole task, understandable on its own.",
    )


class ProposeRecipeArguments(BaseModel):
    """A recipe as the model would have it."""

    name: str = Field(description="A short name that says what it does.")
    purpose: str = Field(description="One line: what it is for and when to use it.")
    steps: str = Field(description="The instructions, as Markdown, at most 4,000 characters.")
    keywords: list[str] = Field(
        default_factory=list[str], description="Words in a person's message that invoke it."
    )
    background: bool = Field(default=False, description="It is long work that runs beside the conversation.")


class JudgeArguments(BaseModel):
    """The picked answer."""

    answer: int = Field(description="The number of the answer.")


def use_recipe_tool(scene: SceneRecipes, tell: Tell, begin: Begin | None = None) -> AnyTool:
    """Loads the steps of a recipe; one for the background begins instead, where `begin` is there."""

    async def load(arguments: UseRecipeArguments, _context: ToolContext) -> str:
        recipe = scene.named(arguments.recipe)
        if recipe is None:
            raise ToolFailed(f"There is no recipe {arguments.recipe!r} that can be used here.")
        if recipe.decision is not None:
            raise ToolFailed(f'"{recipe.name}" is a decision: a keyword of a person invokes it.')
        if not is_background_recipe(recipe):
            tell(sentence("recipe {name}", name=recipe.name))
        elif begin is not None:
            return await begin(recipe, arguments.task.strip())
        return loaded_steps(recipe)

    return Tool(
        name=USE_RECIPE,
        description=scene.description,
        arguments=UseRecipeArguments,
        handler=load,
        policy=ToolPolicy(repeat=RepeatPolicy.SAME_RESULT),
    )


def propose_recipe_tool(
    library: RecipeLibrary, scope: Scope, announce: Callable[[Recipe], Awaitable[None]], tell: Tell
) -> AnyTool:
    """Stores a proposal for `scope` and has it shown to the people who may agree."""

    async def propose(arguments: ProposeRecipeArguments, context: ToolContext) -> str:
        draft = RecipeDraft(
            name=arguments.name.strip(),
            purpose=arguments.purpose.strip(),
            keywords=tuple(keyword.strip() for keyword in arguments.keywords if keyword.strip()),
            steps=arguments.steps.strip(),
            background=arguments.background,
        )
        author = None if context.speaker is None else context.speaker.id
        try:
            recipe = await library.propose(draft, scope=scope, author=author)
        except RecipeRefused as refused:
            raise ToolFailed(str(refused)) from refused
        await announce(recipe)
        tell(sentence("proposed {name}", name=recipe.name))
        return f'Stored "{recipe.name}" as a proposal. It cannot be used before a person agrees.'

    return Tool(
        name=PROPOSE_RECIPE,
        description=_PROPOSE,
        arguments=ProposeRecipeArguments,
        handler=propose,
        policy=ToolPolicy(repeat=RepeatPolicy.REFUSE),
    )


@dataclass(slots=True, kw_only=True)
class Judgments:
    """The decisions that the messages of one run invoked, judged one after another, each in a request."""

    waiting: list[tuple[Recipe, Decision]]
    scene: SceneRecipes
    tell: Tell
    begin: Callable[[Recipe], Awaitable[str]] | None = None

    def next_forced(self) -> ForcedTool | None:
        """The tool for the next decision and the call that code makes for it; None when all are judged."""
        if not self.waiting:
            return None
        recipe, decision = self.waiting.pop(0)
        default = ForcedCall(tool=JUDGE, arguments=json.dumps({"answer": 0}))
        return ForcedTool(tool=self._tool(recipe, decision), call=default)

    def _tool(self, recipe: Recipe, decision: Decision) -> AnyTool:
        judged: list[None] = []

        async def judge(arguments: JudgeArguments, _context: ToolContext) -> str:
            if judged:
                raise ToolFailed("This is decided already.")
            judged.append(None)
            judgment = judge_decision(decision, arguments.answer)
            self.tell(sentence("decided {name}: {answer}", name=recipe.name, answer=judgment.answer))
            if isinstance(judgment.action, StayQuiet):
                raise TurnOver(judgment_result(recipe.name, judgment))
            steps = None
            if isinstance(judgment.action, UseRecipe):
                steps = await self._steps(judgment.action.name)
            return judgment_result(recipe.name, judgment, steps=steps)

        return Tool(
            name=JUDGE,
            description=judge_description(recipe.name, decision),
            arguments=JudgeArguments,
            handler=judge,
        )

    async def _steps(self, name: str) -> str | None:
        found = self.scene.named(name)
        if found is None or found.decision is not None:
            return None
        if not is_background_recipe(found):
            return steps_of(found)
        return loaded_steps(found) if self.begin is None else await self.begin(found)
