"""`/recipe export` and `/recipe import`: recipes as files that people can keep and share (REC-7)."""

import asyncio
import json
from typing import Final, cast

import discord
from discord import app_commands

from bot.discord_chat.commands.answering import Interaction, Refused, plain
from bot.discord_chat.commands.parts import send_json, text_file
from bot.discord_chat.commands.recipe_parts import RecipeParts, require_manages, scope_here
from bot.discord_chat.languages import told
from recipes.form_reading import FormRefused
from recipes.library import RecipeRefused
from recipes.recipe_form import RecipeDraft, draft_from_form, draft_of, form_of_recipe
from recipes.recipe_text import RecipeTextRefused, draft_from_text, text_of_draft

_MOST_BYTES: Final = 2_000_000
_MOST_RECIPES: Final = 500
_MOST_TOLD: Final = 15


def add_recipe_file_commands(group: app_commands.Group, recipes: RecipeParts) -> None:
    """Add both commands to the group."""

    @group.command(description="Take recipes out as a file: one as Markdown, all as JSON.")
    @app_commands.describe(name="Which recipe; without a name all that hold here.")
    @app_commands.autocomplete(name=recipes.names)
    async def export(interaction: Interaction, name: str | None = None) -> None:
        await interaction.response.defer(ephemeral=True)
        said = told("Here it is.")
        if name is None:
            _, found = await recipes.seen(interaction)
            forms = [form_of_recipe(draft_of(recipe)) for recipe in found.all() if recipe.approved]
            await send_json(interaction, said, {"recipes": forms}, "recipes")
        else:
            _, recipe = await recipes.named(interaction, name)
            file = text_file(text_of_draft(draft_of(recipe)), "recipe.md")
            await interaction.followup.send(said, file=file, ephemeral=True)

    @group.command(name="import", description="Add the recipes of a file: Markdown, SKILL.md or JSON.")
    @app_commands.describe(
        file="A file that was exported, or a recipe as Markdown.",
        everywhere="They hold in every server and direct message (the bot's owner).",
    )
    async def import_recipes(
        interaction: Interaction,
        file: discord.Attachment,
        everywhere: bool = False,  # noqa: FBT001, FBT002 - an option of the command
    ) -> None:
        scene = await recipes.parts.scene(interaction)
        scope = scope_here(scene, everywhere=everywhere)
        require_manages(scene, scope)
        await interaction.response.defer(ephemeral=True)
        drafts = await _drafts(file)
        added, problems = 0, list[str]()
        for draft in drafts[:_MOST_RECIPES]:
            try:
                await recipes.library.add(draft, scope=scope, author=str(interaction.user.id))
            except RecipeRefused as error:
                problems.append(told("- left out `{draft}`: {error}", draft=plain(draft.name), error=error))
            else:
                added += 1
        lines = [
            told("Added {added} of {count} recipes.", added=added, count=len(drafts)),
            *problems[:_MOST_TOLD],
        ]
        if len(problems) > _MOST_TOLD:
            lines.append(told("- and {count} more left out", count=len(problems) - _MOST_TOLD))
        await interaction.followup.send("\n".join(lines)[:2_000], ephemeral=True)


async def _drafts(file: discord.Attachment) -> list[RecipeDraft]:
    if file.size > _MOST_BYTES:
        raise Refused(told("The file is too large for recipes."))
    try:
        text = (await file.read()).decode("utf-8-sig")
    except (discord.HTTPException, UnicodeDecodeError) as error:
        raise Refused(told("The file cannot be read; it must be text in UTF-8.")) from error
    if not file.filename.lower().endswith(".json"):
        name = file.filename.rpartition(".")[0] or file.filename
        try:
            return [await asyncio.to_thread(draft_from_text, text, file_name=name)]  # seconds, for some YAML
        except RecipeTextRefused as error:
            raise Refused(told("This is no recipe: {error}", error=error)) from error
    return _drafts_of_json(text)


def _drafts_of_json(text: str) -> list[RecipeDraft]:
    try:
        document: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Refused(told("This is no JSON.")) from error
    forms = cast("dict[str, object]", document).get("recipes") if isinstance(document, dict) else None
    if not isinstance(forms, list):
        raise Refused(told('The file holds no list of "recipes".'))
    drafts: list[RecipeDraft] = []
    for number, form in enumerate(cast("list[object]", forms), 1):
        if not isinstance(form, dict):
            raise Refused(told("Recipe {number} of the file has no names with values.", number=number))
        try:
            drafts.append(draft_from_form(cast("dict[str, object]", form)))
        except FormRefused as error:
            raise Refused(told("Recipe {number} of the file: {error}", number=number, error=error)) from error
    return drafts
