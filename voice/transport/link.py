"""discord.py's door to voice: the only file here that knows it, and by its public surface alone.

`Link` is a `discord.VoiceProtocol`, not a `VoiceClient`: the stock client loses its reader for up to 30 s
after a reconnect, never comes back from 4015, dies of DAVE errors and leaks frames in the clear while a
group forms (`wire/discord-voice.md`, traps 1 to 4), so nothing of its connection is used. What is left to
use of discord.py is the main gateway: opcode 4 out, two events in. `tests/adapters/test_discord_door.py`
fails when that changes.
"""

import asyncio
import random
from collections.abc import Callable, Collection
from contextlib import suppress
from ssl import SSLContext
from types import TracebackType
from typing import TYPE_CHECKING, Self, cast

import aiohttp
import discord

from voice.audio.opus import libopus
from voice.calls import Call, CannotJoin
from voice.transport.main_gateway import ChannelGone
from voice.transport.sender import Sender
from voice.transport.settings import TransportSettings
from voice.transport.voice_call import VoiceCall

if TYPE_CHECKING:
    from discord.types.voice import GuildVoiceState, VoiceServerUpdate

_VoiceChannel = discord.VoiceChannel | discord.StageChannel


class Link(discord.VoiceProtocol):
    """One guild's entry in discord.py's list of voice clients; translates between it and a `VoiceCall`."""

    def __init__(
        self, client: discord.Client, channel: discord.abc.Connectable, start: "Callable[[Link], VoiceCall]"
    ) -> None:
        super().__init__(client, channel)
        assert isinstance(channel, _VoiceChannel)  # noqa: S101 - `Calls.join` gives nothing else
        assert client.user is not None  # noqa: S101 - a client that knows a channel is logged in
        self._guild = channel.guild
        self._is_known = False
        self.user_id = client.user.id
        self.joined_channel_id = channel.id
        self.gone = asyncio.Event()
        self.call = start(self)

    @property
    def guild(self) -> discord.Guild:
        """As it is now, as a new session of the main gateway brings another object; or as it was last."""
        self._guild = self.client.get_guild(self._guild.id) or self._guild
        return self._guild

    # discord.py's events

    async def on_voice_state_update(self, data: "GuildVoiceState", /) -> None:
        channel_id = cast("str | int | None", data["channel_id"])  # None when the bot left
        self.call.on_voice_state(
            None if channel_id is None else int(channel_id),
            data["session_id"],
            suppressed=data.get("suppress", False),
            deafened=data["deaf"],
        )

    async def on_voice_server_update(self, data: "VoiceServerUpdate", /) -> None:
        self.call.on_voice_server(data["token"], data["endpoint"])

    async def connect(
        self,
        *,
        timeout: float,  # noqa: ASYNC109 - the signature is discord.py's
        reconnect: bool,
        self_deaf: bool = False,
        self_mute: bool = False,
    ) -> None:
        """Waits for sound, but not where it is only made known again.

        Raises `CannotJoin`, or TimeoutError.
        """
        if self._is_known:
            return
        self._is_known = True
        async with asyncio.timeout(timeout):
            ended = await self.call.connected()
        if ended is not None:
            raise CannotJoin(ended)

    async def disconnect(self, *, force: bool) -> None:
        await self.call.leave()

    async def move(self, channel_id: int) -> None:
        """Takes the call there, if it is elsewhere. Raises `CannotJoin`."""
        if self.call.channel_id == channel_id:
            return
        try:
            await self.set_channel(channel_id)
        except ChannelGone as error:
            raise CannotJoin(None) from error
        if not await self.call.arrived(channel_id):
            raise CannotJoin(None)

    # `MainGateway` and `Company`

    async def set_channel(self, channel_id: int | None) -> None:
        guild, channel = self.guild, None
        if channel_id is not None:
            if guild.unavailable:
                raise discord.ClientException("the server is away")
            channel = guild.get_channel(channel_id)
            if not isinstance(channel, _VoiceChannel) or self.client.get_guild(guild.id) is None:
                raise ChannelGone
            if guild.voice_client is None:  # a new session of the main gateway forgets whom it has to tell
                await channel.connect(cls=lambda _client, _channel: self)
        await guild.change_voice_state(channel=channel, self_deaf=False, self_mute=False)

    async def ask_to_speak(self, channel_id: int) -> None:
        channel = self.guild.get_channel(channel_id)
        if not isinstance(channel, discord.StageChannel):
            return
        if channel.permissions_for(self.guild.me).mute_members:
            await self.guild.me.edit(suppress=False)
        else:
            await self.guild.me.request_to_speak()

    def is_bot(self, user_id: int) -> bool:
        member = self.guild.get_member(user_id)
        return member is not None and member.bot

    def others_present(self, channel_id: int) -> bool:
        channel = self.guild.get_channel(channel_id)
        return isinstance(channel, _VoiceChannel) and any(not member.bot for member in channel.members)


class DiscordCalls:
    """Implements `voice.calls.Calls`; an async context that owns every call, their tasks and the sender."""

    def __init__(
        self,
        client: discord.Client,
        *,
        settings: TransportSettings | None = None,
        ssl: SSLContext | None = None,
        chance: random.Random | None = None,
    ) -> None:
        self._client = client
        self._settings = settings or TransportSettings()
        self._ssl = ssl
        self._chance = chance or random.Random()
        self._tasks = asyncio.TaskGroup()

    async def __aenter__(self) -> Self:
        """Raises `OpusMissing`."""
        await asyncio.to_thread(libopus)  # finding it reads folders
        self._http = aiohttp.ClientSession()
        self._sender = Sender()
        self._running: dict[int, Link] = {}
        await self._tasks.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            async with asyncio.TaskGroup() as leaving:
                for link in self._running.values():
                    leaving.create_task(link.call.leave())
            await self._tasks.__aexit__(kind, error, trace)
        finally:
            await self._sender.aclose()
            await self._http.close()

    async def join(self, guild_id: int, channel_id: int, *, ignored: Collection[int] = ()) -> Call:
        guild = self._client.get_guild(guild_id)
        channel = guild.get_channel(channel_id) if guild is not None else None
        if not isinstance(channel, _VoiceChannel):
            raise CannotJoin(None)
        present = self._running.get(guild_id)
        if present is not None and present.call.is_over:
            await present.gone.wait()
            present = self._running.get(guild_id)
        if present is not None:
            ended = await present.call.connected()
            if ended is not None:
                raise CannotJoin(ended)
            await present.move(channel_id)
            return present.call
        try:
            link = await channel.connect(
                cls=lambda client, where: Link(client, where, lambda link: self._start(link, ignored)),
                timeout=2 * self._settings.connect_timeout_s,
            )
        except (TimeoutError, discord.ClientException, CannotJoin) as error:
            failed = self._running.get(guild_id)
            if failed is not None:
                await failed.gone.wait()
            if isinstance(error, CannotJoin):
                raise
            raise CannotJoin(None) from error
        return link.call

    def call_in(self, guild_id: int) -> Call | None:
        link = self._running.get(guild_id)
        return link.call if link is not None else None

    def _start(self, link: Link, ignored: Collection[int]) -> VoiceCall:
        call = VoiceCall(
            guild_id=link.guild.id,
            channel_id=link.joined_channel_id,
            gateway=link,
            company=link,
            http=self._http,
            ssl=self._ssl,
            sender=self._sender,
            settings=self._settings,
            chance=self._chance,
        )
        call.ignore(ignored)
        self._running[link.guild.id] = link
        self._tasks.create_task(self._hold(link, call), name=f"voice call {link.guild.id}")
        return call

    async def _hold(self, link: Link, call: VoiceCall) -> None:
        try:
            await call.run()
        finally:
            self._running.pop(link.guild.id, None)
            with suppress(Exception):
                link.cleanup()
            link.gone.set()
