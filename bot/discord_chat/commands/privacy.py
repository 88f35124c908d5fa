"""`/privacy`: what the bot holds of the person who asks, as a file, and gone (MEM-6)."""

import re
from typing import Final

import discord
from discord import app_commands

from bot.discord_chat.cards.persistent_buttons import answer_presses, button_row
from bot.discord_chat.commands.answering import AnyInteraction, CommandTree, Interaction, Refused
from bot.discord_chat.commands.parts import send_json
from bot.discord_chat.languages import told
from bot.personal_data import AllPersonalData
from core.sentences import sentence

_TEMPLATE: Final = r"privacy:(?P<act>forget|keep):(?P<user>\d+)"
_SHOWS: Final = sentence("""\
**What I keep**
- What you write to me, and my answers, so that a conversation can go on.
- What I was asked to remember (`/memory`), lists of notes (`/notes`), and recipes (`/recipe`).
- What you chose for yourself, such as a time zone, and the language of your Discord.
- Nothing of what you say elsewhere, beyond the last messages of a channel while I run.

What is said in a private channel or a direct message stays there. `/privacy export-me` gives you all that \
is about you; `/privacy forget-me` removes it, in every server.""")
_SURE: Final = sentence("""\
This removes what you wrote to me and what I answered to it, entries that you told or that are about you, \
your notes, and everything of our direct messages, in every server. It cannot be taken back. Your \
`/voice optout` goes too: give it again if you want to stay unheard.""")


def add_privacy_commands(tree: CommandTree, client: discord.Client, data: AllPersonalData) -> None:
    """Add the group to the tree, and answer its buttons."""
    group = app_commands.Group(name="privacy", description="What the bot knows about you.")

    @group.command(description="Say what the bot keeps and who can read it.")
    async def show(interaction: Interaction) -> None:
        await interaction.response.send_message(told(_SHOWS), ephemeral=True)

    @group.command(name="export-me", description="Get everything that is about you, as a file.")
    async def export_me(interaction: Interaction) -> None:
        await interaction.response.defer(ephemeral=True)
        found = await data.export(str(interaction.user.id))
        await send_json(interaction, told("Everything that I hold about you."), found, "about-me")

    @group.command(name="forget-me", description="Remove everything that is about you.")
    async def forget_me(interaction: Interaction) -> None:
        view = _confirmation(interaction.user.id)
        await interaction.response.send_message(told(_SURE), view=view, ephemeral=True)

    async def press(interaction: AnyInteraction, found: re.Match[str]) -> None:
        if interaction.user.id != int(found["user"]):
            raise Refused(told("This is somebody else's."))
        if found["act"] == "keep":
            await interaction.response.edit_message(content=told("Nothing was removed."), view=None)
            return
        await interaction.response.edit_message(content=told("Removing ..."), view=None)
        counts = await data.forget(str(interaction.user.id))
        lines = [f"- {told(name.replace('_', ' '))}: {count}" for name, count in counts.items() if count]
        said = "\n".join([told("Removed:"), *lines]) if lines else told("There was nothing about you.")
        await interaction.edit_original_response(content=said)

    tree.add_command(group)
    answer_presses(client, _TEMPLATE, press)


def _confirmation(user_id: int) -> discord.ui.View:
    return button_row(
        (sentence("Remove everything"), discord.ButtonStyle.danger, f"privacy:forget:{user_id}"),
        (sentence("Keep it"), discord.ButtonStyle.secondary, f"privacy:keep:{user_id}"),
    )
