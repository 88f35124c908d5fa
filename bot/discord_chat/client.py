"""The connection to Discord: gateway events become calls of a `ChatListener`."""

import asyncio
import ssl
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import contextmanager
from itertools import chain, repeat
from pathlib import Path
from typing import Protocol

import aiohttp
import discord
import structlog

from bot.discord_chat.addresses import DiscordAddresses
from bot.discord_chat.commands.answering import answer_error
from bot.discord_chat.commands.guarded_tree import GuardedClient, GuardedTree
from bot.discord_chat.commands.locales import CommandWords
from bot.discord_chat.commands.sync import sync_commands
from bot.discord_chat.incoming import read_message
from bot.discord_chat.incoming_message import IncomingMessage, IncomingReaction
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

    async def message_edited(self, message: IncomingMessage) -> None:
        """Its author changed a message; a link preview that appeared is no edit."""
        ...

    async def reacted(self, reaction: IncomingReaction) -> None:
        """A person reacted to a message."""
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


class VoiceListener(Protocol):
    """What the bot does with what it hears of its voice channels."""

    def session_began(self) -> None:
        """A new gateway session is ready."""
        ...

    def guild_came(self, guild_id: int) -> None:
        """A server can be seen (again)."""
        ...

    async def moved(self, guild_id: int, channel_id: int) -> None:
        """The bot is in another voice channel of the server than it was."""
        ...

    async def entered(self, guild_id: int, channel_id: int, user_id: int) -> None:
        """A person came into a voice channel, from another one or from outside."""
        ...

    async def leave_all(self) -> None:
        """The process stops: leave every channel, and join none any more."""
        ...


def needed_intents() -> discord.Intents:
    """What the bot must be told of; two of them are switches in the Developer Portal."""
    return discord.Intents(
        guilds=True,
        members=True,
        emojis_and_stickers=True,
        voice_states=True,
        messages=True,
        message_content=True,
        reactions=True,
    )


class ParleyClient(GuardedClient):
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
        self.tree = GuardedTree(self)
        self.tree.error(answer_error)
        self._synced_commands: Path | None = None
        self._addresses = addresses
        self._listener: ChatListener | None = None
        self._voice: VoiceListener | None = None
        self._hearing: set[asyncio.Task[None]] = set()
        self._met: Callable[[discord.Member], None] | None = None
        self._tells: Callable[[discord.Interaction[discord.Client]], Awaitable[None]] | None = None
        self._has_seen = asyncio.Event()

    async def seen(self) -> None:
        """Waits until Discord has told of servers and channels for the first time."""
        await self._has_seen.wait()

    def tell_members(self, met: Callable[[discord.Member], None]) -> None:
        """Tell `met` of the author of each message in a server, as the message describes them."""
        self._met = met

    def tell_languages(self, tells: Callable[[discord.Interaction[discord.Client]], Awaitable[None]]) -> None:
        """Tell `tells` of each command, button and form: it names the language of the person's client."""
        self._tells = tells

    def attach(self, listener: ChatListener) -> None:
        """Tell `listener` of everything from now on; before it, events pass unheard."""
        self._listener = listener

    def attach_voice(self, listener: VoiceListener) -> None:
        """Tell `listener` of voice channels from now on."""
        self._voice = listener

    async def detach(self) -> None:
        """Hear nothing more, and give up what is being heard: the next start finds it again."""
        voice, self._listener, self._voice = self._voice, None, None
        hearing = tuple(self._hearing)
        for task in hearing:
            task.cancel()
        if hearing:
            await asyncio.wait(hearing)
        if voice is not None:
            await voice.leave_all()

    def keep_commands_synced(self, kept: Path) -> None:
        """Give the tree's commands to Discord when they changed; the file `kept` remembers them."""
        self._synced_commands = kept

    def trust(self) -> ssl.SSLContext | None:
        """Which certificates voice servers may have; None: whom everybody trusts."""
        return self._addresses.trust()

    async def renew(self) -> None:
        """Make ready for another login after one that failed; connections of the first one are closed."""
        await self.http.close()
        self.http.clear()
        self.http.connector = self._addresses.connector()

    async def setup_hook(self) -> None:
        await self.tree.set_translator(CommandWords())
        await self._addresses.use_gateway(self)

    async def on_connect(self) -> None:
        kept, self._synced_commands = self._synced_commands, None
        if kept is not None and self.application_id is not None:
            with self._heard():
                await sync_commands(self.tree, self.application_id, kept)

    async def on_ready(self) -> None:
        _log.info("connected to Discord", guilds=len(self.guilds), shards=self.shard_count)
        self._has_seen.set()
        if self._voice is not None:
            self._voice.session_began()
        if self._listener is not None:
            with self._heard():
                await self._listener.session_began()

    async def on_guild_available(self, guild: discord.Guild) -> None:
        if self._voice is not None and self.is_ready():
            self._voice.guild_came(guild.id)
        if self._listener is not None and self.is_ready():
            with self._heard():
                await self._listener.guild_came(guild.id)

    async def on_voice_state_update(
        self, member: discord.Member, before: discord.VoiceState, after: discord.VoiceState
    ) -> None:
        if self._voice is None or self.user is None or after.channel is None:
            return
        if before.channel == after.channel:
            return
        with self._heard():
            if member.id == self.user.id:
                if before.channel is not None:
                    await self._voice.moved(member.guild.id, after.channel.id)
            elif not member.bot:
                await self._voice.entered(member.guild.id, after.channel.id, member.id)

    async def on_message(self, message: discord.Message) -> None:
        if self._listener is None or self.user is None or message.author.id == self.user.id:
            return
        if self._met is not None and isinstance(message.author, discord.Member):
            self._met(message.author)
        incoming = read_message(message, bot_user_id=self.user.id)
        if incoming is not None:
            with self._heard():
                await self._listener.message_written(incoming)

    async def on_interaction(self, interaction: discord.Interaction[discord.Client]) -> None:
        if self._tells is not None:
            with self._heard():
                await self._tells(interaction)

    async def on_raw_message_edit(self, event: discord.RawMessageUpdateEvent) -> None:
        message = event.message
        if self._listener is None or self.user is None or message.author.id == self.user.id:
            return
        if message.edited_at is None:
            return  # a link preview, a pin: nobody changed what was said
        incoming = read_message(message, bot_user_id=self.user.id)
        if incoming is not None:
            with self._heard():
                await self._listener.message_edited(incoming)

    async def on_raw_reaction_add(self, event: discord.RawReactionActionEvent) -> None:
        member = event.member
        from_bot = self.user is None or event.user_id == self.user.id or (member is not None and member.bot)
        if self._listener is None or self.user is None or from_bot:
            return
        may_manage = event.guild_id is None if member is None else member.guild_permissions.manage_guild
        reaction = IncomingReaction(
            channel_id=event.channel_id,
            guild_id=event.guild_id,
            message_id=event.message_id,
            user_id=event.user_id,
            emoji=event.emoji.name,
            on_own_message=event.message_author_id == self.user.id,
            by_manager=may_manage,
        )
        with self._heard():
            await self._listener.reacted(reaction)

    async def on_raw_message_delete(self, event: discord.RawMessageDeleteEvent) -> None:
        await self._messages_deleted(event.channel_id, [event.message_id])

    async def on_raw_bulk_message_delete(self, event: discord.RawBulkMessageDeleteEvent) -> None:
        await self._messages_deleted(event.channel_id, sorted(event.message_ids))

    async def _messages_deleted(self, channel_id: int, message_ids: Sequence[int]) -> None:
        if self._listener is not None:
            with self._heard():
                for message_id in message_ids:
                    await self._listener.message_deleted(channel_id, message_id)

    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        if self._listener is not None:
            with self._heard():
                await self._listener.channel_deleted(channel.id)

    async def on_raw_thread_delete(self, event: discord.RawThreadDeleteEvent) -> None:
        if self._listener is not None:
            with self._heard():
                await self._listener.channel_deleted(event.thread_id)

    @contextmanager
    def _heard(self) -> Generator[None]:
        """discord.py runs each event in a task of its own and never waits for it; `detach` ends these."""
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("events are heard in tasks")
        self._hearing.add(task)
        try:
            yield
        finally:
            self._hearing.discard(task)

    async def on_error(self, event_method: str, /, *_args: object, **_kwargs: object) -> None:
        if self.is_closed():  # which every request then says in its own way
            _log.info("event was cut off", discord_event=event_method)
        else:
            _log.exception("event was not handled", discord_event=event_method)


class ConnectionRefused(Failure):
    """Discord will not have the bot as it is."""


_LOGIN_AGAIN_AFTER_S = (1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0)
_LOGIN_WITHIN_S = 60.0
_AUTHENTICATION_FAILED = 4004
_LOGIN_REFUSED = (
    "Discord refuses DISCORD_TOKEN. In the Developer Portal, page Bot, click Reset Token and set the new one."
)
_INTENTS_REFUSED = (
    'Discord refuses the intents. In the Developer Portal, page Bot, section "Privileged Gateway Intents",'
    ' switch on "Server Members Intent" and "Message Content Intent".'
)


async def stay_connected(client: ParleyClient, token: str) -> None:
    """Log in and keep the gateway connection until the client is closed; Discord may be away meanwhile.

    Raises:
        ConnectionRefused: the token or an intent is refused, also later than at the start (TEXT-7, SET-7).
    """
    try:
        await _log_in(client, token)
        await client.connect()
    except discord.LoginFailure as error:
        raise ConnectionRefused(_LOGIN_REFUSED, reason="token refused") from error
    except discord.PrivilegedIntentsRequired as error:
        raise ConnectionRefused(_INTENTS_REFUSED, reason="intents refused") from error
    except discord.ConnectionClosed as error:
        advice = _LOGIN_REFUSED if error.code == _AUTHENTICATION_FAILED else "Discord ended the connection."
        raise ConnectionRefused(advice, reason=f"gateway close code {error.code}") from error
    except discord.HTTPException as error:
        advice = "Discord refuses the login. Check DISCORD_API_BASE_URL."
        raise ConnectionRefused(advice, reason=f"status {error.status}") from error


async def _log_in(client: ParleyClient, token: str) -> None:
    for wait_s in chain(_LOGIN_AGAIN_AFTER_S, repeat(_LOGIN_AGAIN_AFTER_S[-1])):
        try:
            async with asyncio.timeout(_LOGIN_WITHIN_S):
                await client.login(token)
        except (discord.GatewayNotFound, aiohttp.ClientError, OSError, TimeoutError) as error:
            reason = type(error).__name__
        except discord.HTTPException as error:
            if error.status < 500 and error.status != 429:
                raise
            reason = f"status {error.status}"
        else:
            return
        _log.warning("Discord not reached", reason=reason, again_in_s=wait_s)
        await client.renew()
        await asyncio.sleep(wait_s)
