"""A recipe as an embed: whole enough to decide about, within Discord's limits (REC-5, REC-7)."""

from typing import Final, assert_never

import discord

from bot.discord_chat.commands.parts import shortened
from bot.discord_chat.languages import told
from core.sentences import Sentence, sentence
from recipes.decision_rules import decision_options
from recipes.matching_rules import is_auto_run_recipe
from recipes.recipe import (
    Action,
    Decision,
    Everywhere,
    InDirectMessages,
    InGuild,
    KeepHint,
    Recipe,
    Reply,
    Scope,
    StayQuiet,
    UseRecipe,
)

_MOST_STEPS: Final = 3_500
_MOST_FIELD: Final = 1_000
NOT_ON_ITS_OWN: Final = sentence("🚧 Recipes do not start on their own yet.")
HEADING: Final = sentence("Recipe: {name}")
_BACKGROUND: Final = sentence("It runs in the background.")


def recipe_embed(recipe: Recipe, *, heading: Sentence = HEADING) -> discord.Embed:
    """Everything about a recipe; what is too long for a card is cut."""
    title = shortened(told(heading, name=recipe.name), 250)
    embed = discord.Embed(title=title, description=shortened(recipe.purpose, _MOST_FIELD))
    if recipe.keywords:
        _add(
            embed,
            told("Keywords"),
            ", ".join(f"`{keyword.replace('`', chr(39))}`" for keyword in recipe.keywords),
        )
    if recipe.decision is not None:
        _add(embed, told("Question"), recipe.decision.question)
        _add(embed, told("Answers"), _answers(recipe.decision))
    elif recipe.steps:
        steps = recipe.steps.replace("```", "'''")
        embed.description = f"{embed.description}\n```md\n{shortened(steps, _MOST_STEPS - _MOST_FIELD)}\n```"
    _add(embed, told("Holds"), scope_words(recipe.scope), inline=True)
    _add(embed, told("State"), _state(recipe), inline=True)
    notes = [told(_BACKGROUND)] if recipe.background else []
    notes += [told(NOT_ON_ITS_OWN)] if is_auto_run_recipe(recipe) else []
    if notes:
        embed.set_footer(text="\n".join(notes))
    return embed


def scope_words(scope: Scope) -> str:
    """Where a recipe holds, in words."""
    match scope:
        case Everywhere():
            return told("everywhere")
        case InGuild():
            return told("in this server")
        case InDirectMessages():
            return told("in these direct messages")
        case _:
            assert_never(scope)


def _state(recipe: Recipe) -> str:
    if not recipe.approved:
        return told("proposal, waits for a person")
    return told("enabled") if recipe.enabled else told("disabled")


def _answers(decision: Decision) -> str:
    lines = [
        f"{option.number}. {option.text} → {_action(answer.action)}"
        + (told(" (default)") if option.number == decision.default else "")
        for option, answer in zip(decision_options(decision), decision.answers, strict=True)
    ]
    return "\n".join(lines)


def _action(action: Action) -> str:
    match action:
        case Reply():
            return told("reply")
        case StayQuiet():
            return told("stay quiet")
        case KeepHint(hint=hint):
            return told("hint: {hint}", hint=hint)
        case UseRecipe(name=name):
            return told("recipe {name}", name=name)
        case _:
            assert_never(action)


def _add(embed: discord.Embed, name: str, value: str, *, inline: bool = False) -> None:
    embed.add_field(name=name, value=shortened(value, _MOST_FIELD), inline=inline)
