"""The recipes of a scene as pages with buttons to turn them (REC-7, REC-12)."""

import re
from collections.abc import Sequence
from typing import Final

import discord
from discord.utils import escape_markdown

from bot.discord_chat.cards.recipe_card import NOT_ON_ITS_OWN, scope_words
from bot.discord_chat.commands.answering import AnyInteraction
from bot.discord_chat.commands.parts import shortened
from bot.discord_chat.commands.recipe_parts import RecipeParts
from bot.discord_chat.languages import told
from recipes.matching_rules import is_auto_run_recipe
from recipes.recipe import Recipe

TEMPLATE: Final = r"recipes:page:(?P<page>\d+)"
_ON_A_PAGE: Final = 10
_PURPOSE: Final = 120


def recipe_page(recipes: Sequence[Recipe], page: int) -> tuple[discord.Embed, discord.ui.View]:
    """One page, and the buttons to its neighbours."""
    last = max(0, (len(recipes) - 1) // _ON_A_PAGE)
    page = min(page, last)
    shown = recipes[page * _ON_A_PAGE : (page + 1) * _ON_A_PAGE]
    lines = [_line(recipe) for recipe in shown] or [told("There are none yet. `/recipe add` writes one.")]
    embed = discord.Embed(title=told("Recipes ({count})", count=len(recipes)), description="\n".join(lines))
    footer = [told("Page {page} of {last}", page=page + 1, last=last + 1)] if last else []
    footer += [told(NOT_ON_ITS_OWN)] if any(map(is_auto_run_recipe, shown)) else []
    if footer:
        embed.set_footer(text="\n".join(footer))
    view = discord.ui.View(timeout=None)
    if last:
        view.add_item(_button(told("Back"), "back", page - 1, usable=page > 0))
        view.add_item(_button(told("Next"), "next", page + 1, usable=page < last))
    return embed, view


async def turn_page(recipes: RecipeParts, interaction: AnyInteraction, found: re.Match[str]) -> None:
    """Show another page in place of this one."""
    _, scene = await recipes.seen(interaction)
    embed, view = recipe_page(tuple(scene.all()), int(found["page"]))
    await interaction.response.edit_message(embed=embed, view=view)


def _button(label: str, name: str, page: int, *, usable: bool) -> "discord.ui.Button[discord.ui.View]":
    custom_id = f"recipes:page:{max(page, 0)}" if usable else f"recipes:no-page:{name}"
    return discord.ui.Button[discord.ui.View](label=label, custom_id=custom_id, disabled=not usable)


def _line(recipe: Recipe) -> str:
    marks = [
        told("decision") if recipe.decision is not None else "",
        told("background") if recipe.background else "",
        told("starts by itself 🚧") if is_auto_run_recipe(recipe) else "",
        "" if recipe.approved else told("proposal"),
        told("disabled") if recipe.approved and not recipe.enabled else "",
        scope_words(recipe.scope),
    ]
    name = escape_markdown(recipe.name)
    purpose = escape_markdown(shortened(" ".join(recipe.purpose.split()), _PURPOSE))
    return f"**{name}**: {purpose} ({', '.join(mark for mark in marks if mark)})"
