"""`/memory`: what the bot remembers here, and who may change it (MEM-6).

Everybody sees what the bot would tell them here anyway. An entry is forgotten by who told it, by whom it is
about, by managers in their server and by the owner; the owner alone makes one general.
"""

import json
from itertools import chain
from typing import Final, cast

import discord
from discord import app_commands
from discord.utils import escape_markdown

from bot.discord_chat.commands.answering import AnyInteraction, Interaction, Refused
from bot.discord_chat.commands.form import Form
from bot.discord_chat.commands.parts import CommandParts, require, send_json, shortened, text_file
from bot.discord_chat.incoming_message import is_blank, turn_id_of
from bot.discord_chat.languages import told, words_of
from bot.discord_chat.readable_marks import readable
from core.sentences import sentence
from recipes.form_reading import FormReader, FormRefused
from recipes.memory.entries import MOST_SUMMARY, MOST_TEXT, MOST_TITLE, MemoryEntry
from recipes.memory.memory import Memory, Telling
from recipes.memory.memory_rules import MemoryRefused, may_read
from recipes.memory.personal_data import form_of_entry
from recipes.run_scene import RunScene, Standing
from recipes.spaces import SpaceKind, reach_of

_MOST_LISTED: Final = 40
_MOST_CHOICES: Final = 25
_MOST_BYTES: Final = 2_000_000
_MOST_IMPORTED: Final = 1_000
_SUGGESTED_TITLE: Final = 60
_MANAGERS: Final = sentence("Only the bot's owner and members with the Manage Server permission can do this.")


def add_memory_commands(parts: CommandParts, memory: Memory) -> None:
    """Add the group to the tree."""
    group = app_commands.Group(name="memory", description="What the bot remembers here.")
    _add_looking(group, parts, memory)
    _add_changing(group, parts, memory)
    _add_files(group, parts, memory)
    _add_menu(parts, memory)
    parts.tree.add_command(group)


def _add_looking(group: app_commands.Group, parts: CommandParts, memory: Memory) -> None:
    @group.command(name="list", description="List what is remembered here.")
    async def list_entries(interaction: Interaction) -> None:
        scene = await parts.scene(interaction)
        listed = await memory.listed(scene)
        lines = [_line(entry) for entry in listed.entries[-_MOST_LISTED:]]
        lines += [_line(entry) for entry in (await memory.preferences(scene))[-_MOST_LISTED:]]
        if len(listed.entries) > _MOST_LISTED or listed.more:
            lines.append(told("There is more; `/memory search` finds it."))
        text = (
            "\n".join(lines)
            if lines
            else told("Nothing is remembered here yet. `/memory add` adds something.")
        )
        embed = discord.Embed(title=told("Memory"), description=shortened(text, 4_000))
        await interaction.response.send_message(embed=embed, ephemeral=True)

    @group.command(description="Show an entry whole, and where it came from.")
    @app_commands.describe(entry="The id of the entry, such as m12.")
    async def show(interaction: Interaction, entry: str) -> None:
        found = await _found(parts, memory, interaction, entry)
        await interaction.response.send_message(embed=_card(found, interaction.guild_id), ephemeral=True)

    @group.command(description="Search what is remembered here, in any language.")
    @app_commands.describe(words="A few words of it.")
    async def search(interaction: Interaction, words: app_commands.Range[str, 1, 200]) -> None:
        await interaction.response.defer(ephemeral=True)
        hits = await memory.search(await parts.scene(interaction), words)
        text = "\n".join(map(_line, hits)) if hits else told("Nothing like that is remembered here.")
        await interaction.followup.send(
            embed=discord.Embed(title=told("Memory"), description=shortened(text, 4_000)), ephemeral=True
        )


def _add_changing(group: app_commands.Group, parts: CommandParts, memory: Memory) -> None:
    async def ids(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
        scene = await parts.scene(interaction)
        known = ((await memory.listed(scene)).entries, await memory.preferences(scene))
        wanted = current.casefold()
        fitting = [one for one in chain(*known) if wanted in f"{one.id} {one.title}".casefold()]
        return [
            app_commands.Choice(name=shortened(f"{one.id}: {one.title}", 100), value=one.id)
            for one in fitting[-_MOST_CHOICES:]
        ]

    @group.command(description="Remember something here.")
    async def add(interaction: Interaction) -> None:
        await interaction.response.send_modal(MemoryForm(memory, await parts.scene(interaction)))

    @group.command(description="Forget an entry.")
    @app_commands.describe(entry="The id of the entry, such as m12.")
    @app_commands.autocomplete(entry=ids)
    async def forget(interaction: Interaction, entry: str) -> None:
        await interaction.response.defer(ephemeral=True)
        scene = await parts.scene(interaction)
        found = await _found(parts, memory, interaction, entry)
        require(
            _may_forget(scene, found),
            told(
                "Only who told it, members with the Manage Server permission and the bot's owner can do this."
            ),
        )
        try:
            await memory.remove(found)
        except MemoryRefused as refused:
            raise Refused(words_of(refused)) from refused
        await interaction.followup.send(told("Forgot `{found}`.", found=found.id), ephemeral=True)

    @group.command(description="Let every persona know an entry, also in every place (the bot's owner).")
    @app_commands.describe(
        entry="The id of the entry, such as m12.", public="Every server and direct message may read it."
    )
    @app_commands.autocomplete(entry=ids)
    async def general(
        interaction: Interaction,
        entry: str,
        public: bool = False,  # noqa: FBT001, FBT002 - an option of the command
    ) -> None:
        await interaction.response.defer(ephemeral=True)
        require(parts.standing(interaction) is Standing.OWNER, told("Only the bot's owner can do this."))
        try:
            changed = await memory.make_general(entry.strip(), public=public)
        except MemoryRefused as refused:
            raise Refused(words_of(refused)) from refused
        where = told("in every place") if public else told("where it was told")
        await interaction.followup.send(
            told("Every persona knows `{changed}` now, {where}.", changed=changed.id, where=where),
            ephemeral=True,
        )


def _add_files(group: app_commands.Group, parts: CommandParts, memory: Memory) -> None:
    @group.command(description="Take out everything that this place remembers, as a file.")
    async def export(interaction: Interaction) -> None:
        scene = await parts.scene(interaction)
        require(_manages(scene), _MANAGERS)
        await interaction.response.defer(ephemeral=True)
        everything = await memory.everything(reach_of(scene.place).own)
        entries = [entry for entry in everything if entry.about in (None, str(interaction.user.id))]
        said = told("Entries: {count}", count=len(entries))
        await send_json(interaction, said, [form_of_entry(entry) for entry in entries], "memory")

    @group.command(name="import", description="Remember here what a file holds that was exported.")
    @app_commands.describe(file="A JSON file of `/memory export`.")
    async def import_entries(interaction: Interaction, file: discord.Attachment) -> None:
        scene = await parts.scene(interaction)
        require(_manages(scene), _MANAGERS)
        await interaction.response.defer(ephemeral=True)
        added, refused = 0, 0
        for telling in await _tellings(file):
            try:
                await memory.remember(scene, telling)
            except MemoryRefused:
                refused += 1
            else:
                added += 1
        left_out = (
            told(" {refused} were left out: known already, too long, or like a secret.", refused=refused)
            if refused
            else ""
        )
        await interaction.followup.send(
            told("Remembered {added} entries.{left_out}", added=added, left_out=left_out), ephemeral=True
        )


def _add_menu(parts: CommandParts, memory: Memory) -> None:
    """The menu "Remember this" of a message: its words in the form, for the person to agree."""

    async def remember(interaction: Interaction, message: discord.Message) -> None:
        text = readable(message.clean_content).strip()
        if is_blank(text):
            raise Refused(told("There are no words in that message."))
        words = " ".join(text.split())
        suggested = Telling(
            title=shortened(words, min(MOST_TITLE, _SUGGESTED_TITLE)),
            summary=shortened(words, MOST_SUMMARY),
            text=shortened(text, MOST_TEXT),
            turn_id=turn_id_of(message.id),
        )
        form = MemoryForm(memory, await parts.scene(interaction), suggested)
        await interaction.response.send_modal(form)

    parts.tree.add_command(app_commands.ContextMenu(name="Remember this", callback=remember))


class MemoryForm(Form):
    """An entry, written by hand."""

    def __init__(self, memory: Memory, scene: RunScene, suggested: Telling | None = None) -> None:
        super().__init__(title=told("Remember"))
        self._memory = memory
        self._scene = scene
        self._turn_id = None if suggested is None else suggested.turn_id
        begun = suggested or Telling(title="", summary="", text="")
        self._title = self._field(told("Title"), "title", MOST_TITLE, begun.title)
        self._summary = self._field(told("Summary"), "summary", MOST_SUMMARY, begun.summary)
        self._text = self._field(told("Text"), "text", MOST_TEXT, begun.text, long=True)

    def _field(
        self, label: str, name: str, most: int, begun: str, *, long: bool = False
    ) -> "discord.ui.TextInput[MemoryForm]":
        field = discord.ui.TextInput[MemoryForm](
            custom_id=name,
            style=discord.TextStyle.paragraph if long else discord.TextStyle.short,
            max_length=most,
            default=begun or None,
        )
        self.add_item(discord.ui.Label(text=label, component=field))
        return field

    async def on_submit(self, interaction: AnyInteraction) -> None:
        """Keep it, or hand back what was typed."""
        telling = Telling(
            title=self._title.value,
            summary=self._summary.value,
            text=self._text.value,
            turn_id=self._turn_id,
        )
        await interaction.response.defer(ephemeral=True, thinking=True)
        try:
            entry = await self._memory.remember(self._scene, telling)
        except MemoryRefused as refused:
            note = told("Not kept. {refused} Here is what you wrote.", refused=refused)
            file = text_file(f"{telling.title}\n{telling.summary}\n\n{telling.text}", "memory.txt")
            await interaction.followup.send(note, file=file, ephemeral=True)
            return
        await interaction.followup.send(told("Remembered as `{entry}`.", entry=entry.id), ephemeral=True)


async def _found(
    parts: CommandParts, memory: Memory, interaction: AnyInteraction, entry_id: str
) -> MemoryEntry:
    """An entry that exists for this person here."""
    scene = await parts.scene(interaction)
    found = await memory.find(entry_id.strip())
    own = scene.speaker is not None and found is not None and found.about == scene.speaker.id
    seen = found is not None and may_read(found, reach_of(scene.place), scene.persona)
    if found is None or not seen or (found.about is not None and not own):
        raise Refused(told("There is no entry of that id here; `/memory list` names them."))
    return found


def _may_forget(scene: RunScene, entry: MemoryEntry) -> bool:
    if scene.standing is Standing.OWNER:
        return True
    if entry.space not in reach_of(scene.place).readable:
        return False
    person = "" if scene.speaker is None else scene.speaker.id
    is_theirs = person in (entry.provenance.speaker_id, entry.about)
    return is_theirs or scene.standing is Standing.MANAGER or scene.place.direct_with == person


def _manages(scene: RunScene) -> bool:
    """In direct messages everybody keeps their own."""
    return scene.standing is not Standing.MEMBER or scene.place.guild_id is None


def _line(entry: MemoryEntry) -> str:
    title, summary = escape_markdown(entry.title), escape_markdown(entry.summary)
    return f"`{entry.id}` **{title}**: {summary}"


def _card(entry: MemoryEntry, guild_id: int | None) -> discord.Embed:
    embed = discord.Embed(title=f"{entry.id}: {entry.title}", description=shortened(entry.text, 4_000))
    source = entry.provenance
    if source.speaker_name:
        embed.add_field(name=told("Told by"), value=escape_markdown(source.speaker_name))
    if (link := _link(entry, guild_id)) is not None:
        embed.add_field(name=told("Where"), value=link)
    embed.add_field(name=told("When"), value=discord.utils.format_dt(entry.created_at))
    holds = (
        told("every persona") if entry.persona is None else told("persona {persona}", persona=entry.persona)
    )
    embed.set_footer(text=f"{holds}, {told('every place') if entry.public else told(entry.space.kind.value)}")
    return embed


def _link(entry: MemoryEntry, guild_id: int | None) -> str | None:
    """The message that it came from, or the channel in which it was spoken.

    `guild_id`: where it is shown; what belongs to a private channel is shown in its own server alone.
    """
    channel = entry.provenance.session_id.removeprefix("discord:channel:")
    message = (entry.provenance.turn_id or "").removeprefix("discord:message:")
    if not channel.isdecimal():
        return None
    of_direct = entry.space.kind is SpaceKind.DIRECT
    guild = entry.space.id if entry.space.kind is SpaceKind.GUILD else "@me" if of_direct else guild_id
    place = f"https://discord.com/channels/{guild}/{channel}"
    return f"{place}/{message}" if message.isdecimal() else place


async def _tellings(file: discord.Attachment) -> list[Telling]:
    if file.size > _MOST_BYTES:
        raise Refused(told("The file is too large for entries."))
    try:
        document: object = json.loads((await file.read()).decode())
    except (discord.HTTPException, ValueError, RecursionError) as error:
        raise Refused(told("The file cannot be read; it must be JSON in UTF-8.")) from error
    if not isinstance(document, list):
        raise Refused(told("The file holds no list of entries."))
    forms = cast("list[object]", document)[:_MOST_IMPORTED]
    try:
        return [_telling(FormReader(form, f"entry {number}")) for number, form in enumerate(forms, 1)]
    except FormRefused as error:
        raise Refused(words_of(error)) from error


def _telling(form: FormReader) -> Telling:
    """Facts only: a preference is a person's own, and no file speaks for them."""
    return Telling(title=form.text("title"), summary=form.text("summary"), text=form.text("text"))
