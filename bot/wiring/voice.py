"""core -> voice channels: the calls of Discord, the rooms over them, their commands."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta

import structlog

from bot.discord_chat.channels import Channels
from bot.discord_chat.client import ParleyClient
from bot.discord_chat.commands.voice import add_voice_commands
from bot.discord_chat.commands.voice_choice import add_voice_choice
from bot.discord_chat.commands.voice_talk import add_talk_commands
from bot.discord_chat.voice_choices import VoiceChoices
from bot.discord_chat.voice_places import VoicePlaces
from bot.discord_chat.voice_recorder import VoiceRecorder
from bot.discord_chat.voice_rooms import VoiceRooms
from bot.media_folder import MediaFolder
from bot.voice_scenes.voice_talks import VoiceTalks
from bot.wiring.core import Core
from voice import (
    OpusMissing,
)
from voice.transport.link import DiscordCalls
from voice.transport.settings import TransportSettings

_log = structlog.get_logger()
_LEAVE_WITHIN_S = 1.5
"""A stop has 10 s for everything (SET-3)."""


@asynccontextmanager
async def running_voice(
    core: Core, client: ParleyClient, channels: Channels, choices: VoiceChoices, talks: VoiceTalks
) -> AsyncGenerator[VoiceRooms | None]:
    """The rooms, joined to the client; the end of the block leaves every channel.

    None where voice is switched off, or where this machine has no libopus, which is said in one line.
    """
    settings = core.settings.voice_rooms
    async with AsyncExitStack() as stack:
        rooms = None
        if settings.enabled:
            transport = TransportSettings(
                leave_when_alone_s=settings.leave_when_alone_s or None,
                leave_wait_s=_LEAVE_WITHIN_S,
                sender_reports=settings.sender_reports,
            )
            calls = DiscordCalls(client, settings=transport, ssl=client.trust())
            try:
                await stack.enter_async_context(calls)
            except OpusMissing:
                _log.warning("no voice: libopus is missing; `python -m bot doctor` says how to get it")
            else:
                rooms = VoiceRooms(
                    calls=calls,
                    places=VoicePlaces(client),
                    channels=channels,
                    choices=choices,
                    recorder=await _recorder(core, channels),
                    attendant=talks,
                )
                await stack.enter_async_context(rooms)
                client.attach_voice(rooms)
                group = add_voice_commands(client.tree, rooms)
                add_talk_commands(group, rooms, talks)
                add_voice_choice(group, rooms, talks)
        yield rooms


async def _recorder(core: Core, channels: Channels) -> VoiceRecorder:
    settings = core.settings.voice_rooms
    folder = core.settings.storage.data_dir / "recordings"
    kept = MediaFolder(
        folder,
        most_bytes=settings.recordings_mb * 1024 * 1024,
        keep_for=timedelta(days=settings.recordings_days),
    )
    await kept.prepare()
    return VoiceRecorder(
        folder=folder,
        kept=kept,
        kept_days=settings.recordings_days,
        channels=channels,
        most_s=settings.recording_minutes * 60,
    )
