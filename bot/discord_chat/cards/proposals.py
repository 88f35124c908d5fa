"""A proposal as a card with Approve, Edit and Reject, also after a restart (REC-5).

The buttons carry the recipe's id and the version that the card shows, so whoever agrees has seen what they
agree to. Who may press is decided when they do.
"""

import re
from functools import partial
from typing import Final

import discord
import structlog

from bot.discord_chat.cards.persistent_buttons import answer_presses, button_row
from bot.discord_chat.cards.recipe_card import recipe_embed
from bot.discord_chat.commands.answering import AnyInteraction
from bot.discord_chat.commands.recipe_form import RecipeForm
from bot.discord_chat.commands.recipe_parts import RecipeParts, refused
from bot.discord_chat.languages import speaking_to_all, told
from bot.discord_chat.readers import Readers
from core.sentences import Sentence, sentence
from recipes.library import RecipeRefused
from recipes.recipe import Recipe
from recipes.recipe_form import RecipeDraft, draft_of
from recipes.run_scene import Place

_log = structlog.get_logger()
_TEMPLATE: Final = r"recipe:(?P<act>approve|edit|reject):(?P<version>\d+):(?P<recipe>[\w-]+)"
_BUTTONS: Final = {
    "approve": (sentence("Approve"), discord.ButtonStyle.success),
    "edit": (sentence("Edit"), discord.ButtonStyle.primary),
    "reject": (sentence("Reject"), discord.ButtonStyle.danger),
}
HEADING: Final = sentence("Proposed recipe: {name}")


def proposal_view(recipe: Recipe) -> discord.ui.View:
    """The three buttons of a proposal."""
    return button_row(
        *(
            (label, style, f"recipe:{act}:{recipe.version}:{recipe.id}")
            for act, (label, style) in _BUTTONS.items()
        )
    )


class ProposalCards:
    """Shows proposals, and acts on their buttons."""

    def __init__(self, client: discord.Client, readers: Readers) -> None:
        self._client = client
        self._readers = readers

    async def show(self, proposal: Recipe, place: Place) -> None:
        """See `ProposalNotices`: a card in the channel of the conversation."""
        if place.channel_id is None:
            return
        channel = self._client.get_partial_messageable(int(place.channel_id))
        await self._readers.meet_in(place)
        with self._readers.speaking(channel.id):
            card, view = recipe_embed(proposal, heading=HEADING), proposal_view(proposal)
        try:
            await channel.send(embed=card, view=view)
        except discord.HTTPException as error:
            _log.warning("proposal not shown", recipe=proposal.id, status=error.status)

    def answer_buttons(self, recipes: RecipeParts) -> None:
        """Answer presses, also on cards that an earlier process posted."""
        answer_presses(self._client, _TEMPLATE, partial(_press, recipes))


async def _press(recipes: RecipeParts, interaction: AnyInteraction, found: re.Match[str]) -> None:
    recipe = await recipes.by_id(interaction, found["recipe"])
    if not recipe.approved and recipe.version != int(found["version"]):
        await interaction.response.defer()
        await _refresh(interaction, recipe)
        note = told("This was changed meanwhile; the card shows it as it is now.")
        await interaction.followup.send(note, ephemeral=True)
        return
    try:
        await _decide(recipes, interaction, recipe, found["act"])
    except RecipeRefused as error:
        raise refused(error) from error


async def _decide(recipes: RecipeParts, interaction: AnyInteraction, recipe: Recipe, act: str) -> None:
    match act:
        case "approve":
            await interaction.response.defer()
            approved = await recipes.library.approve(recipe)
            said = sentence("Approved by {mention}", mention=interaction.user.mention)
            await _settle(interaction, approved, said)
        case _ if recipe.approved:
            raise RecipeRefused(sentence("This is approved already."))
        case "edit":
            await interaction.response.send_modal(_form(recipes, recipe))
        case _:
            await interaction.response.defer()
            await recipes.library.remove(recipe)
            said = sentence("Rejected by {mention}", mention=interaction.user.mention)
            await _settle(interaction, recipe, said)


def _form(recipes: RecipeParts, recipe: Recipe) -> RecipeForm:
    async def keep(interaction: AnyInteraction, draft: RecipeDraft) -> None:
        await interaction.response.defer()
        edited = await recipes.library.edit(recipe, draft)
        await _refresh(interaction, edited)

    return RecipeForm(draft_of(recipe), keep, decides=recipe.decision is not None)


async def _refresh(interaction: AnyInteraction, recipe: Recipe) -> None:
    """Show the proposal as it is now, with buttons for that version."""
    with speaking_to_all(interaction):
        card, view = recipe_embed(recipe, heading=HEADING), proposal_view(recipe)
    await interaction.edit_original_response(embed=card, view=view)


async def _settle(interaction: AnyInteraction, recipe: Recipe, said: Sentence) -> None:
    """The card without buttons, with what became of it."""
    with speaking_to_all(interaction):
        embed = recipe_embed(recipe)
        embed.add_field(name=told("Decided"), value=told(said), inline=False)
    await interaction.edit_original_response(
        embed=embed, view=None, allowed_mentions=discord.AllowedMentions.none()
    )
