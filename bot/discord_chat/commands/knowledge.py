"""`/knowledge`: the files that the bot may be asked about here, kept by who manages the place (MEM-8)."""

from typing import Final

import discord
from discord import app_commands
from discord.utils import escape_markdown

from bot.discord_chat.attachment_rules import AttachmentKind, kind_of
from bot.discord_chat.commands.answering import Interaction, Refused
from bot.discord_chat.commands.parts import CommandParts, require, shortened
from bot.discord_chat.incoming_message import IncomingAttachment
from bot.discord_chat.languages import told, words_of
from bot.discord_chat.text_decoding import decoded
from core.sentences import sentence
from recipes.knowledge.documents import Document
from recipes.knowledge.knowledge import Knowledge, KnowledgeRefused
from recipes.run_scene import RunScene, Standing

_MOST_BYTES: Final = 200_000  # what is longer in any encoding has more characters than are kept
_MOST_CHOICES: Final = 25
_MANAGERS: Final = sentence("Only the bot's owner and members with the Manage Server permission can do this.")
_UNREADABLE: Final = sentence(
    "Only text and Markdown files can be kept; a PDF has to be made into text first."
)
_TOO_LARGE: Final = sentence("The file is too large; at most {size} kB are read.", size=_MOST_BYTES // 1_000)


def add_knowledge_commands(parts: CommandParts, knowledge: Knowledge) -> None:
    """Add the group to the tree."""
    group = app_commands.Group(name="knowledge", description="Files that I answer from here.")

    async def ids(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
        try:
            documents = await knowledge.documents(await _managed(parts, interaction))
        except Refused:
            return []
        wanted = current.casefold()
        fitting = [one for one in documents if wanted in f"{one.id} {one.name}".casefold()]
        return [
            app_commands.Choice(name=shortened(f"{one.id}: {one.name}", 100), value=one.id)
            for one in fitting[:_MOST_CHOICES]
        ]

    @group.command(description="Let me answer here from a text or Markdown file.")
    @app_commands.describe(file="A text or Markdown file.")
    async def add(interaction: Interaction, file: discord.Attachment) -> None:
        scene = await _managed(parts, interaction)
        await interaction.response.defer(ephemeral=True)
        try:
            document = await knowledge.add(scene, file.filename, await _text_of(file))
        except KnowledgeRefused as refused:
            raise Refused(words_of(refused)) from refused
        said = told("Kept as {document}; ask me about it here.", document=_line(document))
        await interaction.followup.send(said, ephemeral=True)

    @group.command(name="list", description="List the files that I answer from here.")
    async def list_documents(interaction: Interaction) -> None:
        documents = await knowledge.documents(await _managed(parts, interaction))
        text = "\n".join(map(_line, documents)) or told("There are no files here; `/knowledge add` adds one.")
        embed = discord.Embed(title=told("Files"), description=shortened(text, 4_000))
        await interaction.response.send_message(embed=embed, ephemeral=True)

    @group.command(description="Forget a file.")
    @app_commands.describe(file="The id of the file, such as k2.")
    @app_commands.autocomplete(file=ids)
    async def remove(interaction: Interaction, file: str) -> None:
        await interaction.response.defer(ephemeral=True)
        try:
            gone = await knowledge.remove(await _managed(parts, interaction), file)
        except KnowledgeRefused as refused:
            raise Refused(words_of(refused)) from refused
        said = told("{document} is gone.", document=_line(gone))
        await interaction.followup.send(said, ephemeral=True)

    parts.tree.add_command(group)


async def _managed(parts: CommandParts, interaction: Interaction) -> RunScene:
    """The scene, for who manages it; in direct messages everybody manages their own.

    Raises:
        Refused: they do not.
    """
    scene = await parts.scene(interaction)
    require(scene.standing is not Standing.MEMBER or scene.place.guild_id is None, told(_MANAGERS))
    return scene


async def _text_of(file: discord.Attachment) -> str:
    about = IncomingAttachment(name=file.filename, url=file.url, size=file.size, media_type=file.content_type)
    if kind_of(about) is not AttachmentKind.TEXT:
        raise Refused(told(_UNREADABLE))
    if file.size > _MOST_BYTES:
        raise Refused(told(_TOO_LARGE))
    try:
        text = decoded(await file.read(), file.content_type)
    except discord.HTTPException as error:
        raise Refused(told("The file could not be fetched. Please try again.")) from error
    if text is None:
        raise Refused(told(_UNREADABLE))
    return text


def _line(document: Document) -> str:
    return told(
        "`{id}` **{name}** ({pieces} pieces)",
        id=document.id,
        name=escape_markdown(document.name),
        pieces=document.pieces,
    )
