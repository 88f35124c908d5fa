"""One session with one voice server (VOX-1): from IDENTIFY to its end, over any number of RESUMEs.

`run` and `resume` each hold one websocket and return how it ended; what to do then is
`life_cycle_rules`'. The UDP socket, the SSRC, the keys and the receiver's thread belong to the session
and live on between the two, so a resume loses no sound. Order within: READY, discovery, SELECT PROTOCOL,
session description, then sound may pass. One message that cannot be handled is reported and the next one
is read.
"""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress

import structlog

from voice.audio.playback_queue import Gate
from voice.transport.call_parts import CallParts, Credentials
from voice.transport.dave import SUPPORTED_VERSION, DaveCall, KeysChanged, Outcome
from voice.transport.deafness_rules import deaf_because
from voice.transport.gateway_events import (
    ClientConnected,
    ClientDisconnected,
    ClientsConnected,
    CommitAnnounced,
    EpochPrepared,
    ExternalSenderGiven,
    GatewayEvent,
    HeartbeatAck,
    Hello,
    Ignored,
    Proposed,
    Ready,
    Resumed,
    RosterEvent,
    SessionDescription,
    Speaking,
    TransitionExecuted,
    TransitionPrepared,
    Welcomed,
)
from voice.transport.gateway_messages import (
    Opcode,
    SendText,
)
from voice.transport.gateway_socket import GatewaySocket, GatewayUnreachable
from voice.transport.life_cycle_rules import Deaf, ResumeRefused, SessionEnd, SocketClosed
from voice.transport.media_path import MediaPath
from voice.transport.speaker_log import NOBODY
from voice.transport.transport_crypto import UnknownMode, choose_mode
from voice.transport.udp import NoMediaPath

_log = structlog.stdlib.get_logger(__name__)
_UNKNOWN_MODE = 4016


class VoiceSession:
    """See the module. Everything here runs on the event loop."""

    def __init__(self, credentials: Credentials, parts: CallParts, on_connected: Callable[[], None]) -> None:
        self.credentials = credentials
        self._on_connected = on_connected
        self._parts = parts
        self._loop = asyncio.get_running_loop()
        self.dave = DaveCall(
            user_id=credentials.user_id, channel_id=credentials.channel_id, clock=time.monotonic
        )
        self.connected = asyncio.Event()
        self.mode: str | None = None
        self._socket: GatewaySocket | None = None
        self._media = MediaPath(parts)
        self._speaking = False
        self._sequence = -1
        self._resumed = False
        self._back = asyncio.Event()
        self._speaking_news = asyncio.Event()
        self._ending: asyncio.Future[SessionEnd] = self._loop.create_future()
        self._reported: set[str] = set()

    @property
    def latency_s(self) -> float | None:
        """The gateway's answer to the last heartbeat."""
        return self._socket.latency_s if self._socket is not None else None

    def end(self, end: SessionEnd) -> None:
        """Makes the present `run` or `resume` return this."""
        if not self._ending.done():
            self._ending.set_result(end)

    async def run(self) -> SessionEnd:
        """Identifies and lives until the websocket ends."""
        self._parts.roster.clear()
        self._parts.logs.begin_session()
        credentials = self.credentials
        identify = SendText(
            Opcode.IDENTIFY,
            {
                "server_id": str(credentials.guild_id),
                "user_id": str(credentials.user_id),
                "session_id": credentials.session_id,
                "token": credentials.token,
                "max_dave_protocol_version": SUPPORTED_VERSION,
            },
        )
        return await self._live(identify, self.connected, self._parts.settings.connect_timeout_s)

    async def resume(self) -> SessionEnd:
        """Goes on after a lost websocket, with everything else as it is."""
        self._resumed = False
        self._ending = self._loop.create_future()
        resume = SendText(
            Opcode.RESUME,
            {
                "server_id": str(self.credentials.guild_id),
                "session_id": self.credentials.session_id,
                "token": self.credentials.token,
                "seq_ack": self._sequence,
            },
        )
        self._back.clear()
        end = await self._live(resume, self._back, self._parts.settings.resume_timeout_s)
        return ResumeRefused() if isinstance(end, SocketClosed) and not self._resumed else end

    async def close(self, code: int = 1000) -> None:
        """Ends it for good: no thread and no socket of it is left."""
        self._parts.channel.queue.hold(Gate.KEY, closed=True)
        try:
            if self._socket is not None:
                await self._socket.close(code)
        finally:
            await self._media.close()

    # one websocket

    async def _live(self, first: SendText, ready: asyncio.Event, timeout_s: float) -> SessionEnd:
        was_ready = self.connected.is_set()
        try:
            self._socket = await GatewaySocket.connect(
                self._parts.http,
                self.credentials.endpoint,
                ssl=self._parts.ssl,
                sequence=self._sequence,
                refuse=self._parts.logs.refuse,
                timeout_s=self._parts.settings.connect_timeout_s,
            )
            await self._socket.send(first)
        except GatewayUnreachable as error:
            _log.info("voice gateway unreachable", reason=str(error))
            return SocketClosed(None, was_ready)
        socket_ = self._socket
        async with asyncio.TaskGroup() as tasks:
            running = [
                tasks.create_task(self._read(socket_)),
                tasks.create_task(self._beat(socket_)),
                tasks.create_task(self._become_ready(ready, timeout_s)),
                tasks.create_task(self._watch_for_deafness()),
                tasks.create_task(self._announce_speaking(socket_)),
            ]
            try:
                end = await self._ending
            finally:
                for task in running:
                    task.cancel()
        self._sequence = socket_.sequence
        if not isinstance(end, SocketClosed):
            await socket_.close()
        return end

    async def _read(self, socket_: GatewaySocket) -> None:
        async for event in socket_.events():
            try:
                await self._handle(event, socket_)
            except (NoMediaPath, UnknownMode) as error:
                _log.warning("no way for sound", reason=str(error))
                hopeless = isinstance(error, UnknownMode) and not self.connected.is_set()
                code = _UNKNOWN_MODE if hopeless else None  # a session that stood is worth another one
                self.end(SocketClosed(code, was_ready=False))
                await socket_.close()
                return
            except GatewayUnreachable:
                break
            except Exception as error:  # noqa: BLE001 - one message must not end the call
                self._report(f"gateway message: {type(error).__name__}", error)
        self.end(SocketClosed(socket_.close_code, self.connected.is_set()))

    async def _beat(self, socket_: GatewaySocket) -> None:
        with suppress(GatewayUnreachable):
            await socket_.beat()
        self.end(SocketClosed(None, self.connected.is_set()))
        await socket_.close(4000)

    async def _become_ready(self, ready: asyncio.Event, timeout_s: float) -> None:
        try:
            async with asyncio.timeout(timeout_s):
                await ready.wait()
        except TimeoutError:
            self.end(SocketClosed(None, was_ready=False))

    async def _watch_for_deafness(self) -> None:
        parts = self._parts
        while True:
            await asyncio.sleep(parts.settings.watchdog_every_s)
            parts.on_roster()
            if parts.logs.deafened:
                continue
            present = parts.roster.users - parts.roster.ignored
            for log in (*parts.logs.by_user.values(), parts.logs.nobody):
                if log.user_id != NOBODY and log.user_id not in present:
                    continue
                problem = deaf_because(log, time.monotonic())
                if problem is None or log.deaf_because is not None:
                    continue
                log.deaf_because = problem.value
                _log.warning(
                    "a speaker is not heard",
                    user_id=log.user_id,
                    cause=problem.value,
                    detail=log.undecryptable_reason,
                )
                if parts.may_repair():
                    self.end(Deaf())

    # messages

    async def _handle(self, event: GatewayEvent, socket_: GatewaySocket) -> None:
        match event:
            case Ready():
                await self._find_media_path(event, socket_)
            case SessionDescription():
                await self._begin_sound(event, socket_)
            case Resumed():
                self._resumed = True
                self._back.set()
                for send in self.dave.unanswered():  # what was told to the lost websocket may be lost with it
                    await socket_.send(send)
                await self._tell_speaking(socket_)
            case Speaking() | ClientsConnected() | ClientConnected() | ClientDisconnected():
                await self._note_roster(event, socket_)
            case (
                TransitionPrepared()
                | TransitionExecuted()
                | EpochPrepared()
                | ExternalSenderGiven()
                | Proposed()
                | CommitAnnounced()
                | Welcomed()
            ):
                outcome = self.dave.take(event, self._parts.roster.expected_users)
                await self._carry_out(outcome, socket_)
            case Hello() | HeartbeatAck() | Ignored():
                pass

    async def _find_media_path(self, ready: Ready, socket_: GatewaySocket) -> None:
        self._parts.roster.clear()
        mode = choose_mode(ready.modes)
        address, port = await self._media.open(ready)
        data = {"address": address, "port": port, "mode": mode}
        await socket_.send(SendText(Opcode.SELECT_PROTOCOL, {"protocol": "udp", "data": data}))

    async def _begin_sound(self, description: SessionDescription, socket_: GatewaySocket) -> None:
        self.mode = description.mode
        outcome = self.dave.begin(description.dave_version)
        await self._media.begin(description, self.dave, self._speaking_changed_in_thread)
        await self._carry_out(outcome, socket_)
        await self._tell_speaking(socket_)
        self.connected.set()
        self._on_connected()

    async def _note_roster(self, event: RosterEvent, socket_: GatewaySocket) -> None:
        parts = self._parts
        known = parts.roster.users
        left = parts.roster.apply(event)
        if parts.roster.users - known:
            parts.on_roster()
        if isinstance(event, Speaking) and event.speaking and event.user_id not in parts.roster.ignored:
            parts.logs.of(event.user_id).announced_at = time.monotonic()
        if left is not None:
            self._media.user_left(left)
        else:
            self._media.keys_changed()
        if isinstance(event, ClientsConnected | ClientConnected) and self.connected.is_set():
            await self._tell_speaking(socket_)  # who joins late learns our SSRC from it

    async def _carry_out(self, outcome: Outcome, socket_: GatewaySocket) -> None:
        if outcome.problem is not None:
            self._parts.logs.refuse("dave: " + outcome.problem.split(":", 1)[0])
            _log.warning("DAVE recovered from a problem", problem=outcome.problem)
        self._parts.channel.queue.hold(Gate.KEY, closed=not self.dave.can_send)
        if outcome.keys is KeysChanged.YES:
            self._media.keys_changed()
        for send in outcome.sends:
            await socket_.send(send)

    # speaking

    def _speaking_changed_in_thread(self, speaking: bool) -> None:  # noqa: FBT001 - as below
        with suppress(RuntimeError):  # the loop may be closed already
            self._loop.call_soon_threadsafe(self._speaking_changed, speaking)

    def _speaking_changed(self, speaking: bool) -> None:  # noqa: FBT001 - called by position across threads
        self._speaking = speaking
        self._speaking_news.set()

    async def _announce_speaking(self, socket_: GatewaySocket) -> None:
        with suppress(GatewayUnreachable):
            while True:
                await self._speaking_news.wait()
                self._speaking_news.clear()
                await self._tell_speaking(socket_)

    async def _tell_speaking(self, socket_: GatewaySocket) -> None:
        data = {"speaking": int(self._speaking), "delay": 0, "ssrc": self._media.ssrc}
        await socket_.send(SendText(Opcode.SPEAKING, data))

    def _report(self, kind: str, error: Exception) -> None:
        self._parts.logs.refuse(kind)
        if kind not in self._reported:
            self._reported.add(kind)
            _log.error("a gateway message could not be handled", kind=kind, exc_info=error)
