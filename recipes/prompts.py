"""What recipes say to a model (REC-3, REC-14). The places are those of the seed's prompt table.

    description of builtIn_useRecipe   describe_recipes_for_run
    after the message                  skill_of: steps, one line for the background, or a decision's question
    results of the tools               loaded_steps, judgment_result
    session of a task                  compose_recipe_space_prompt, task_message, task_result

No text here reaches the system prompt of a conversation.
"""

from collections.abc import Iterable, Sequence
from typing import Final, assert_never

from core.conversation.turns import InvokedSkill, SkillForm, Speaker
from core.prompts.plain_line import plain_line
from core.prompts.user_messages import speaker_label
from recipes.decision_rules import Judgment, decision_options
from recipes.matching_rules import is_background_recipe, steps_of
from recipes.recipe import Decision, KeepHint, Recipe, Reply, StayQuiet, UseRecipe

MOST_LISTED: Final = 60
_PURPOSE_LENGTH: Final = 160

_USE: Final = """\
Load the steps of a recipe by its name, then follow them in this reply. Use it when a recipe's purpose fits \
what was asked."""
_NO_RECIPES: Final = "There are no recipes yet."
_CANNOT_RUN_YET: Final = """\
It is meant to run in the background, which is not possible here yet: say so in one sentence and do not do \
its task."""
_RUNS: Final = "It runs in the background: reply briefly that it has begun, and do not do its task."


def describe_recipes_for_run(usable: Sequence[Recipe], waiting: Iterable[Recipe] = ()) -> str:
    """Usable recipes by name and purpose, the names of decisions, and the proposals that wait."""
    with_steps = [recipe for recipe in usable if recipe.decision is None]
    decisions = [recipe.name for recipe in usable if recipe.decision is not None]
    lines = [_USE, ""]
    if with_steps:
        lines.append("Recipes:")
        lines += [_listed(recipe) for recipe in with_steps[:MOST_LISTED]]
        if len(with_steps) > MOST_LISTED:
            lines.append(f"- and {len(with_steps) - MOST_LISTED:,} more, which a person names")
    else:
        lines.append(_NO_RECIPES)
    if decisions:
        lines.append(f"Decisions, which a keyword of a person invokes: {_names(decisions)}")
    proposed = [recipe.name for recipe in waiting]
    if proposed:
        lines.append(f"Proposals that wait for a person: {_names(proposed)}")
    return "\n".join(lines)


def skill_of(recipe: Recipe, *, by_owner: bool, runs_in_background: bool = True) -> InvokedSkill:
    """What is stored with the message that invoked the recipe."""
    if recipe.decision is not None:
        text, form = judgment_skill_text(recipe.decision), SkillForm.DECISION
    elif is_background_recipe(recipe):
        text, form = (_RUNS if runs_in_background else _CANNOT_RUN_YET), SkillForm.BACKGROUND
    else:
        text, form = steps_of(recipe), SkillForm.STEPS
    return InvokedSkill(name=recipe.name, text=text, form=form, by_owner=by_owner)


def judgment_skill_text(decision: Decision) -> str:
    """The question and the answers, without what each answer leads to."""
    answers = "\n".join(f"{option.number}. {option.text}" for option in decision_options(decision))
    return f"{decision.question}\n{answers}"


def judge_description(recipe_name: str, decision: Decision) -> str:
    """What `builtIn_judge` is told of its question."""
    return (
        f'Answer the question of the decision "{recipe_name}": {plain_line(decision.question, limit=500)} '
        "Give the number of the one answer that fits best. There is no way not to decide."
    )


def judgment_result(recipe_name: str, judgment: Judgment, *, steps: str | None = None) -> str:
    """What the model is told after a judgment: the answer, and the next step that code chose.

    `steps` are those of the recipe that the answer leads to; None when there is none of that name any more.
    """
    chosen = "No answer was picked, so the default counts: " if judgment.by_default else ""
    decided = f'Decided "{recipe_name}": {chosen}{judgment.number}. {judgment.answer}\n'
    match judgment.action:
        case Reply():
            return f"{decided}Next: reply as usual."
        case StayQuiet():
            return f"{decided}Next: stay quiet. Nothing is posted."
        case KeepHint(hint=hint):
            return f"{decided}Next: reply with this in mind: {hint}"
        case UseRecipe(name=name):
            if steps is None:
                return f'{decided}Next: reply as usual; the recipe "{name}" is not there any more.'
            return f'{decided}Next: follow the steps of the recipe "{name}" in this reply:\n{steps}'
        case _:
            assert_never(judgment.action)


def loaded_steps(recipe: Recipe) -> str:
    """The result of `builtIn_useRecipe`, and of a judgment that leads to the recipe."""
    if is_background_recipe(recipe):
        return f'The recipe "{recipe.name}": {_CANNOT_RUN_YET}'
    return f'Steps of the recipe "{recipe.name}". Follow them in this reply:\n{steps_of(recipe)}'


def compose_recipe_space_prompt(recipe: Recipe) -> str:
    """The recipe of a task session, in its system prompt after the identity."""
    return (
        f'You run the recipe "{recipe.name}" in its own space, apart from the conversation. Work on your own '
        "until it is done; nobody answers questions here. Your last message is the result: make it whole, "
        "it is handed over as it stands.\n\n"
        f"Purpose: {recipe.purpose}\n\nSteps:\n{steps_of(recipe)}"
    )


def task_begun(recipe_name: str, short_id: str) -> str:
    """The result of `builtIn_useRecipe` for a recipe that runs in the background."""
    return f'The recipe "{recipe_name}" is accepted as task {short_id}. {_RUNS}'


def task_message(said: str, speaker: Speaker | None = None) -> str:
    """What a task is given when a keyword started it; a task that the model wrote is given as it is.

    `speaker` None: the owner. Anybody else is named (REC-13).
    """
    who = "The owner" if speaker is None else speaker_label(speaker)
    return f"{who} said: {said}"


def task_result(recipe_name: str, result: str) -> str:
    """The text of the notice with which a finished task comes back."""
    return f'The background task "{recipe_name}" finished.\n{result}'


def task_failure(recipe_name: str, sentence: str) -> str:
    """The same for one that failed."""
    return f'The background task "{recipe_name}" failed.\n{sentence}'


def task_question(name: str, person: str, question: str) -> str:
    """The text of the notice with which a task asks its person something (TASK-22)."""
    return (
        f'The background task "{name}" cannot go on before it knows something. Ask {person} this now, in '
        f"your own words:\n{question}"
    )


def notice_source(recipe_name: str) -> str:
    """The writer of that notice."""
    return f"recipe:{recipe_name}"


def _listed(recipe: Recipe) -> str:
    background = " (runs in the background)" if is_background_recipe(recipe) else ""
    return f"- {recipe.name}{background}: {plain_line(recipe.purpose, limit=_PURPOSE_LENGTH)}"


def _names(names: Sequence[str]) -> str:
    unnamed = len(names) - MOST_LISTED
    more = f" and {unnamed:,} more" if unnamed > 0 else ""
    return ", ".join(f'"{name}"' for name in names[:MOST_LISTED]) + more
