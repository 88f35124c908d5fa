"""`/recipe`: what the bot has been taught here (REC-5, REC-6, REC-7)."""

from typing import Final

import discord
from discord import app_commands

from bot.discord_chat.cards.persistent_buttons import answer_presses
from bot.discord_chat.cards.proposals import HEADING, proposal_view
from bot.discord_chat.cards.recipe_card import NOT_ON_ITS_OWN, recipe_embed, scope_words
from bot.discord_chat.cards.recipe_pages import TEMPLATE, act_on_page, recipe_page
from bot.discord_chat.commands.answering import AnyInteraction, Interaction, Refused, plain
from bot.discord_chat.commands.parts import require
from bot.discord_chat.commands.recipe_files import add_recipe_file_commands
from bot.discord_chat.commands.recipe_form import RecipeForm
from bot.discord_chat.commands.recipe_parts import (
    RecipeParts,
    refused,
    require_manages,
    scope_here,
)
from bot.discord_chat.languages import told
from bot.discord_chat.recipe_requests import RecipeRequests
from bot.discord_chat.trigger_rules import Verdict, not_answered
from core.sentences import sentence
from recipes.library import RecipeRefused
from recipes.matching_rules import is_auto_run_recipe
from recipes.recipe import Recipe, RecipeOrigin
from recipes.recipe_form import RecipeDraft, draft_of
from recipes.recipe_permissions import may_manage_recipe
from recipes.run_scene import Standing

_SHOWN_PROPOSALS: Final = 5


def add_recipe_commands(recipes: RecipeParts, requests: RecipeRequests, client: discord.Client) -> None:
    """Add the group to the tree, and answer its buttons."""
    group = app_commands.Group(name="recipe", description="What the bot has been taught to do.")
    _add_looking(group, recipes)
    _add_writing(group, recipes)
    _add_switching(group, recipes)
    _add_using(group, recipes, requests)
    add_recipe_file_commands(group, recipes)
    recipes.parts.tree.add_command(group)
    answer_presses(client, TEMPLATE, lambda interaction, found: act_on_page(recipes, interaction, found))


def _add_looking(group: app_commands.Group, recipes: RecipeParts) -> None:
    @group.command(name="list", description="List the recipes that hold here.")
    async def list_recipes(interaction: Interaction) -> None:
        _, found = await recipes.seen(interaction)
        await interaction.response.send_message(view=recipe_page(tuple(found.all()), 0), ephemeral=True)

    @group.command(description="Show a recipe whole.")
    @app_commands.describe(name="Which recipe.")
    @app_commands.autocomplete(name=recipes.names)
    async def show(interaction: Interaction, name: str) -> None:
        _, recipe = await recipes.named(interaction, name)
        await interaction.response.send_message(embed=recipe_embed(recipe), ephemeral=True)

    @group.command(description="Show the proposals that wait for a person.")
    async def proposals(interaction: Interaction) -> None:
        scene = await recipes.parts.scene(interaction)
        waiting = [
            one
            for one in await recipes.library.waiting()
            if may_manage_recipe(scene.standing, scene.place, one.scope)
        ]
        if not waiting:
            await interaction.response.send_message(told("No proposals wait for you."), ephemeral=True)
            return
        await interaction.response.defer(ephemeral=True)
        for recipe in waiting[:_SHOWN_PROPOSALS]:
            card = recipe_embed(recipe, heading=HEADING)
            await interaction.followup.send(embed=card, view=proposal_view(recipe), ephemeral=True)
        if (more := len(waiting) - _SHOWN_PROPOSALS) > 0:
            await interaction.followup.send(told("And {more} more after these.", more=more), ephemeral=True)


def _add_writing(group: app_commands.Group, recipes: RecipeParts) -> None:
    @group.command(description="Write a recipe: a skill with steps, or a decision.")
    @app_commands.describe(
        name="A short name that says what it does.",
        decision="A question with answers in place of steps.",
        background="It is long work that runs beside the conversation.",
        everywhere="It holds in every server and direct message (the bot's owner).",
    )
    async def add(
        interaction: Interaction,
        name: app_commands.Range[str, 1, 64],
        decision: bool = False,  # noqa: FBT001, FBT002 - an option of the command
        background: bool = False,  # noqa: FBT001, FBT002 - same
        everywhere: bool = False,  # noqa: FBT001, FBT002 - same
    ) -> None:
        scene = await recipes.parts.scene(interaction)
        scope = scope_here(scene, everywhere=everywhere)
        require_manages(scene, scope)

        async def keep(form: AnyInteraction, draft: RecipeDraft) -> None:
            await form.response.defer(ephemeral=True, thinking=True)
            author = str(form.user.id)
            recipe = await recipes.library.add(draft, scope=scope, author=author)
            said = told(
                "Kept: **{recipe}** holds {scope} now.",
                recipe=discord.utils.escape_markdown(recipe.name),
                scope=scope_words(scope),
            )
            await form.followup.send(f"{said}{_notes(recipe)}", embed=recipe_embed(recipe), ephemeral=True)

        draft = RecipeDraft(name=name.strip(), purpose="", background=background)
        await interaction.response.send_modal(RecipeForm(draft, keep, decides=decision))

    @group.command(description="Change a recipe.")
    @app_commands.describe(name="Which recipe.")
    @app_commands.autocomplete(name=recipes.names)
    async def edit(interaction: Interaction, name: str) -> None:
        recipe = await recipes.managed(interaction, name)
        if recipe.origin is RecipeOrigin.FILE:
            file = recipe.id.removeprefix("file:")
            raise Refused(
                told("This recipe is the file `{file}`: change the file, then `/recipe reload`.", file=file)
            )

        async def keep(form: AnyInteraction, draft: RecipeDraft) -> None:
            await form.response.defer(ephemeral=True, thinking=True)
            edited = await recipes.library.edit(recipe, draft)
            await form.followup.send(told("Changed."), embed=recipe_embed(edited), ephemeral=True)

        decides = recipe.decision is not None
        await interaction.response.send_modal(RecipeForm(draft_of(recipe), keep, decides=decides))

    @group.command(description="Delete a recipe, or reject a proposal.")
    @app_commands.describe(name="Which recipe.")
    @app_commands.autocomplete(name=recipes.names)
    async def delete(interaction: Interaction, name: str) -> None:
        await interaction.response.defer(ephemeral=True)
        recipe = await recipes.managed(interaction, name)
        try:
            await recipes.library.remove(recipe)
        except RecipeRefused as error:
            raise refused(error) from error
        await interaction.followup.send(
            told("Deleted `{recipe}`.", recipe=plain(recipe.name)), ephemeral=True
        )


def _add_switching(group: app_commands.Group, recipes: RecipeParts) -> None:
    async def switch(interaction: Interaction, name: str, *, on: bool) -> None:
        await interaction.response.defer(ephemeral=True)
        recipe = await recipes.managed(interaction, name)
        try:
            await recipes.library.switch(recipe, on=on)
        except RecipeRefused as error:
            raise refused(error) from error
        said = sentence("`{name}` is enabled.") if on else sentence("`{name}` is disabled.")
        await interaction.followup.send(told(said, name=plain(recipe.name)), ephemeral=True)

    @group.command(description="Let a recipe be used again.")
    @app_commands.describe(name="Which recipe.")
    @app_commands.autocomplete(name=recipes.names)
    async def enable(interaction: Interaction, name: str) -> None:
        await switch(interaction, name, on=True)

    @group.command(description="Keep a recipe, but let nobody use it.")
    @app_commands.describe(name="Which recipe.")
    @app_commands.autocomplete(name=recipes.names)
    async def disable(interaction: Interaction, name: str) -> None:
        await switch(interaction, name, on=False)

    @group.command(description="Choose whether plain members use the recipes of this server.")
    @app_commands.describe(use="Whether they may; managers and the bot's owner always do.")
    async def members(interaction: Interaction, use: bool) -> None:  # noqa: FBT001 - an option of the command
        await interaction.response.defer(ephemeral=True)
        scene = await recipes.parts.scene(interaction)
        if scene.place.guild_id is None:
            raise Refused(told("This is a direct message: there is no server to choose for."))
        require(
            scene.standing in (Standing.OWNER, Standing.MANAGER),
            told("Only the bot's owner and members with the Manage Server permission can do this."),
        )
        await recipes.members.let_members(scene.place.guild_id, use=use)
        said = (
            told("Members use the recipes of this server now.")
            if use
            else told("Only managers use the recipes of this server now.")
        )
        await interaction.followup.send(said, ephemeral=True)

    @group.command(description="Read the recipe files again (the bot's owner).")
    async def reload(interaction: Interaction) -> None:
        require(
            recipes.parts.standing(interaction) is Standing.OWNER, told("Only the bot's owner can do this.")
        )
        await interaction.response.defer(ephemeral=True)
        problems = await recipes.library.reload()
        lines = [
            told("The recipe files were read again."),
            *(told("- left out: {problem}", problem=problem.sentence) for problem in problems),
        ]
        await interaction.followup.send("\n".join(lines)[:2_000], ephemeral=True)


def _add_using(group: app_commands.Group, recipes: RecipeParts, requests: RecipeRequests) -> None:
    @group.command(description="Use a recipe now, here, for everybody to see.")
    @app_commands.describe(name="Which recipe.", request="What you want done with it.")
    @app_commands.autocomplete(name=recipes.names)
    async def run(
        interaction: Interaction, name: str, request: app_commands.Range[str, 0, 1_500] = ""
    ) -> None:
        scene, found = await recipes.seen(interaction)
        recipe = found.named(name)
        if recipe is None:
            raise Refused(told("There is no recipe `{name}` that can be used here.", name=plain(name)))
        if recipe.background and not recipes.runs_in_background():
            raise Refused(told("This recipe runs in the background, for which the model here is too small."))
        shown = f"**{discord.utils.escape_markdown(recipe.name)}**"
        said = f"{shown}: {request}" if request.strip() else shown
        await interaction.response.send_message(said, allowed_mentions=discord.AllowedMentions.none())
        message = await interaction.original_response()
        decision = await requests.run(scene, recipe, request, message_id=message.id, at=message.created_at)
        if decision.verdict is not Verdict.ANSWER:
            await interaction.followup.send(not_answered(decision), ephemeral=True)


def _notes(recipe: Recipe) -> str:
    notes = [told("It runs in the background: its result comes as a message.")] if recipe.background else []
    notes += [told(NOT_ON_ITS_OWN)] if is_auto_run_recipe(recipe) else []
    return "".join(f"\n{note}" for note in notes)
