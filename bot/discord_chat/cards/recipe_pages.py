"""The recipes of a scene as pages, each recipe with a button that shows it (REC-7, REC-12).

Components V2, since an embed has no room for a button beside each of its lines.
"""

import re
from collections.abc import Sequence
from typing import Final, TypeAlias

import discord
from discord.utils import escape_markdown

from bot.discord_chat.cards.recipe_card import NOT_ON_ITS_OWN, recipe_embed, scope_words
from bot.discord_chat.commands.answering import AnyInteraction, Refused
from bot.discord_chat.commands.parts import shortened
from bot.discord_chat.commands.recipe_parts import RecipeParts
from bot.discord_chat.languages import told
from core.sentences import sentence
from recipes.matching_rules import is_auto_run_recipe
from recipes.recipe import Recipe

TEMPLATE: Final = r"recipes:(?P<act>page|show):(?P<of>.+)"
_ON_A_PAGE: Final = 10
_PURPOSE: Final = 120
_LONGEST_LINE: Final = 380  # Discord: all texts of a message have 4,000 characters
_LONGEST_ID: Final = 100  # Discord: of a button

Button: TypeAlias = discord.ui.Button[discord.ui.LayoutView]


def recipe_page(recipes: Sequence[Recipe], page: int) -> discord.ui.LayoutView:
    """One page, and the buttons to its neighbours."""
    last = max(0, (len(recipes) - 1) // _ON_A_PAGE)
    page = min(page, last)
    shown = recipes[page * _ON_A_PAGE : (page + 1) * _ON_A_PAGE]
    card = discord.ui.Container[discord.ui.LayoutView]()
    card.add_item(_text(f"### {told('Recipes ({count})', count=len(recipes))}"))
    for recipe in shown:
        card.add_item(_row(recipe))
    if not shown:
        card.add_item(_text(told("There are none yet. `/recipe add` writes one.")))
    footer = [told("Page {page} of {last}", page=page + 1, last=last + 1)] if last else []
    footer += [told(NOT_ON_ITS_OWN)] if any(map(is_auto_run_recipe, shown)) else []
    if footer:
        card.add_item(_text("\n".join(f"-# {line}" for line in footer)))
    if last:
        turning = discord.ui.ActionRow[discord.ui.LayoutView]()
        turning.add_item(_turn(told("Back"), "back", page - 1, usable=page > 0))
        turning.add_item(_turn(told("Next"), "next", page + 1, usable=page < last))
        card.add_item(turning)
    view = discord.ui.LayoutView(timeout=None)
    view.add_item(card)
    view.stop()  # discord.py keeps nothing of it: a press names what it wants
    return view


async def act_on_page(recipes: RecipeParts, interaction: AnyInteraction, found: re.Match[str]) -> None:
    """Show another page in place of this one, or one recipe to the person alone."""
    _, scene = await recipes.seen(interaction)
    if found["act"] == "page":
        view = recipe_page(tuple(scene.all()), int(found["of"]))
        await interaction.response.edit_message(view=view)
        return
    recipe = next((one for one in scene.all() if one.id == found["of"]), None)
    if recipe is None:
        raise Refused(sentence("This recipe is gone."))
    await interaction.response.send_message(embed=recipe_embed(recipe), ephemeral=True)


def _row(recipe: Recipe) -> discord.ui.Item[discord.ui.LayoutView]:
    """A recipe and its button; one whose id finds no room in a button goes without."""
    text, custom_id = _text(shortened(_line(recipe), _LONGEST_LINE)), f"recipes:show:{recipe.id}"
    if len(custom_id) > _LONGEST_ID:
        return text
    return discord.ui.Section[discord.ui.LayoutView](
        text, accessory=Button(label=told("Show"), custom_id=custom_id)
    )


def _text(text: str) -> discord.ui.TextDisplay[discord.ui.LayoutView]:
    return discord.ui.TextDisplay[discord.ui.LayoutView](text)


def _turn(label: str, name: str, page: int, *, usable: bool) -> Button:
    custom_id = f"recipes:page:{max(page, 0)}" if usable else f"recipes:no-page:{name}"
    return Button(label=label, custom_id=custom_id, disabled=not usable)


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
