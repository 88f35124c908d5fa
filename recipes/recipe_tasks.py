"""Recipes that run in the background, begun from a conversation (REC-8).

A keyword begins its recipe once for its message, however often the run that answers it starts anew; the
model begins one by name, with the task that it wrote.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from core.conversation.content import Text
from core.conversation.turns import SkillForm, UserTurn
from core.sentences import sentence
from core.tools.tool import ToolFailed
from recipes.matching_rules import is_background_recipe
from recipes.prompts import task_begun, task_message
from recipes.recipe import Recipe
from recipes.run_scene import RunScene, Standing
from recipes.scene_recipes import SceneRecipes
from recipes.tools import Tell


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipeTask:
    """What is asked of a background recipe. `key`: the same for the same request; `asked_by`: its turn."""

    recipe: Recipe
    message: str
    key: str
    asked_by: str | None


class CannotBegin(Exception):
    """It is not accepted; the message is one sentence."""


class BackgroundRecipes(Protocol):
    """Runs recipes beside the conversation."""

    def can_run(self) -> bool:
        """Whether this deployment does."""
        ...

    async def begin(self, scene: RunScene, task: RecipeTask) -> str:
        """Accept a run, without waiting for it; returns its short id.

        Raises:
            CannotBegin: it is not accepted.
        """
        ...


class RecipeStarts:
    """Begins the background recipes of one run; what was begun stands in the small print."""

    def __init__(
        self, background: BackgroundRecipes, scene: RunScene, turns: Sequence[UserTurn], tell: Tell
    ) -> None:
        self._background = background
        self._scene = scene
        self._turns = tuple(turns)
        self._tell = tell
        self._begun: dict[str, str] = {}

    async def by_keyword(self, recipes: SceneRecipes) -> None:
        """Begin what the keywords of the turns invoked."""
        for turn in self._turns:
            for skill in turn.skills:
                recipe = recipes.named(skill.name) if skill.form is SkillForm.BACKGROUND else None
                if recipe is None or not is_background_recipe(recipe):
                    continue
                try:
                    await self._as_said(recipe, turn, by_owner=skill.by_owner)
                except CannotBegin as refusal:
                    self._tell(sentence("{name} not begun: {refusal}", name=recipe.name, refusal=refusal))

    async def by_decision(self, recipe: Recipe) -> str:
        """Begin what a judgment leads to; what was said is the task."""
        if not self._turns:
            raise ToolFailed("There is no message to begin it for.")
        try:
            short_id = await self._as_said(
                recipe, self._turns[-1], by_owner=self._scene.standing is Standing.OWNER
            )
        except CannotBegin as refusal:
            raise ToolFailed(str(refusal)) from refusal
        return task_begun(recipe.name, short_id)

    async def by_model(self, recipe: Recipe, task: str) -> str:
        """The `Begin` of the tool."""
        if recipe.id in self._begun:
            return task_begun(recipe.name, self._begun[recipe.id])
        turn = self._turns[-1] if self._turns else None
        if turn is None or turn.notice is not None:
            raise ToolFailed("A background recipe begins when a person asks for it.")
        if not task:
            raise ToolFailed("This recipe runs in the background: give its whole task as `task`.")
        written = hashlib.sha256(task.encode("utf-8", "replace")).hexdigest()[:12]
        try:
            short_id = await self._begin(recipe, task, turn, key=f"{turn.id}:{recipe.id}:{written}")
        except CannotBegin as refusal:
            raise ToolFailed(str(refusal)) from refusal
        return task_begun(recipe.name, short_id)

    async def _as_said(self, recipe: Recipe, turn: UserTurn, *, by_owner: bool) -> str:
        said = "\n".join(part.text for part in turn.content if isinstance(part, Text))
        message = task_message(said, None if by_owner else turn.speaker)
        return await self._begin(recipe, message, turn, key=f"{turn.id}:{recipe.id}")

    async def _begin(self, recipe: Recipe, message: str, turn: UserTurn, *, key: str) -> str:
        asked = RecipeTask(recipe=recipe, message=message, key=key, asked_by=turn.id)
        short_id = await self._background.begin(self._for(turn), asked)
        if key == f"{turn.id}:{recipe.id}":
            self._begun[recipe.id] = short_id
        self._tell(sentence("task {name} {short_id}", name=recipe.name, short_id=short_id))
        return short_id

    def _for(self, turn: UserTurn) -> RunScene:
        """A task belongs to whoever asked, with the standing of the run: the least of those in it."""
        speaker = turn.speaker or self._scene.speaker
        return RunScene(
            place=self._scene.place,
            persona=self._scene.persona,
            speaker=speaker,
            standing=self._scene.standing if speaker is not None else Standing.MEMBER,
        )
