"""Who is in a voice channel, and a line into its chat, as talks need them."""

from collections.abc import Mapping

import discord
import structlog
from discord.utils import escape_markdown

from bot.discord_chat.channels import Channels, DeliveryError
from bot.discord_chat.message_chunks import split_message
from core.prompts.plain_line import plain_line

_log = structlog.get_logger()
_NAME_LENGTH = 80


class DiscordVoicePeople:
    """The `VoicePeople` of talks; answers from discord.py's cache."""

    def __init__(self, client: discord.Client) -> None:
        self._client = client

    def names(self, channel_id: int) -> Mapping[int, str]:
        """See `VoicePeople`."""
        channel = self._client.get_channel(channel_id)
        if not isinstance(channel, discord.VoiceChannel | discord.StageChannel):
            return {}
        return {member.id: member.display_name for member in channel.members if not member.bot}

    def own_name(self, channel_id: int) -> str | None:
        """See `VoicePeople`."""
        channel = self._client.get_channel(channel_id)
        return channel.guild.me.display_name if isinstance(channel, discord.abc.GuildChannel) else None


class DiscordVoiceNotices:
    """The `VoiceNotices` of talks."""

    def __init__(self, channels: Channels) -> None:
        self._channels = channels

    async def tell(self, channel_id: int, text: str) -> None:
        """See `VoiceNotices`."""
        await self._say(channel_id, text)

    async def show_said(self, channel_id: int, name: str, text: str) -> None:
        """See `VoiceNotices`."""
        line = f"**{escape_markdown(plain_line(name, limit=_NAME_LENGTH))}:** {escape_markdown(text)}"
        for message in split_message(line):
            await self._say(channel_id, message.text)

    async def _say(self, channel_id: int, text: str) -> None:
        try:
            await self._channels.say(channel_id, text)
        except DeliveryError as error:
            _log.info("talk not told of", channel=channel_id, error=type(error).__name__)
