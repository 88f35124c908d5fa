"""Recipes as plain JSON and YAML values: the form of files, exports and storage (REC-6, REC-7). Pure.

    name: brief                      what a form needs
    purpose: Short answers.          (`description` in the Agent Skills layout)
    keywords: [brief, kurz]
    background: false
    decision: {question: ..., default: 1, answers: [{answer: Yes, action: reply}, ...]}
    automation: {triggers: [{kind: every, minutes: 30}], conditions: [...], cooldown_minutes: 60}
    model_timed: false
    enabled: true

An action is `reply`, `quiet`, `hint` (with `hint: ...`) or `recipe` (with `recipe: <name>`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import assert_never

from recipes.automation import Automation
from recipes.automation_form import automation_from_form, form_of_automation
from recipes.form_reading import FormReader, FormRefused
from recipes.recipe import (
    Action,
    Answer,
    Decision,
    KeepHint,
    Recipe,
    RecipeOrigin,
    Reply,
    Scope,
    StayQuiet,
    UseRecipe,
)

__all__ = ["FormRefused", "RecipeDraft", "draft_from_form", "draft_of", "form_of_recipe", "recipe_of_draft"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipeDraft:
    """What somebody writes of a recipe; the rest (id, scope, times) comes from where it is written."""

    name: str
    purpose: str
    keywords: tuple[str, ...] = ()
    steps: str = ""
    background: bool = False
    decision: Decision | None = None
    automation: Automation | None = None
    model_timed: bool = False
    enabled: bool = True


def draft_of(recipe: Recipe) -> RecipeDraft:
    """What stands in a recipe, without where it came from."""
    return RecipeDraft(
        name=recipe.name,
        purpose=recipe.purpose,
        keywords=recipe.keywords,
        steps=recipe.steps,
        background=recipe.background,
        decision=recipe.decision,
        automation=recipe.automation,
        model_timed=recipe.model_timed,
        enabled=recipe.enabled,
    )


def draft_from_form(form: Mapping[str, object], *, steps: str = "") -> RecipeDraft:
    """Read a form; `steps` are those of a file's body. What the form does not know is left alone.

    Raises:
        FormRefused: a value has a wrong form; the message names it.
    """
    reader = FormReader(form, "")
    decision = reader.inner("decision")
    automation = reader.inner("automation")
    return RecipeDraft(
        name=reader.text("name").strip(),
        purpose=(reader.text_or("purpose", "") or reader.text_or("description", "")).strip(),
        keywords=tuple(keyword.strip() for keyword in reader.texts("keywords")),
        steps=(reader.text_or("steps", "") or steps).strip(),
        background=reader.flag("background"),
        decision=None if decision is None else _decision(decision),
        automation=None if automation is None else automation_from_form(automation),
        model_timed=reader.flag("model_timed"),
        enabled=reader.flag("enabled", default=True),
    )


def form_of_recipe(recipe: RecipeDraft) -> dict[str, object]:
    """The form of a recipe; what is at its default is left out."""
    form: dict[str, object] = {"name": recipe.name, "purpose": recipe.purpose}
    if recipe.keywords:
        form["keywords"] = list(recipe.keywords)
    if recipe.background:
        form["background"] = True
    if recipe.decision is not None:
        form["decision"] = form_of_decision(recipe.decision)
    if recipe.automation is not None:
        form["automation"] = form_of_automation(recipe.automation)
    if recipe.model_timed:
        form["model_timed"] = True
    if not recipe.enabled:
        form["enabled"] = False
    if recipe.steps:
        form["steps"] = recipe.steps
    return form


def form_of_decision(decision: Decision) -> dict[str, object]:
    """The form of a decision."""
    answers = [{"answer": answer.text, **_form_of_action(answer.action)} for answer in decision.answers]
    return {"question": decision.question, "answers": answers, "default": decision.default}


def decision_from_form(form: Mapping[str, object]) -> Decision:
    """The way back.

    Raises:
        FormRefused: a value has a wrong form.
    """
    return _decision(FormReader(form, "decision"))


def _decision(reader: FormReader) -> Decision:
    return Decision(
        question=reader.text("question").strip(),
        answers=tuple(_answer(answer) for answer in reader.each("answers")),
        default=reader.number_or("default", 1),
    )


def _answer(reader: FormReader) -> Answer:
    return Answer(text=reader.text("answer").strip(), action=_action(reader))


def _action(reader: FormReader) -> Action:
    match reader.text_or("action", "reply"):
        case "reply":
            return Reply()
        case "quiet":
            return StayQuiet()
        case "hint":
            return KeepHint(hint=reader.text("hint").strip())
        case "recipe":
            return UseRecipe(name=reader.text("recipe").strip())
        case _:
            raise reader.refused("action", "is one of reply, quiet, hint, recipe")


def _form_of_action(action: Action) -> dict[str, object]:
    match action:
        case Reply():
            return {"action": "reply"}
        case StayQuiet():
            return {"action": "quiet"}
        case KeepHint(hint=hint):
            return {"action": "hint", "hint": hint}
        case UseRecipe(name=name):
            return {"action": "recipe", "recipe": name}
        case _:
            assert_never(action)


def recipe_of_draft(
    draft: RecipeDraft,
    *,
    recipe_id: str,
    scope: Scope,
    origin: RecipeOrigin,
    author: str | None,
    now: datetime,
) -> Recipe:
    """The first version of a recipe."""
    return Recipe(
        id=recipe_id,
        name=draft.name,
        purpose=draft.purpose,
        keywords=draft.keywords,
        steps=draft.steps,
        background=draft.background,
        decision=draft.decision,
        automation=draft.automation,
        model_timed=draft.model_timed,
        enabled=draft.enabled,
        approved=origin is not RecipeOrigin.PROPOSAL,
        origin=origin,
        scope=scope,
        author=author,
        created_at=now,
        updated_at=now,
    )
