"""What the bot may do in a channel, known before it is tried, and told once to somebody who can change it.

From discord.py's cache alone, so asking costs nothing. Where the channel takes no message, the server's owner
is told in a direct message; where it does, the channel is. What was told is kept: no restart tells it again.
"""

from collections.abc import Mapping

import discord
import structlog

from bot.discord_chat.channels import Channels, DeliveryError
from core.sentences import Sentence, listed, sentence
from sessions.channel_settings import ChannelScope, ChannelSettings

_log = structlog.get_logger()
_TOLD = "told_missing"

_WANTED: Mapping[str, str] = {
    "view_channel": sentence("View Channel"),
    "send_messages": sentence("Send Messages"),
    "send_messages_in_threads": sentence("Send Messages in Threads"),
    "read_message_history": sentence("Read Message History"),
    "attach_files": sentence("Attach Files"),
    "embed_links": sentence("Embed Links"),
}
_TIME_OUT = "time-out"
_IN_TIMEOUT = sentence(
    "Somebody talks to me in {where}, and I am timed out. Who moderates the server can end it: Members, me,"
    " Remove Timeout."
)
_NEEDED = frozenset({"View Channel", "Send Messages", "Send Messages in Threads", _TIME_OUT})


class RoomPermissions:
    """Looks at the cache; tells what is missing."""

    def __init__(self, client: discord.Client, channels: Channels, settings: ChannelSettings) -> None:
        self._client = client
        self._channels = channels
        self._settings = settings
        self._told: dict[int, str] = {}

    async def may_answer(self, channel_id: int) -> bool:
        """Whether an answer can be posted there; tells once what is missing."""
        missing = self.missing(channel_id)
        await self._tell(channel_id, missing)
        return not _NEEDED.intersection(missing)

    def missing(self, channel_id: int) -> tuple[str, ...]:
        """The permissions that the bot lacks there, in Discord's words, or what takes all; none in DMs."""
        channel = self._client.get_channel(channel_id)
        if not isinstance(channel, discord.abc.GuildChannel | discord.Thread):
            return ()
        me = channel.guild.me
        if me.is_timed_out():
            return (_TIME_OUT,)
        try:
            has = channel.permissions_for(me)
        except discord.ClientException:
            return ()  # a thread whose channel is not known
        sends = "send_messages_in_threads" if isinstance(channel, discord.Thread) else "send_messages"
        wanted = ("view_channel", sends, "read_message_history", "attach_files", "embed_links")
        return tuple(_WANTED[name] for name in wanted if not getattr(has, name))

    async def _tell(self, channel_id: int, missing: tuple[str, ...]) -> None:
        words = ", ".join(missing)
        if words == self._told.get(channel_id, ""):
            return
        self._told[channel_id] = words
        scope = ChannelScope(channel_id=str(channel_id))
        if words == (await self._settings.read(scope)).get(_TOLD, ""):
            return
        await self._settings.change(scope, _TOLD, words or None)
        if not missing:
            return
        try:
            if _NEEDED.intersection(missing):
                await self._tell_owner(channel_id, listed(missing))
            else:
                await self._channels.say(
                    channel_id,
                    sentence("-# {request}", request=_request(listed(missing), sentence("this channel"))),
                )
        except DeliveryError as error:
            _log.warning("missing permissions not told", channel=channel_id, error=type(error).__name__)

    async def _tell_owner(self, channel_id: int, words: Sentence) -> None:
        channel = self._client.get_channel(channel_id)
        if not isinstance(channel, discord.abc.GuildChannel | discord.Thread):
            return
        owner_id = channel.guild.owner_id
        if owner_id is not None:
            escape = discord.utils.escape_markdown
            where = sentence(
                "#{channel} of {guild}", channel=escape(channel.name), guild=escape(channel.guild.name)
            )
            in_timeout = channel.guild.me.is_timed_out()
            await self._channels.say_to(
                owner_id, sentence(_IN_TIMEOUT, where=where) if in_timeout else _request(words, where)
            )


def _request(words: Sentence, where: Sentence) -> Sentence:
    several = sentence("permissions") if "," in words else sentence("permission")
    return sentence(
        "Somebody talks to me in {where}, and I lack the {several} {words} there."
        " Who manages the channel can give it to me: Edit Channel, Permissions.",
        where=where,
        several=several,
        words=words,
    )
