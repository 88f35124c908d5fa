"""`/voice voice`: in which voice the bot speaks in a voice channel (CMD-1, VOX-22)."""

import asyncio
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


def add_voice_choice(group: app_commands.Group, rooms: Rooms, voices: VoiceChoice) -> None:
    """Add the command to `/voice`."""

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
        guild_id, _ = asking_of(interaction)
        where = rooms.present(guild_id)
        if where is None:
            raise Refused(NOWHERE)
        if name is not None:
            require_manager(interaction)
        await interaction.response.defer(ephemeral=True)
        if name is not None:
            wanted = None if name == _USUAL else name
            if not await voices.choose_voice(guild_id, where.channel_id, wanted):
                raise Refused(
                    sentence("I have no voice of that name. `/voice voice` offers those that I know of.")
                )
        chosen = await voices.voice(guild_id, where.channel_id)
        if chosen is None:
            said = told("I speak in my usual voice here.")
        else:
            said = told("I speak here in the voice `{name}`.", name=chosen.replace("`", ""))
        await interaction.followup.send(said, ephemeral=True)
