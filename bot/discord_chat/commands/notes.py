"""`/notes`: lists that people name, without any help of a model (MEM-7)."""

from typing import Final

import discord
from discord import app_commands
from discord.utils import escape_markdown

from bot.discord_chat.commands.answering import Interaction, Refused
from bot.discord_chat.commands.parts import CommandParts, shortened
from bot.discord_chat.languages import told, words_of
from recipes.memory.notebook import Notebook, NotesRefused, ShownList
from recipes.spaces import Space, reach_of

_MOST_CHOICES: Final = 25


def add_notes_commands(parts: CommandParts, notebook: Notebook) -> None:
    """Add the group to the tree."""
    group = app_commands.Group(name="notes", description="Lists of notes that you name.")
    _add_reading(group, parts, notebook)
    _add_changing(group, parts, notebook)
    parts.tree.add_command(group)


def _add_reading(group: app_commands.Group, parts: CommandParts, notebook: Notebook) -> None:
    @group.command(description="Show a list, or the names of all lists here.")
    @app_commands.describe(name="Which list; without a name all names.")
    @app_commands.autocomplete(name=_names(parts, notebook))
    async def show(interaction: Interaction, name: str | None = None) -> None:
        space = await _space(parts, interaction)
        if name is None:
            names = [f"- {escape_markdown(one.name)}" for one in await notebook.lists(space)]
            text = "\n".join(names) if names else told("There are no lists here yet. `/notes add` makes one.")
            embed = discord.Embed(title=told("Notes"), description=shortened(text, 4_000))
        else:
            try:
                embed = _embed(await notebook.show(space, name))
            except NotesRefused as error:
                raise Refused(words_of(error)) from error
        await interaction.response.send_message(embed=embed, ephemeral=True)


def _add_changing(group: app_commands.Group, parts: CommandParts, notebook: Notebook) -> None:
    names = _names(parts, notebook)

    @group.command(description="Add items to a list; a new name makes a new list.")
    @app_commands.describe(name="Which list.", items="One item, or several with ; between.")
    @app_commands.autocomplete(name=names)
    async def add(
        interaction: Interaction,
        name: app_commands.Range[str, 1, 60],
        items: app_commands.Range[str, 1, 2_000],
    ) -> None:
        await interaction.response.defer(ephemeral=True)
        space = await _space(parts, interaction)
        try:
            shown = await notebook.add(space, name, items.split(";"), by=str(interaction.user.id))
        except NotesRefused as error:
            raise Refused(words_of(error)) from error
        await interaction.followup.send(embed=_embed(shown), ephemeral=True)

    @group.command(description="Take one item out of a list.")
    @app_commands.describe(name="Which list.", item="The item, or a piece of it.")
    @app_commands.autocomplete(name=names)
    async def remove(interaction: Interaction, name: str, item: str) -> None:
        await interaction.response.defer(ephemeral=True)
        try:
            shown, gone = await notebook.remove(await _space(parts, interaction), name, item)
        except NotesRefused as error:
            raise Refused(words_of(error)) from error
        said = told("Removed {gone}.", gone=escape_markdown(gone))
        await interaction.followup.send(shortened(said, 2_000), embed=_embed(shown), ephemeral=True)

    @group.command(description="Take every item out of a list.")
    @app_commands.describe(name="Which list.")
    @app_commands.autocomplete(name=names)
    async def clear(interaction: Interaction, name: str) -> None:
        await interaction.response.defer(ephemeral=True)
        try:
            kept, count = await notebook.clear(await _space(parts, interaction), name)
        except NotesRefused as error:
            raise Refused(words_of(error)) from error
        said = told("{kept} is empty now; items gone: {count}", kept=escape_markdown(kept.name), count=count)
        await interaction.followup.send(said, ephemeral=True)

    @group.command(description="Take a whole list away.")
    @app_commands.describe(name="Which list.")
    @app_commands.autocomplete(name=names)
    async def drop(interaction: Interaction, name: str) -> None:
        await interaction.response.defer(ephemeral=True)
        try:
            gone = await notebook.drop(await _space(parts, interaction), name)
        except NotesRefused as error:
            raise Refused(words_of(error)) from error
        await interaction.followup.send(
            told("{gone} is gone.", gone=escape_markdown(gone.name)), ephemeral=True
        )


def _names(
    parts: CommandParts, notebook: Notebook
) -> "app_commands.commands.AutocompleteCallback[app_commands.Group, str]":
    async def names(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
        lists = await notebook.lists(await _space(parts, interaction))
        wanted = current.casefold()
        found = [one.name for one in lists if wanted in one.name.casefold()]
        return [app_commands.Choice(name=name, value=name) for name in found[:_MOST_CHOICES]]

    return names


async def _space(parts: CommandParts, interaction: Interaction) -> Space:
    return reach_of((await parts.scene(interaction)).place).own


def _embed(shown: ShownList) -> discord.Embed:
    lines = "\n".join(f"- {escape_markdown(item.text)}" for item in shown.items) or told("It is empty.")
    return discord.Embed(title=shortened(shown.about.name, 250), description=shortened(lines, 4_000))
