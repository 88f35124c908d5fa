"""A recipe as a Markdown file, and back (REC-6). Pure: text in, draft out.

    ---
    name: brief
    description: Short answers for hurried people.
    keywords: [brief, kurz]
    ---
    1. Answer in one line.
    2. No greetings.

`SKILL.md` of the Agent Skills layout is such a file as it stands: what the front matter holds beyond the form
(licence, allowed tools, metadata) is left alone.
"""

from typing import Final

import yaml

from core.sentences import sentence
from recipes.recipe import MOST_STEPS
from recipes.recipe_form import FormRefused, RecipeDraft, draft_from_form, form_of_recipe

_FENCE: Final = "---"
_MOST_CHARACTERS: Final = 40_000


class RecipeTextRefused(Exception):
    """The text is no recipe; the message says what to change, and `line` where, from 1."""

    def __init__(self, problem: str, *, line: int) -> None:
        super().__init__(sentence("line {line}: {problem}", line=line, problem=problem))
        self.line = line
        self.problem = problem


def draft_from_text(text: str, *, file_name: str) -> RecipeDraft:
    """The recipe that `text` describes; called `file_name` where the front matter gives no name.

    Raises:
        RecipeTextRefused: it cannot be read as one.
    """
    if len(text) > _MOST_CHARACTERS:
        raise RecipeTextRefused(
            sentence(
                "the file has more than {most_characters:,} characters.", most_characters=_MOST_CHARACTERS
            ),
            line=1,
        )
    lines = text.removeprefix("\ufeff").splitlines()
    if not lines or lines[0].rstrip() != _FENCE:
        raise RecipeTextRefused(
            sentence("a recipe begins with a line of {fence} and its front matter.", fence=_FENCE), line=1
        )
    end = next((number for number, line in enumerate(lines[1:], 1) if line.rstrip() == _FENCE), None)
    if end is None:
        raise RecipeTextRefused(sentence("the front matter has no {fence} at its end.", fence=_FENCE), line=1)
    form = _front_matter("\n".join(lines[1:end]))
    steps = "\n".join(lines[end + 1 :]).strip()
    if len(steps) > MOST_STEPS:
        raise RecipeTextRefused(
            sentence(
                "The steps have {count:,} characters; the most is {most_steps:,}.",
                count=len(steps),
                most_steps=MOST_STEPS,
            ),
            line=end + 2,
        )
    try:
        return draft_from_form({"name": file_name, **form}, steps=steps)
    except FormRefused as refused:
        raise RecipeTextRefused(str(refused), line=_line_of(lines, str(refused))) from refused


def text_of_draft(draft: RecipeDraft) -> str:
    """The file of a recipe."""
    form = form_of_recipe(draft)
    steps = form.pop("steps", "")
    front = yaml.safe_dump(form, allow_unicode=True, sort_keys=False, width=100)
    return f"{_FENCE}\n{front}{_FENCE}\n\n{steps}\n"


def _front_matter(text: str) -> dict[str, object]:
    try:
        form: object = yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        line = 2 + (error.problem_mark.line if error.problem_mark is not None else 0)
        raise RecipeTextRefused(
            sentence("this is no YAML ({problem}).", problem=error.problem), line=line
        ) from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise RecipeTextRefused("this is no YAML.", line=2) from error
    if form is None:
        return {}
    if not isinstance(form, dict):
        raise RecipeTextRefused("the front matter has no names with values.", line=2)
    return {str(name): value for name, value in form.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] - any YAML


def _line_of(lines: list[str], problem: str) -> int:
    """Where the name that the problem speaks of stands; else where the front matter begins."""
    name = problem.removeprefix("`").partition("`")[0].partition(".")[0].partition("[")[0]
    return next((number for number, line in enumerate(lines, 1) if line.startswith(f"{name}:")), 2)
