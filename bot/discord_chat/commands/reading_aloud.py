"""The menu "Read aloud": in the call where the person is, else a sound file for them alone (CMD-1)."""

from io import BytesIO
from typing import Final, Protocol

import discord
from discord import app_commands

from bot.discord_chat.commands.answering import CommandTree, Interaction, Refused
from bot.discord_chat.incoming_message import is_blank
from bot.discord_chat.languages import told
from bot.discord_chat.voice_access_rules import Present
from core.sentences import sentence
from voice import (
    SpeechFailed,
)

_MOST_READ: Final = 2_000
_NOTHING: Final = sentence("There is nothing in this message that can be read aloud.")


class Reads(Protocol):
    """Makes the sound of a text."""

    async def sound_of(self, text: str) -> bytes | None:
        """Ogg Opus; None where nothing has a sound. Raises `SpeechFailed`."""
        ...


class Says(Protocol):
    """A talk that goes on."""

    async def say(self, text: str, *, asked_by: int) -> bool: ...


class Talks(Protocol):
    """The talks of the process."""

    def control_of(self, guild_id: int) -> Says | None: ...


class Rooms(Protocol):
    """Where the bot is."""

    def present(self, guild_id: int) -> Present | None: ...


def add_reading_menu(tree: CommandTree, reads: Reads, talks: Talks, rooms: Rooms | None) -> None:
    """Add the menu to `tree`."""

    async def read_aloud(interaction: Interaction, message: discord.Message) -> None:
        text = message.clean_content[:_MOST_READ]
        if is_blank(text):
            raise Refused(_NOTHING)
        talk = _talk_with(interaction, talks, rooms)
        if talk is not None and await talk.say(text, asked_by=interaction.user.id):
            await interaction.response.send_message(told("I read it to you."), ephemeral=True)
            return
        await interaction.response.defer(ephemeral=True)
        try:
            sound = await reads.sound_of(text)
        except SpeechFailed as failed:
            raise Refused(failed.advice) from failed
        if sound is None:
            raise Refused(_NOTHING)
        await interaction.followup.send(file=discord.File(BytesIO(sound), "message.ogg"), ephemeral=True)

    tree.add_command(app_commands.ContextMenu(name="Read aloud", callback=read_aloud))


def _talk_with(interaction: Interaction, talks: Talks, rooms: Rooms | None) -> Says | None:
    """The talk in whose channel the person is."""
    member = interaction.user
    if rooms is None or interaction.guild_id is None or not isinstance(member, discord.Member):
        return None
    present = rooms.present(interaction.guild_id)
    here = None if member.voice is None or member.voice.channel is None else member.voice.channel.id
    if present is None or here != present.channel_id:
        return None
    return talks.control_of(interaction.guild_id)
