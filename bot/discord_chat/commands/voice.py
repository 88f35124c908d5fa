"""`/summon` and `/voice`: the bot comes into a voice channel and goes (CMD-1, VOX-7, VOX-9)."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import TypeAlias

import discord
from discord import app_commands

from bot.discord_chat.commands.answering import (
    CommandTree,
    Interaction,
    Refused,
    is_manager,
    require_manager,
)
from bot.discord_chat.languages import told, words_of
from bot.discord_chat.voice_access_rules import Asking, VoiceRefused, channel_to_join, require_may_dismiss
from bot.discord_chat.voice_report import voice_report
from bot.discord_chat.voice_rooms import VoiceRooms
from core.sentences import sentence

_Room: TypeAlias = discord.VoiceChannel | discord.StageChannel
_OPTED_OUT = sentence(
    "From now on I drop your sound unheard, in every server. `/voice optout on:False` takes it back."
)
NOWHERE = sentence("I am in no voice channel here; `/summon` calls me to where you are.")


def add_voice_commands(tree: CommandTree, rooms: VoiceRooms) -> app_commands.Group:
    """Add `/summon` and `/voice` to `tree`; the group may get more subcommands until commands are synced."""
    group = app_commands.Group(name="voice", description="The bot in a voice channel.", guild_only=True)

    async def come(interaction: Interaction, wanted: _Room | None) -> None:
        guild_id, asking = asking_of(interaction)
        with refused_in_words():
            channel_id = channel_to_join(asking, wanted and wanted.id, rooms.bound_for(guild_id))
            await interaction.response.defer(ephemeral=True)
            await rooms.join(guild_id, channel_id)
        await interaction.followup.send(
            told("I am in <#{channel_id}>.", channel_id=channel_id), ephemeral=True
        )

    @tree.command(description="Call the bot into the voice channel that you are in.")
    @app_commands.guild_only()
    async def summon(interaction: Interaction) -> None:
        await come(interaction, None)

    @group.command(description="Call the bot into a voice channel.")
    @app_commands.describe(channel="Which one; without it the one that you are in.")
    async def join(interaction: Interaction, channel: _Room | None = None) -> None:
        await come(interaction, channel)

    @group.command(description="Send the bot out of its voice channel; it does not come back by itself.")
    async def leave(interaction: Interaction) -> None:
        guild_id, asking = asking_of(interaction)
        with refused_in_words():
            require_may_dismiss(asking, rooms.bound_for(guild_id))
        await interaction.response.defer(ephemeral=True)
        await rooms.leave(guild_id)
        await interaction.followup.send(told("I left. `/summon` brings me back."), ephemeral=True)

    @group.command(description="Keep the bot in its voice channel, alone and after a restart (managers).")
    @app_commands.describe(on="Off: it leaves when it is alone, and does not come back after a restart.")
    async def stay(interaction: Interaction, on: bool = True) -> None:  # noqa: FBT001, FBT002 - the option's name
        require_manager(interaction)
        guild_id, _ = asking_of(interaction)
        present = rooms.present(guild_id)
        if on and present is None:
            raise Refused(NOWHERE)
        await interaction.response.defer(ephemeral=True)
        await rooms.stay(guild_id, wanted=on)
        said = (
            told("I stay in <#{channel_id}> until I am sent away.", channel_id=present.channel_id)
            if on and present
            else told("I do not stay.")
        )
        await interaction.followup.send(said, ephemeral=True)

    @group.command(description="Have your sound dropped unheard, in every server.")
    @app_commands.describe(on="Off: be heard again.")
    async def optout(interaction: Interaction, on: bool = True) -> None:  # noqa: FBT001, FBT002 - the option's name
        await interaction.response.defer(ephemeral=True)
        await rooms.opt_out(interaction.user.id, wanted=on)
        await interaction.followup.send(told(_OPTED_OUT) if on else told("I hear you again."), ephemeral=True)

    @group.command(description="Show how the voice connection stands, and what is heard of whom.")
    async def doctor(interaction: Interaction) -> None:
        guild_id, _ = asking_of(interaction)
        call = rooms.statistics(guild_id)
        said = told(NOWHERE) if call is None else voice_report(call, rooms.hindrances(guild_id))
        await interaction.response.send_message(said, ephemeral=True)

    _add_recording(group, rooms)
    tree.add_command(group)
    return group


def _add_recording(group: app_commands.Group, rooms: VoiceRooms) -> None:
    record = app_commands.Group(name="record", description="Record the call.", parent=group)

    @record.command(name="start", description="Record this call, a file for each speaker (managers).")
    async def start_recording(interaction: Interaction) -> None:
        require_manager(interaction)
        guild_id, asking = asking_of(interaction)
        await interaction.response.defer(ephemeral=True)
        with refused_in_words():
            await rooms.record(guild_id, asked_by=asking.user_id)
        await interaction.followup.send(told("I record, and told so in the channel's chat."), ephemeral=True)

    @record.command(name="stop", description="End the recording and post it in the channel's chat.")
    async def stop_recording(interaction: Interaction) -> None:
        guild_id, asking = asking_of(interaction)
        with refused_in_words():
            require_may_dismiss(asking, rooms.present(guild_id))
            rooms.stop_recording(guild_id)
        said = told("I stop recording; the files come in the channel's chat.")
        await interaction.response.send_message(said, ephemeral=True)


def asking_of(interaction: Interaction) -> tuple[int, Asking]:
    """The server, and who asks; refuses outside of servers."""
    if interaction.guild_id is None or not isinstance(interaction.user, discord.Member):
        raise Refused(told("This works in a server only."))
    voice = interaction.user.voice
    asking = Asking(
        user_id=interaction.user.id,
        in_channel_id=None if voice is None or voice.channel is None else voice.channel.id,
        is_manager=is_manager(interaction),
    )
    return interaction.guild_id, asking


@contextmanager
def refused_in_words() -> Generator[None]:
    """What the rules of voice refuse is answered in their words."""
    try:
        yield
    except VoiceRefused as refused:
        raise Refused(words_of(refused)) from refused
