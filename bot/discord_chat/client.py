"""The connection to Discord: gateway events become calls of a `ChatListener`."""

from pathlib import Path
from typing import Protocol

import discord
import structlog
from discord import app_commands

from bot.discord_chat.addresses import DiscordAddresses
from bot.discord_chat.commands.answering import answer_error
from bot.discord_chat.commands.sync import sync_commands
from bot.discord_chat.incoming import read_message
from bot.discord_chat.incoming_message import IncomingMessage
from core.failures import Failure

_log = structlog.get_logger()
_LAST_GUILD_WITHIN_S = 0.5
"""The start is complete when no server was announced for this long; later ones are caught up alone."""


class ChatListener(Protocol):
    """What the bot does with what it hears. Calls of one connection come in the order of its events."""

    async def message_written(self, message: IncomingMessage) -> None:
        """Somebody wrote a message."""
        ...

    async def message_deleted(self, channel_id: int, message_id: int) -> None:
        """A message is gone."""
        ...

    async def channel_deleted(self, channel_id: int) -> None:
        """A channel or thread is gone."""
        ...

    async def session_began(self) -> None:
        """A new gateway session is ready: what happened before it was not replayed."""
        ...

    async def guild_came(self, guild_id: int) -> None:
        """A server can be seen (again): what happened there before was not told."""
        ...


def needed_intents() -> discord.Intents:
    """What the bot must be told of; two of them are switches in the Developer Portal."""
    return discord.Intents(
        guilds=True,
        members=True,
        voice_states=True,
        messages=True,
        message_content=True,
        reactions=True,
    )


class ParleyClient(discord.AutoShardedClient):
    """Holds no message and no member beyond what discord.py needs to translate events."""

    def __init__(self, addresses: DiscordAddresses) -> None:
        addresses.use_api()
        super().__init__(
            intents=needed_intents(),
            connector=addresses.connector(),
            allowed_mentions=discord.AllowedMentions.none(),
            max_messages=None,
            chunk_guilds_at_startup=False,
            member_cache_flags=discord.MemberCacheFlags.from_intents(needed_intents()),
            max_ratelimit_timeout=60.0,
            guild_ready_timeout=_LAST_GUILD_WITHIN_S,
        )
        self.tree = app_commands.CommandTree(self)
        self.tree.error(answer_error)
        self._synced_commands: Path | None = None
        self._addresses = addresses
        self._listener: ChatListener | None = None

    def attach(self, listener: ChatListener) -> None:
        """Tell `listener` of everything from now on; before it, events pass unheard."""
        self._listener = listener

    def detach(self) -> None:
        """Hear nothing more; what happens from now on is missed, and found again at the next start."""
        self._listener = None

    def keep_commands_synced(self, kept: Path) -> None:
        """Give the tree's commands to Discord at login when they changed; `kept` remembers them."""
        self._synced_commands = kept

    async def setup_hook(self) -> None:
        await self._addresses.use_gateway(self)
        if self._synced_commands is not None and self.application_id is not None:
            await sync_commands(self.tree, self.application_id, self._synced_commands)

    async def on_ready(self) -> None:
        _log.info("connected to Discord", guilds=len(self.guilds), shards=self.shard_count)
        if self._listener is not None:
            await self._listener.session_began()

    async def on_guild_available(self, guild: discord.Guild) -> None:
        if self._listener is not None and self.is_ready():
            await self._listener.guild_came(guild.id)

    async def on_message(self, message: discord.Message) -> None:
        if self._listener is None or self.user is None or message.author.id == self.user.id:
            return
        incoming = read_message(message, bot_user_id=self.user.id)
        if incoming is not None:
            await self._listener.message_written(incoming)

    async def on_raw_message_delete(self, event: discord.RawMessageDeleteEvent) -> None:
        if self._listener is not None:
            await self._listener.message_deleted(event.channel_id, event.message_id)

    async def on_raw_bulk_message_delete(self, event: discord.RawBulkMessageDeleteEvent) -> None:
        if self._listener is not None:
            for message_id in event.message_ids:
                await self._listener.message_deleted(event.channel_id, message_id)

    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        if self._listener is not None:
            await self._listener.channel_deleted(channel.id)

    async def on_raw_thread_delete(self, event: discord.RawThreadDeleteEvent) -> None:
        if self._listener is not None:
            await self._listener.channel_deleted(event.thread_id)

    async def on_error(self, event_method: str, /, *_args: object, **_kwargs: object) -> None:
        _log.exception("event was not handled", discord_event=event_method)


class ConnectionRefused(Failure):
    """Discord will not have the bot as it is."""


async def stay_connected(client: ParleyClient, token: str) -> None:
    """Log in and keep the gateway connection until the client is closed.

    Raises:
        ConnectionRefused: the token or an intent is refused (TEXT-7, SET-7).
    """
    try:
        await client.start(token)
    except discord.LoginFailure as error:
        advice = (
            "Discord refuses DISCORD_TOKEN. In the Developer Portal, page Bot, click Reset Token"
            " and set the new one."
        )
        raise ConnectionRefused(advice, reason="token refused") from error
    except discord.PrivilegedIntentsRequired as error:
        advice = (
            "Discord refuses the intents. In the Developer Portal, page Bot, section"
            ' "Privileged Gateway Intents", switch on "Server Members Intent" and "Message Content Intent".'
        )
        raise ConnectionRefused(advice, reason="intents refused") from error
