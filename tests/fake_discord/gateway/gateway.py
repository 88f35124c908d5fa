"""Discord's gateway, version 10: sessions, dispatches, and the misfortunes that a test orders.

A session survives its socket and the bot's process: a RESUME from a new socket gets what was missed, a fresh
IDENTIFY gets nothing of it. Source: https://docs.discord.com/developers/events/gateway
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from aiohttp import web

from tests.fake_discord import payloads, permissions
from tests.fake_discord.entities import Channel, Guild, Json, VoiceState
from tests.fake_discord.gateway import intents as rules
from tests.fake_discord.gateway.connection import Connection
from tests.fake_discord.gateway.intents import Intent
from tests.fake_discord.gateway.session import Session
from tests.fake_discord.permissions import Permission
from tests.fake_discord.recorder import Recorder
from tests.fake_discord.world import World

HEARTBEAT, IDENTIFY, PRESENCE, VOICE_STATE, RESUME = 1, 2, 3, 4, 6
RECONNECT, REQUEST_MEMBERS, INVALID_SESSION, HELLO, HEARTBEAT_ACK = 7, 8, 9, 10, 11
SOUNDBOARD = 31
_CHUNK = 1000
_ABANDONED_KEPT = 4
_VIEW = int(Permission.VIEW_CHANNEL)


class Gateway:
    """`url` is set once the server listens."""

    def __init__(self, world: World, recorder: Recorder, *, token: str) -> None:
        self._world = world
        self._recorder = recorder
        self._token = token
        self.url = ""
        self.sessions: dict[str, Session] = {}
        self.connections: set[Connection] = set()
        self.heartbeat_interval_ms = 41_250
        self.acknowledges_heartbeats = True
        """False: the connection looks dead to the bot (a zombie)."""
        self.refuses_connections = False
        """True: new sockets get HTTP 503."""
        self.identifies = 0
        self.resumes = 0
        self.on_voice_state: Callable[[Session, Guild, Channel | None], None] | None = None
        """The voice server's place: called when the bot joins, moves or leaves."""

    # sockets

    async def accept(self, request: web.Request) -> web.StreamResponse:
        if self.refuses_connections:
            return web.Response(status=503)
        socket = web.WebSocketResponse(compress=False, autoping=True, max_msg_size=1 << 16)
        await socket.prepare(request)
        connection = Connection(request, socket, recorder=self._recorder, clock=self._world.clock)
        self.connections.add(connection)
        connection.send(HELLO, {"heartbeat_interval": self.heartbeat_interval_ms, "_trace": []})
        try:
            code = await connection.serve(self._received)
        finally:
            self.connections.discard(connection)
            session = connection.session
            if session is not None and session.connection is connection:
                session.connection = None
            self._recorder.changed()
        if session is not None and code in (1000, 1001) and session.connection is None:
            self.sessions.pop(session.id, None)  # the bot said goodbye
        return socket

    def _received(self, connection: Connection, op: int, data: Any) -> None:
        if op == HEARTBEAT:
            connection.last_heartbeat_at = self._world.clock()
            if self.acknowledges_heartbeats:
                connection.send(HEARTBEAT_ACK)
        elif op == IDENTIFY:
            self._identify(connection, data)
        elif op == RESUME:
            self._resume(connection, data)
        elif connection.session is None:
            connection.close(4003)
        elif op == REQUEST_MEMBERS:
            self._send_members(connection.session, data)
        elif op == VOICE_STATE:
            self._change_voice_state(connection.session, data)
        elif op in (PRESENCE, SOUNDBOARD):
            pass
        else:
            connection.close(4001)

    # sessions

    def _identify(self, connection: Connection, data: Json) -> None:
        self.identifies += 1
        if connection.session is not None:
            connection.close(4005)
            return
        if data.get("token") != self._token:
            connection.close(4004)
            return
        asked = data.get("intents")
        if not isinstance(asked, int) or asked & ~rules.KNOWN:
            connection.close(4013)
            return
        if rules.disallowed(asked, self._world.application):
            connection.close(4014)
            return
        number, count = data.get("shard") or (0, 1)
        if not 0 <= number < count:
            connection.close(4010)
            return
        session = Session(intents=asked, shard=(number, count), bot=self._world.bot)
        self._forget_oldest()
        self.sessions[session.id] = session
        self._attach(session, connection)
        self._greet(session)

    def _forget_oldest(self) -> None:
        left = [one for one in self.sessions.values() if one.connection is None]
        for one in left[: max(0, len(left) - _ABANDONED_KEPT)]:
            del self.sessions[one.id]

    def _greet(self, session: Session) -> None:
        world = self._world
        guilds = [
            one for one in world.guilds.values() if world.bot.id in one.members and session.serves(one.id)
        ]
        session.dispatch(
            "READY",
            {
                "v": 10,
                "user": payloads.own_user(world.bot),
                "guilds": [{"id": str(one.id), "unavailable": True} for one in guilds],
                "session_id": session.id,
                "session_type": "normal",
                "resume_gateway_url": self.url,
                "shard": list(session.shard),
                "application": {"id": str(world.application.id), "flags": world.application.flags},
                "user_settings": {},
                "relationships": [],
                "private_channels": [],
                "presences": [],
                "guild_join_requests": [],
                "geo_ordered_rtc_regions": [],
                "auth": {},
                "_trace": [],
            },
        )
        for one in guilds:
            if one.available:
                self._send_guild(session, one)

    def _send_guild(self, session: Session, guild: Guild, *, joined: bool = False) -> None:
        if session.hears("GUILD_CREATE", in_guild=True):
            all_members = bool(session.intents & Intent.GUILD_PRESENCES)
            made = payloads.guild_create(guild, viewer=self._world.bot, all_members=all_members)
            if joined:
                del made["unavailable"]
            session.dispatch("GUILD_CREATE", made)

    def _resume(self, connection: Connection, data: Json) -> None:
        self.resumes += 1
        if data.get("token") != self._token:
            connection.close(4004)
            return
        session = self.sessions.get(data.get("session_id") or "")
        if session is None or session.unresumable:
            connection.send(INVALID_SESSION, False)
            return
        sequence = data.get("seq")
        if not isinstance(sequence, int) or sequence > session.sequence:
            connection.close(4007)
            return
        missed = session.missed_since(sequence)
        if missed is None:
            connection.send(INVALID_SESSION, False)
            return
        self._attach(session, connection)
        session.resumed_times += 1
        for number, event, text in missed:
            connection.send_text(text, op=0, event=event, sequence=number)
        session.dispatch("RESUMED", {"_trace": []})

    def _attach(self, session: Session, connection: Connection) -> None:
        if session.connection is not None:
            former, session.connection = session.connection, None
            former.session = None
            former.close(4000)
        session.connection = connection
        connection.session = session

    # events to the bot

    def dispatch(
        self, event: str, data: Json, *, guild: Guild | None, channel: Channel | None = None
    ) -> None:
        """Sends an event to every session that may hear it, and only from channels that the bot sees."""
        if guild is not None and not guild.available:
            return
        bot = self._world.bot
        if channel is not None and not permissions.in_channel(bot, channel) & _VIEW:
            return
        for session in self.sessions.values():
            if session.serves(guild.id if guild else None) and session.hears(
                event, in_guild=guild is not None
            ):
                session.dispatch(event, data)
        self._recorder.changed()

    def dispatch_unfiltered(self, event: str, data: Json, *, guild: Guild | None) -> None:
        """For interactions and other events that need no intent and no view of the channel."""
        for session in self.sessions.values():
            if session.serves(guild.id if guild else None):
                session.dispatch(event, data)
        self._recorder.changed()

    def announce_guild(self, guild: Guild, *, joined: bool) -> None:
        """GUILD_CREATE; one that was joined just now has no `unavailable`."""
        for session in self.sessions.values():
            if session.serves(guild.id):
                self._send_guild(session, guild, joined=joined)
        self._recorder.changed()

    def _send_members(self, session: Session, data: Json) -> None:
        guild = self._world.guilds.get(int(data["guild_id"]))
        if guild is None:
            return
        wanted = data.get("user_ids")
        not_found: list[str] = []
        if wanted:
            numbers = [int(one) for one in (wanted if isinstance(wanted, list) else [wanted])]
            found = [guild.members[one] for one in numbers if one in guild.members]
            not_found = [str(one) for one in numbers if one not in guild.members]
        else:
            query, limit = str(data.get("query") or "").lower(), int(data.get("limit") or 0)
            if not query and not limit and not session.intents & Intent.GUILD_MEMBERS:
                return
            found = [
                one
                for one in guild.members.values()
                if one.user.name.lower().startswith(query) or (one.nick or "").lower().startswith(query)
            ]
            found = found[:limit] if limit else found
        chunks = [found[start : start + _CHUNK] for start in range(0, len(found), _CHUNK)] or [[]]
        for index, chunk in enumerate(chunks):
            made: Json = {
                "guild_id": str(guild.id),
                "members": [payloads.member(one) for one in chunk],
                "chunk_index": index,
                "chunk_count": len(chunks),
                "not_found": not_found,
            }
            if data.get("presences"):
                made["presences"] = []
            if data.get("nonce"):
                made["nonce"] = data["nonce"]
            session.dispatch("GUILD_MEMBERS_CHUNK", made)

    def _change_voice_state(self, session: Session, data: Json) -> None:
        guild = self._world.guilds.get(int(data["guild_id"]))
        bot = self._world.bot
        if guild is None or bot.id not in guild.members:
            return
        channel = guild.channels.get(int(data["channel_id"])) if data.get("channel_id") else None
        former = guild.voice_states.pop(bot.id, None)
        if channel is not None:
            state = VoiceState(
                user=bot,
                channel=channel,
                session_id=session.id,
                self_mute=bool(data.get("self_mute")),
                self_deaf=bool(data.get("self_deaf")),
            )
            guild.voice_states[bot.id] = state
            self.dispatch("VOICE_STATE_UPDATE", payloads.voice_state(state), guild=guild)
        elif former is not None:
            self.dispatch("VOICE_STATE_UPDATE", payloads.voice_state(former, left=True), guild=guild)
        if self.on_voice_state is not None:
            self.on_voice_state(session, guild, channel)

    # misfortunes on order

    def _connected(self) -> Iterator[Connection]:
        return iter(tuple(self.connections))

    @property
    def connected(self) -> list[Session]:
        """The sessions that have a socket right now."""
        return [one for one in self.sessions.values() if one.connection is not None]

    def ask_to_reconnect(self) -> None:
        """Opcode 7 to every socket."""
        for connection in self._connected():
            connection.send(RECONNECT)

    def invalidate(self, *, resumable: bool = False) -> None:
        """Opcode 9 to every socket; not resumable: the sessions are gone."""
        for connection in self._connected():
            if connection.session is not None and not resumable:
                connection.session.unresumable = True
            connection.send(INVALID_SESSION, resumable)

    def close(self, code: int) -> None:
        """Closes every socket with this code; the sessions stay."""
        for connection in self._connected():
            connection.close(code)

    def cut(self) -> None:
        """Resets every socket's TCP connection."""
        for connection in self._connected():
            connection.cut()

    def ask_for_heartbeat(self) -> None:
        for connection in self._connected():
            connection.send(HEARTBEAT)

    def forget_sessions(self) -> None:
        """A RESUME gets INVALID_SESSION from now on."""
        for session in self.sessions.values():
            session.unresumable = True
