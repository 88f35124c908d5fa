"""A recipe: what a room can teach the bot to do (REC-1). Values only.

A recipe has steps, or a decision in their place, never both. `recipe_problem` is the one place that knows
what a whole recipe is; nothing is stored that it objects to.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from core.sentences import sentence
from recipes.automation import Automation

MOST_NAME: Final = 64
MOST_PURPOSE: Final = 1_024
MOST_STEPS: Final = 4_000
MOST_KEYWORD: Final = 40
MOST_KEYWORDS: Final = 20
MOST_QUESTION: Final = 500
MOST_ANSWER: Final = 200
MOST_HINT: Final = 1_000
MOST_ANSWERS: Final = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class Everywhere:
    """In every scene of this deployment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InGuild:
    """In the channels of one server."""

    guild_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InDirectMessages:
    """In the direct messages of one person."""

    user_id: str


Scope = Everywhere | InGuild | InDirectMessages


class RecipeOrigin(StrEnum):
    """Who wrote it: a person, the model, or a file of the deployment."""

    PERSON = "person"
    PROPOSAL = "proposal"
    FILE = "file"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """Reply as usual."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StayQuiet:
    """Read without replying."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepHint:
    """Reply with this in mind."""

    hint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UseRecipe:
    """Follow the steps of another recipe."""

    name: str


Action = Reply | StayQuiet | KeepHint | UseRecipe


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One answer of a decision and what it leads to; the model sees the text alone."""

    text: str
    action: Action


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A question with its answers. `default` is the number, from 1, that counts when the model picks none."""

    question: str
    answers: tuple[Answer, ...]
    default: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """One recipe as it stands.

    Attributes:
        steps: instructions, Markdown; empty when there is a `decision`.
        background: it runs beside the conversation, in a space of its own.
        automation: what would start it; kept and shown, recipes do not start on their own yet (REC-12).
        model_timed: the model would choose when it runs; same.
        enabled: a person may switch it off without losing it.
        approved: False only for a proposal of the model that nobody has agreed to.
        author: the id of the person who wrote it, or whom the model spoke with when it proposed it.
        version: 1, and one more with every change.
    """

    id: str
    name: str
    purpose: str
    created_at: datetime
    updated_at: datetime
    keywords: tuple[str, ...] = ()
    steps: str = ""
    background: bool = False
    decision: Decision | None = None
    automation: Automation | None = None
    model_timed: bool = False
    enabled: bool = True
    approved: bool = True
    origin: RecipeOrigin = RecipeOrigin.PERSON
    scope: Scope = Everywhere()
    author: str | None = None
    version: int = 1


def name_key(name: str) -> str:
    """What two names have in common that are one name."""
    return " ".join(name.split()).casefold()


def recipe_problem(recipe: Recipe) -> str | None:
    """What is wrong with `recipe`, as one sentence for whoever wrote it; None when it is whole."""
    return (
        _name_problem(recipe.name)
        or _purpose_problem(recipe.purpose)
        or _keywords_problem(recipe.keywords)
        or _instructions_problem(recipe)
    )


def _name_problem(name: str) -> str | None:
    if not name.strip() or name != name.strip():
        return sentence("A recipe needs a name.")
    if len(name) > MOST_NAME or not name.isprintable() or any(mark in name for mark in '[]"`'):
        return sentence(
            'A name has at most {most_name} plain characters, without [ ] " and `.', most_name=MOST_NAME
        )
    return None


def _purpose_problem(purpose: str) -> str | None:
    if not purpose.strip():
        return sentence("A recipe needs a purpose: one line that says what it is for.")
    return (
        None
        if len(purpose) <= MOST_PURPOSE
        else sentence("The purpose is longer than {most_purpose} characters.", most_purpose=MOST_PURPOSE)
    )


def _keywords_problem(keywords: tuple[str, ...]) -> str | None:
    if len(keywords) > MOST_KEYWORDS:
        return sentence("A recipe has at most {most_keywords} keywords.", most_keywords=MOST_KEYWORDS)
    if any(not keyword.strip() or not keyword.isprintable() for keyword in keywords):
        return sentence("A keyword is one word or a few, on one line.")
    if any(len(keyword) > MOST_KEYWORD for keyword in keywords):
        return sentence("A keyword has at most {most_keyword} characters.", most_keyword=MOST_KEYWORD)
    return None


def _instructions_problem(recipe: Recipe) -> str | None:
    if recipe.decision is None:
        if not recipe.steps.strip() and not (recipe.model_timed or recipe.automation):
            return sentence("A recipe needs steps, or a decision in their place.")
        if len(recipe.steps) > MOST_STEPS:
            return sentence(
                "The steps have {count:,} characters; the most is {most_steps:,}.",
                count=len(recipe.steps),
                most_steps=MOST_STEPS,
            )
        return None
    if recipe.steps.strip():
        return sentence("A recipe has steps or a decision, not both.")
    if recipe.background:
        return sentence("A decision is made in its own turn; it cannot run in the background.")
    if not recipe.keywords:
        return sentence("A decision needs a keyword: nothing else invokes it.")
    return _decision_problem(recipe.decision)


def _decision_problem(decision: Decision) -> str | None:
    if not decision.question.strip() or len(decision.question) > MOST_QUESTION:
        return sentence(
            "A decision needs a question of at most {most_question} characters.", most_question=MOST_QUESTION
        )
    if not 2 <= len(decision.answers) <= MOST_ANSWERS:
        return sentence("A decision needs 2 to {most_answers} answers.", most_answers=MOST_ANSWERS)
    if any(not answer.text.strip() or len(answer.text) > MOST_ANSWER for answer in decision.answers):
        return sentence(
            "Each answer needs a text of at most {most_answer} characters.", most_answer=MOST_ANSWER
        )
    if not 1 <= decision.default <= len(decision.answers):
        return sentence("The default names none of the answers.")
    return next((problem for answer in decision.answers if (problem := _action_problem(answer.action))), None)


def _action_problem(action: Action) -> str | None:
    match action:
        case KeepHint(hint=hint) if not hint.strip() or len(hint) > MOST_HINT:
            return sentence("A hint needs a text of at most {most_hint:,} characters.", most_hint=MOST_HINT)
        case UseRecipe(name=name):
            return _name_problem(name)
        case _:
            return None
