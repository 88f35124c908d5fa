"""Discord's voice servers: gateway version 8 over WSS, UDP, relay; hooked into a running `FakeDiscord`.

    async with FakeVoice.running(discord) as voice: channel = discord.world.add_channel(discord.guild,
    "lounge", kind=ChannelKind.VOICE) ada = voice.join(channel, discord.ada)          # a `Human` with a
    DAVE session of her own ...                                              # the bot joins:
    voice.wire(channel) is its participant await ada.speak(pcm) voice.close(channel, 4006);
    voice.cut(channel); voice.move_bot(other); voice.kick_bot(); voice.change_server()

`voice.ssl` is a client context that trusts it; its authority is appended to `discord.ca_file` too.
`voice.room(channel)` has `.network(sender_id, receiver_id)` (loss, reordering, ...), `.group` (DAVE:
`downgrade()`, `upgrade()`, `executed`, `invalid_commits`), `.tells_ssrcs`. `repeats_server_update` False
is the worse case: opcode 4 for the same channel brings no new VOICE_SERVER_UPDATE.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import ssl
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

import trustme
from aiohttp import WSCloseCode, WSMsgType, web

from tests.fake_discord import payloads
from tests.fake_discord.gateway.session import Session
from tests.fake_discord.server import FakeDiscord
from tests.fake_discord.voice import wire as ops
from tests.fake_discord.voice.human import Human
from tests.fake_discord.voice.room import Room
from tests.fake_discord.voice.wire import Wire
from tests.fake_discord.world import Channel, ChannelKind, Guild, User, VoiceState
from voice.transport.transport_crypto import PREFERRED_MODES

_NOT_RESUMABLE = {4004, 4006, 4009, 4014, 4017, 4021, 4022}


class FakeVoice:
    """Every voice server at once; all of them listen on one port."""

    def __init__(self, discord: FakeDiscord) -> None:
        self.discord = discord
        self.rooms: dict[int, Room] = {}
        self.wires: dict[int, Wire] = {}
        """The bot's connections by channel, and those of second implementations by user."""
        self.modes: list[str] = [*PREFERRED_MODES, "xsalsa20_poly1305"]
        self.dave = True
        self.answers_discovery = True
        self.heartbeat_interval_ms = 13_750
        self.acknowledges_heartbeats = True
        self.repeats_server_update = False
        self.tells_server = True
        self.answers_identify = True
        self.refuses_with: list[int] = []
        """Close codes for the next IDENTIFYs."""
        self.refuses_resumes = False
        self.loses: set[int] = set()
        """Opcodes of clients that never arrive, as on a websocket that is about to be lost."""
        self.lost: list[int] = []
        self.requires_dave = False
        self.identifies: list[dict[str, Any]] = []
        self.resumes: list[dict[str, Any]] = []
        self.problems: list[str] = []
        self.port = self.udp_port = 0
        self._ssrcs = count(100_001)
        self._tokens: dict[str, tuple[int, int, int]] = {}
        """Token -> guild, channel, user."""
        self._bot_channels: dict[int, int] = {}
        self._bot_sessions: dict[int, str] = {}
        """The gateway session that put the bot into the channel, by guild."""
        self._by_address: dict[tuple[str, int], Wire] = {}
        self._udp: asyncio.DatagramTransport | None = None

    # for tests

    def room(self, channel: Channel) -> Room:
        made = self.rooms.get(channel.id)
        if made is None:
            made = self.rooms[channel.id] = Room(channel.id, ssrcs=self._ssrcs, dave=self.dave)
        return made

    def wire(self, channel: Channel) -> Wire:
        """The bot's participant in that channel."""
        return self.wires[channel.id]

    def join(self, channel: Channel, user: User, kind: type[Human] = Human) -> Human:
        """A human enters: the bot's main gateway tells it too."""
        human = kind(user.id, self.room(channel))
        self._tell_voice_state(channel, user, f"session-{user.id}")
        human.enter()
        return human

    def leave(self, channel: Channel, human: Human) -> None:
        guild = channel.guild
        assert guild is not None
        human.exit()
        state = guild.voice_states.pop(human.user_id, None)
        if state is not None:
            self._dispatch_state(guild, state, left=True)

    def credentials(self, channel: Channel, user: User) -> tuple[str, str, str]:
        """Endpoint, token and session id for a second implementation that connects by itself."""
        guild = channel.guild
        assert guild is not None
        token = secrets.token_hex(8)
        self._tokens[token] = (guild.id, channel.id, user.id)
        self._tell_voice_state(channel, user, f"session-{user.id}")
        return f"127.0.0.1:{self.port}", token, f"session-{user.id}"

    def close(self, channel: Channel, code: int) -> None:
        """The voice gateway closes the bot's websocket."""
        self._close(self.wire(channel), code)

    def cut(self, channel: Channel) -> None:
        self.wire(channel).cut()

    def kick_bot(self, guild: Guild, *, socket_first: bool = False) -> None:
        """Disconnects the bot: 4014 and a voice state without a channel, in either order."""
        channel_id = self._bot_channels.pop(guild.id)
        steps = [
            lambda: self._drop(self.wires[channel_id], 4014),
            lambda: self._bot_state(guild, None),
        ]
        for step in steps if socket_first else reversed(steps):
            step()

    def move_bot(self, guild: Guild, channel: Channel, *, socket_first: bool = False) -> None:
        """Moves the bot to another channel."""
        former = self.wires.get(self._bot_channels[guild.id])
        if socket_first and former is not None:
            self._drop(former, 4014)
        self._bot_state(guild, channel)
        self.tell_server(guild, channel)
        if not socket_first and former is not None:
            self._drop(former, 4014)

    def change_server(self, guild: Guild, *, gap: bool = False) -> None:
        """Another voice server for the bot's channel; with a gap the old one is named gone first."""
        channel = guild.channels[self._bot_channels[guild.id]]
        if gap:
            self._dispatch_server(guild, {"token": "x", "guild_id": str(guild.id), "endpoint": None})
        self.tell_server(guild, channel)

    # the main gateway's side

    def tell_server(self, guild: Guild, channel: Channel) -> None:
        """VOICE_SERVER_UPDATE with a fresh token."""
        if not self.tells_server:
            return
        token = secrets.token_hex(8)
        self._tokens[token] = (guild.id, channel.id, self.discord.bot.id)
        self._bot_channels[guild.id] = channel.id
        endpoint = f"127.0.0.1:{self.port}"
        self._dispatch_server(guild, {"token": token, "guild_id": str(guild.id), "endpoint": endpoint})

    def _on_voice_state(self, session: Session, guild: Guild, channel: Channel | None) -> None:
        former = self._bot_channels.get(guild.id)
        if self._bot_sessions.get(guild.id) != session.id:
            self._bot_sessions[guild.id] = session.id  # another process: its voice state is a new one
            former = None
        if channel is None:
            self._bot_channels.pop(guild.id, None)
            if former is not None and former in self.wires:
                self._drop(self.wires[former], 1000)
        elif former != channel.id or self.repeats_server_update:
            if former is not None and former != channel.id and former in self.wires:
                self._drop(self.wires[former], 4014)
            if channel.kind is ChannelKind.STAGE:
                self.suppress_bot(guild, suppress=True)
            self.tell_server(guild, channel)

    def suppress_bot(self, guild: Guild, *, suppress: bool) -> None:
        """On a stage: the bot is in the audience, or invited to speak."""
        state = guild.voice_states[self.discord.bot.id]
        state.suppress = suppress
        self._dispatch_state(guild, state)

    def _bot_state(self, guild: Guild, channel: Channel | None) -> None:
        bot = self.discord.bot
        former = guild.voice_states.pop(bot.id, None)
        assert former is not None
        if channel is None:
            self._dispatch_state(guild, former, left=True)
        else:
            self._tell_voice_state(channel, bot, former.session_id)

    def _tell_voice_state(self, channel: Channel, user: User, session_id: str) -> None:
        guild = channel.guild
        assert guild is not None
        state = VoiceState(user=user, channel=channel, session_id=session_id)
        guild.voice_states[user.id] = state
        self._dispatch_state(guild, state)

    def _dispatch_state(self, guild: Guild, state: VoiceState, *, left: bool = False) -> None:
        data = payloads.voice_state(state, left=True) if left else payloads.voice_state(state)
        self.discord.gateway.dispatch("VOICE_STATE_UPDATE", data, guild=guild)

    def _dispatch_server(self, guild: Guild, data: dict[str, Any]) -> None:
        self.discord.gateway.dispatch_unfiltered("VOICE_SERVER_UPDATE", data, guild=guild)

    # the voice gateway

    async def _accept(self, request: web.Request) -> web.StreamResponse:
        if request.query.get("v") != "8":
            self.problems.append(f"version {request.query.get('v')}")
        socket = web.WebSocketResponse(compress=False, max_msg_size=1 << 20)
        await socket.prepare(request)
        writer: asyncio.Queue[str | bytes | int] = asyncio.Queue()
        writer.put_nowait(
            json.dumps({"op": ops.HELLO, "d": {"heartbeat_interval": self.heartbeat_interval_ms}})
        )
        client = _Client(socket, request, writer)
        try:
            async with asyncio.TaskGroup() as tasks:
                writing = tasks.create_task(_write(socket, writer))
                async for message in socket:
                    if message.type is WSMsgType.TEXT:
                        self._text(client, json.loads(message.data))
                    elif message.type is WSMsgType.BINARY:
                        self._binary(client, message.data)
                writing.cancel()
        finally:
            if client.wire is not None and client.wire.socket is socket:
                client.wire.detach(socket)
                if socket.close_code in (1000, 1001) and not client.wire.closed_by_server:
                    client.wire.room.exit(client.wire)
            self.discord.recorder.changed()
        return socket

    def _text(self, client: _Client, message: dict[str, Any]) -> None:
        op, data = message["op"], message["d"]
        if op in self.loses:
            self.lost.append(op)
            return
        wire = client.wire
        if op == 0:
            self._identify(client, data)
        elif op == 7:
            self._resume(client, data)
        elif op == 3:
            if wire is not None:
                wire.acknowledged = data["seq_ack"]
            if self.acknowledges_heartbeats:
                client.writer.put_nowait(json.dumps({"op": ops.HEARTBEAT_ACK, "d": {"t": data["t"]}}))
        elif wire is None:
            client.writer.put_nowait(4003)
        else:
            wire.said.append((op, data))
            if op == 1:
                self._select(wire, data["data"])
            elif op == 5:
                wire.speaking.append(data["speaking"])
                if data["ssrc"] != wire.ssrc:
                    self.problems.append("SPEAKING with another's SSRC")
                wire.room.speaking(wire, data["speaking"])
            elif op in (23, 31):
                wire.room.group.take_text(wire.user_id, op, data)
        self.discord.recorder.changed()

    def _binary(self, client: _Client, message: bytes) -> None:
        wire = client.wire
        if message and message[0] in self.loses:
            self.lost.append(message[0])
            return
        if wire is not None and message:
            wire.said.append((message[0], message[1:]))
            wire.room.group.take_binary(wire.user_id, message[0], message[1:])
        self.discord.recorder.changed()

    def _identify(self, client: _Client, data: dict[str, Any]) -> None:
        self.identifies.append(data)
        if self.refuses_with:
            client.writer.put_nowait(self.refuses_with.pop(0))
            return
        known = self._tokens.get(data["token"])
        if known is None or known[0] != int(data["server_id"]) or known[2] != int(data["user_id"]):
            client.writer.put_nowait(4004)
            return
        if self.requires_dave and not data.get("max_dave_protocol_version"):
            client.writer.put_nowait(4017)
            return
        if not self.answers_identify:
            return
        _, channel_id, user_id = known
        room = self.rooms.setdefault(channel_id, Room(channel_id, ssrcs=self._ssrcs, dave=self.dave))
        key = channel_id if user_id == self.discord.bot.id else user_id
        former = self.wires.get(key)
        if former is not None:
            self._drop(former, 4006)
        wire = Wire(
            user_id,
            room,
            session_id=data["session_id"],
            token=data["token"],
            with_dave=bool(data.get("max_dave_protocol_version")),
        )
        wire.transport = self._udp
        wire.attach(client.socket, client.request, client.writer)
        client.wire = self.wires[key] = wire
        wire.text(
            ops.READY,
            {
                "ssrc": wire.ssrc,
                "ip": "127.0.0.1",
                "port": self.udp_port,
                "modes": self.modes,
                "experiments": [],
            },
        )

    def _resume(self, client: _Client, data: dict[str, Any]) -> None:
        self.resumes.append(data)
        for wire in self.wires.values():
            if wire.session_id == data["session_id"] and wire.token == data["token"]:
                break
        else:
            client.writer.put_nowait(4006)
            return
        if self.refuses_resumes or not wire.resumable or wire.room.participants.get(wire.user_id) is not wire:
            client.writer.put_nowait(4006)
            return
        wire.attach(client.socket, client.request, client.writer)
        client.wire = wire
        wire.replay(data.get("seq_ack", 0))
        wire.text(ops.RESUMED, None)

    def _select(self, wire: Wire, data: dict[str, Any]) -> None:
        if data["mode"] not in self.modes:
            wire.close(4016)
            return
        wire.choose(data["mode"])
        wire.room.enter(wire)
        wire.text(
            ops.SESSION_DESCRIPTION,
            {
                "mode": data["mode"],
                "secret_key": list(wire.key),
                "audio_codec": "opus",
                "video_codec": "H264",
                "media_session_id": "m",
                "dave_protocol_version": wire.room.group.version if wire.with_dave else 0,
            },
        )
        wire.room.begin_dave(wire)

    def _close(self, wire: Wire, code: int) -> None:
        if code in _NOT_RESUMABLE:
            self._drop(wire, code)
        else:
            wire.close(code)

    def _drop(self, wire: Wire, code: int) -> None:
        wire.resumable = False
        wire.room.exit(wire)
        wire.close(code)

    # UDP

    def _datagram(self, data: bytes, address: tuple[str, int]) -> None:
        if len(data) == 74 and data[:2] == b"\0\1":
            ssrc = int.from_bytes(data[4:8], "big")
            for wire in self.wires.values():
                if wire.ssrc == ssrc and self.answers_discovery:
                    wire.address = address
                    self._by_address[address] = wire
                    answer = struct.pack(">HHI", 2, 70, ssrc) + address[0].encode().ljust(64, b"\0")
                    assert self._udp is not None
                    self._udp.sendto(answer + struct.pack(">H", address[1]), address)
            return
        wire = self._by_address.get(address)
        packet = wire.received(data) if wire is not None else None
        if wire is not None and packet is not None and wire.room.participants.get(wire.user_id) is wire:
            wire.room.relay(wire, packet)
        self.discord.recorder.changed()

    # running

    @staticmethod
    @asynccontextmanager
    async def running(discord: FakeDiscord) -> AsyncIterator[FakeVoice]:
        voice = FakeVoice(discord)
        authority = trustme.CA()
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        authority.issue_cert("127.0.0.1", "localhost").configure_cert(context)
        voice.authority_pem = authority.cert_pem.bytes().decode()
        trusted = Path(discord.ca_file)
        trusted.write_text(trusted.read_text() + voice.authority_pem)
        voice.ssl = ssl.create_default_context(cadata=voice.authority_pem)
        application = web.Application()
        application.router.add_get("/", voice._accept)
        runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.2)
        await runner.setup()
        udp, _ = await asyncio.get_running_loop().create_datagram_endpoint(
            lambda: _Udp(voice), local_addr=("127.0.0.1", 0)
        )
        try:
            await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context).start()
            voice.port = runner.addresses[0][1]
            voice._udp, voice.udp_port = udp, udp.get_extra_info("sockname")[1]
            discord.gateway.on_voice_state = voice._on_voice_state
            yield voice
        finally:
            discord.gateway.on_voice_state = None
            for wire in voice.wires.values():
                if wire.socket is not None:
                    await wire.socket.close(code=WSCloseCode.GOING_AWAY)
            udp.close()
            await runner.cleanup()

    authority_pem: str
    ssl: ssl.SSLContext


class _Client:
    """One websocket and the participant that it turned out to be."""

    def __init__(
        self, socket: web.WebSocketResponse, request: web.Request, writer: asyncio.Queue[str | bytes | int]
    ) -> None:
        self.socket, self.request, self.writer = socket, request, writer
        self.wire: Wire | None = None


class _Udp(asyncio.DatagramProtocol):
    def __init__(self, voice: FakeVoice) -> None:
        self._voice = voice

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        self._voice._datagram(data, addr)


async def _write(socket: web.WebSocketResponse, writer: asyncio.Queue[str | bytes | int]) -> None:
    with suppress(ConnectionError):
        while True:
            item = await writer.get()
            if isinstance(item, int):
                await socket.close(code=item)
                return
            if isinstance(item, str):
                await socket.send_str(item)
            else:
                await socket.send_bytes(item)
