"""Who is in a voice channel, and a line into its chat, as talks need them."""

from collections.abc import Mapping

import discord
import structlog
from discord.utils import escape_markdown

from bot.discord_chat.channels import Channels, DeliveryError, Post
from bot.discord_chat.message_chunks import split_message
from core.prompts.plain_line import plain_line

_log = structlog.get_logger()
_NAME_LENGTH = 80
_NONCE_LENGTH = 25


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

    async def show_said(
        self, channel_id: int, name: str, text: str, *, key: str, message_id: int | None, is_last: bool
    ) -> int | None:
        """See `VoiceNotices`."""
        line = f"**{escape_markdown(plain_line(name, limit=_NAME_LENGTH))}:** {escape_markdown(text)}"
        first, *others = [message.text for message in split_message(line)]
        try:
            if message_id is None:
                post = Post(text=first, nonce=key[-_NONCE_LENGTH:])
                message_id = (await self._channels.post(channel_id, post)).message_id
            elif text:
                await self._channels.edit(channel_id, message_id, first)
            else:
                await self._channels.delete(channel_id, message_id)
            for other in others if is_last else ():
                await self._channels.say(channel_id, other)
        except DeliveryError as error:
            _log.info("transcript not shown", channel=channel_id, error=type(error).__name__)
        return message_id

    async def _say(self, channel_id: int, text: str) -> None:
        try:
            await self._channels.say(channel_id, text)
        except DeliveryError as error:
            _log.info("talk not told of", channel=channel_id, error=type(error).__name__)
