"""`/voice voice|language`: how the bot sounds in a voice channel, and what is spoken there (VOX-19)."""

import asyncio
import re
from typing import Final, Protocol

from discord import app_commands

from bot.discord_chat.commands.answering import Interaction, Refused, require_manager
from bot.discord_chat.commands.voice import NOWHERE, asking_of
from bot.discord_chat.languages import told
from bot.discord_chat.voice_access_rules import Present
from core.sentences import sentence

_LONGEST_NAME: Final = 64
_MOST_OFFERED: Final = 25
_USUAL: Final = "default"
_RECOGNISED: Final = "auto"
_CODE: Final = re.compile(r"[a-z]{2,3}")
_OFTEN_SPOKEN: Final = (
    "en",
    "zh",
    "ja",
    "ko",
    "de",
    "es",
    "fr",
    "it",
    "pt",
    "ru",
    "pl",
    "nl",
    "tr",
    "uk",
    "vi",
)


class Rooms(Protocol):
    """Where the bot is."""

    def present(self, guild_id: int) -> Present | None: ...


class VoiceChoice(Protocol):
    """The voices of channels."""

    @property
    def voice_names(self) -> tuple[str, ...]: ...
    async def voice(self, guild_id: int, channel_id: int) -> str | None: ...
    async def choose_voice(self, guild_id: int, channel_id: int, name: str | None) -> bool:
        """False when there is no such voice."""
        ...

    async def language(self, guild_id: int, channel_id: int) -> str | None: ...
    async def choose_language(self, guild_id: int, channel_id: int, language: str | None) -> None: ...


def add_voice_choice(group: app_commands.Group, rooms: Rooms, voices: VoiceChoice) -> None:
    """Add the commands to `/voice`."""
    _add_voice(group, rooms, voices)
    _add_language(group, rooms, voices)


def _place_of(interaction: Interaction, rooms: Rooms, *, changes: bool) -> tuple[int, int]:
    """The server and the channel in which the bot is; a change is for managers."""
    guild_id, _ = asking_of(interaction)
    where = rooms.present(guild_id)
    if where is None:
        raise Refused(NOWHERE)
    if changes:
        require_manager(interaction)
    return guild_id, where.channel_id


def _add_voice(group: app_commands.Group, rooms: Rooms, voices: VoiceChoice) -> None:
    async def offered(_: Interaction, typed: str) -> list[app_commands.Choice[str]]:
        names = (_USUAL, *await asyncio.to_thread(lambda: voices.voice_names))
        fitting = [name for name in names if typed.lower() in name.lower()]
        return [app_commands.Choice(name=name, value=name) for name in fitting[:_MOST_OFFERED]]

    @group.command(description="Show or choose the voice in which the bot speaks here (managers choose).")
    @app_commands.describe(name="Which voice; without it the present one is shown.")
    @app_commands.autocomplete(name=offered)
    async def voice(
        interaction: Interaction, name: app_commands.Range[str, 1, _LONGEST_NAME] | None = None
    ) -> None:
        guild_id, channel_id = _place_of(interaction, rooms, changes=name is not None)
        await interaction.response.defer(ephemeral=True)
        if name is not None:
            wanted = None if name == _USUAL else name
            if not await voices.choose_voice(guild_id, channel_id, wanted):
                raise Refused(
                    sentence("I have no voice of that name. `/voice voice` offers those that I know of.")
                )
        chosen = await voices.voice(guild_id, channel_id)
        if chosen is None:
            said = told("I speak in my usual voice here.")
        else:
            said = told("I speak here in the voice `{name}`.", name=chosen.replace("`", ""))
        await interaction.followup.send(said, ephemeral=True)


def _add_language(group: app_commands.Group, rooms: Rooms, voices: VoiceChoice) -> None:
    async def languages(_: Interaction, typed: str) -> list[app_commands.Choice[str]]:
        fitting = [one for one in (_RECOGNISED, *_OFTEN_SPOKEN) if typed.lower() in one]
        return [app_commands.Choice(name=one, value=one) for one in fitting]

    @group.command(description="Show or choose the language that is spoken here (managers choose).")
    @app_commands.describe(name="Its code, as en or ja; auto: whichever is spoken.")
    @app_commands.autocomplete(name=languages)
    async def language(
        interaction: Interaction, name: app_commands.Range[str, 1, _LONGEST_NAME] | None = None
    ) -> None:
        guild_id, channel_id = _place_of(interaction, rooms, changes=name is not None)
        if name is not None and name != _RECOGNISED and not _CODE.fullmatch(name):
            raise Refused(
                sentence("A language is named by its code, as `en` or `ja`; `auto`: whichever is spoken.")
            )
        await interaction.response.defer(ephemeral=True)
        if name is not None:
            await voices.choose_language(guild_id, channel_id, None if name == _RECOGNISED else name)
        pinned = await voices.language(guild_id, channel_id)
        if pinned is None:
            said = told("I understand whichever language is spoken here, and answer in it.")
        else:
            said = told("I understand and speak `{language}` here.", language=pinned)
        await interaction.followup.send(said, ephemeral=True)
