"""The places of scenes as discord.py has them cached: server, channel, topic (CORE-22)."""

import discord

from core.conversation.turns import Speaker
from core.prompts.scene import RoomKind, SceneFacts
from sessions.bindings import ChannelBinding, read_binding


class DiscordDirectory:
    """Answers from the cache alone, so a run waits for nothing."""

    def __init__(self, client: discord.Client, *, time_zone: str) -> None:
        self._client = client
        self._time_zone = time_zone

    def facts(self, session_id: str, participants: tuple[Speaker, ...]) -> SceneFacts | None:
        """What is known of the scene's channel."""
        binding = read_binding(session_id)
        if not isinstance(binding, ChannelBinding):
            return None
        channel = self._client.get_channel(binding.channel_id)
        if isinstance(channel, discord.abc.GuildChannel | discord.Thread):
            return SceneFacts(
                kind=_kind(channel),
                time_zone=self._time_zone,
                server=channel.guild.name,
                channel=channel.name,
                topic=channel.topic if isinstance(channel, discord.TextChannel) else None,
                participants=participants,
            )
        return SceneFacts(kind=RoomKind.DIRECT_MESSAGE, time_zone=self._time_zone, participants=participants)


def _kind(channel: discord.abc.GuildChannel | discord.Thread) -> RoomKind:
    match channel:
        case discord.Thread(parent=discord.ForumChannel()):
            return RoomKind.FORUM_POST
        case discord.Thread():
            return RoomKind.THREAD
        case discord.VoiceChannel() | discord.StageChannel():
            return RoomKind.VOICE_CHANNEL
        case _:
            return RoomKind.TEXT_CHANNEL
