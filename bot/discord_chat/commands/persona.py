"""`/persona`: who the bot is here (CORE-44). A change acts on the next reply."""

from io import BytesIO

import discord
from discord import app_commands

from bot.discord_chat.commands.answering import (
    CommandTree,
    Interaction,
    Refused,
    Where,
    plain,
    require_manager,
    require_owner,
    scene_of,
    scope_of,
)
from bot.discord_chat.commands.form import Form
from bot.discord_chat.languages import speaking_to_all, told
from bot.personas.persona_folder import DEFAULT_KEY, PersonaFile, PersonaFolder
from bot.personas.persona_text import MOST_CHARACTERS, PersonaRefused
from bot.personas.scene_personas import PersonaChoice, ScenePersonas

_MOST_CHOICES = 25  # Discord: of an autocomplete
_MOST_LISTED = 50
_FITS_A_MESSAGE = 1_800


def add_persona_commands(tree: CommandTree, personas: ScenePersonas) -> None:
    """Add the group to `tree`."""
    group = app_commands.Group(name="persona", description="Who the bot is, here or in the whole server.")
    folder = personas.folder

    async def known_names(_: Interaction, current: str) -> list[app_commands.Choice[str]]:
        wanted = current.casefold()
        found = [key for key in await folder.keys() if wanted in key.casefold()]
        return [app_commands.Choice(name=key, value=key) for key in found[:_MOST_CHOICES]]

    @group.command(name="list", description="List the personas and say which one holds here.")
    async def list_personas(interaction: Interaction) -> None:
        await interaction.response.defer(ephemeral=True)
        choice = await personas.choice(scene_of(interaction))
        await interaction.followup.send(await _listed(folder, choice), ephemeral=True)

    @group.command(description="Show the text of a persona, or of the one that holds here.")
    @app_commands.describe(name="Which persona; without a name the one of this channel.")
    @app_commands.autocomplete(name=known_names)
    async def show(interaction: Interaction, name: str | None = None) -> None:
        require_manager(interaction)
        await interaction.response.defer(ephemeral=True)
        key = name or (await personas.choice(scene_of(interaction))).key
        found = await folder.look(key)
        if found is None:
            raise Refused(told("There is no persona `{key}`; `/persona list` names them.", key=plain(key)))
        note = (
            told("`{key}` cannot be used: {problem}. ", key=key, problem=found.problem)
            if found.problem
            else f"`{key}`: "
        )
        await _send_text(interaction, note, found.source, file_name=f"{key}.md")

    @group.command(name="set", description="Choose the persona of this channel or of the whole server.")
    @app_commands.describe(
        name="Which persona; without a name the choice is taken back.",
        where="For this channel alone, or for all channels of the server that have no choice of their own.",
    )
    @app_commands.autocomplete(name=known_names)
    async def set_persona(
        interaction: Interaction, name: str | None = None, where: Where = "channel"
    ) -> None:
        require_manager(interaction)
        binding = scene_of(interaction)
        scope = scope_of(binding, where)
        if name is not None:  # before it is put off: what is refused is told to the person alone
            _require_usable(name, await folder.look(name))
        await interaction.response.defer(ephemeral=False)
        await personas.choose(scope, name)
        choice = await personas.choice(binding)
        with speaking_to_all(interaction):
            said = told(
                "From the next reply on I am **{persona}** here (`{key}`, {chosen}).",
                persona=choice.persona.name,
                key=choice.key,
                chosen=choice.chosen,
            )
        await interaction.followup.send(said)

    @group.command(description="Write or change a persona (the bot's owner).")
    @app_commands.describe(name="Which persona; a new name makes a new one.")
    @app_commands.autocomplete(name=known_names)
    async def edit(interaction: Interaction, name: str) -> None:
        require_owner(interaction)
        found = await folder.look(name)
        text = "" if found is None else found.source
        if len(text) > MOST_CHARACTERS:
            raise Refused(
                told(
                    "`{name}` is too long for a form; shorten its file in the data folder.", name=plain(name)
                )
            )
        await interaction.response.send_modal(PersonaForm(folder, name, text))

    tree.add_command(group)


class PersonaForm(Form):
    """The text of a persona, to be changed."""

    def __init__(self, folder: PersonaFolder, key: str, text: str) -> None:
        super().__init__(title=told("Persona {key}", key=key))
        self._folder = folder
        self._key = key
        self._text = discord.ui.TextInput[PersonaForm](
            style=discord.TextStyle.paragraph, default=text, max_length=MOST_CHARACTERS
        )
        self.add_item(
            discord.ui.Label(
                text=told("Who the bot is"),
                description=told("Markdown: identity, personality, style. {name} stands for the name."),
                component=self._text,
            )
        )

    async def on_submit(self, interaction: discord.Interaction[discord.Client]) -> None:
        """Keep it, or hand back what was typed."""
        typed = self._text.value
        await interaction.response.defer(ephemeral=True, thinking=True)
        try:
            persona = await self._folder.keep(self._key, typed)
        except PersonaRefused as refused:
            note = told("Not kept: {refused}. Here is your text, so that it is not lost.", refused=refused)
            await interaction.followup.send(note, file=_file(typed, f"{self._key}.md"), ephemeral=True)
            return
        await interaction.followup.send(
            told(
                "Kept. From the next reply on this is **{persona}** (`{key}`).",
                persona=persona.name,
                key=self._key,
            ),
            ephemeral=True,
        )


async def _listed(folder: PersonaFolder, choice: PersonaChoice) -> str:
    lines = [
        told(
            "Here I am **{persona}** (`{key}`, {chosen}).",
            persona=choice.persona.name,
            key=choice.key,
            chosen=choice.chosen,
        )
    ]
    keys = await folder.keys()
    for key in keys[:_MOST_LISTED]:
        found = await folder.look(key)
        problem = (
            told(": cannot be used, {problem}", problem=found.problem)
            if found is not None and found.problem
            else ""
        )
        lines.append(f"- `{key}`{problem}")
    if len(keys) > _MOST_LISTED:
        lines.append(told("- and {count} more", count=len(keys) - _MOST_LISTED))
    return "\n".join(lines)[:2_000]


def _require_usable(key: str, found: PersonaFile | None) -> None:
    if found is None and key != DEFAULT_KEY:
        raise Refused(told("There is no persona `{key}`; `/persona list` names them.", key=plain(key)))
    if found is not None and found.persona is None:
        raise Refused(told("`{key}` cannot be used: {problem}.", key=plain(key), problem=found.problem))


async def _send_text(interaction: Interaction, note: str, text: str, *, file_name: str) -> None:
    if len(text) <= _FITS_A_MESSAGE and "```" not in text:
        await interaction.followup.send(f"{note}\n```md\n{text}\n```", ephemeral=True)
    else:
        await interaction.followup.send(note, file=_file(text, file_name), ephemeral=True)


def _file(text: str, name: str) -> discord.File:
    return discord.File(BytesIO(text.encode()), filename=name)
