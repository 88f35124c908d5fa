"""One guild's call, as `voice.calls.Call` promises it: what the supervisor keeps alive, seen from outside."""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Collection
from contextlib import suppress
from ssl import SSLContext

import aiohttp
import structlog

from voice.audio.frames import HeardEvent
from voice.audio.playback_queue import Gate, Playback
from voice.calls import CallEnded, CallStatistics, EndReason
from voice.transport.call_parts import CallParts
from voice.transport.heard_events import HeardEvents
from voice.transport.main_gateway import CallFacts, Company, MainGateway
from voice.transport.roster import Roster
from voice.transport.sender import Sender
from voice.transport.settings import TransportSettings
from voice.transport.speaker_log import NOBODY, SpeakerLogs
from voice.transport.supervisor import Supervisor

_log = structlog.stdlib.get_logger(__name__)
_COMPANY_CHECKS = 20


class VoiceCall:
    """`run` is its life and belongs into the owner's task group.

    All else may be used as long as that runs.
    """

    def __init__(
        self,
        *,
        guild_id: int,
        channel_id: int,
        gateway: MainGateway,
        company: Company,
        http: aiohttp.ClientSession,
        ssl: SSLContext | None,
        sender: Sender,
        settings: TransportSettings,
        chance: random.Random,
    ) -> None:
        self._gateway = gateway
        self._company = company
        self._joined = asyncio.Event()
        self._settings = settings
        self._sender = sender
        self._facts = CallFacts(guild_id=guild_id, user_id=gateway.user_id, channel_id=channel_id)
        self._parts = CallParts(
            http=http,
            ssl=ssl,
            settings=settings,
            events=HeardEvents(),
            channel=sender.open_channel(),
            roster=Roster(gateway.user_id),
            logs=SpeakerLogs(),
        )
        self._parts.on_roster = self._look_up_ignored
        self._supervisor = Supervisor(
            facts=self._facts,
            gateway=gateway,
            parts=self._parts,
            settings=settings,
            chance=chance,
            on_connected=self._on_connected,
        )
        self._opted_out: frozenset[int] = frozenset()
        self._bots: frozenset[int] = frozenset()
        self._stays_when_alone = False
        loop = asyncio.get_running_loop()
        self._end: asyncio.Future[CallEnded] = loop.create_future()
        self._first_word: asyncio.Future[CallEnded | None] = loop.create_future()

    # `voice.calls.Call`

    @property
    def guild_id(self) -> int:
        return self._facts.guild_id

    @property
    def channel_id(self) -> int:
        return self._facts.wanted_channel_id

    def heard(self) -> AsyncIterator[HeardEvent]:
        return self._parts.events.events()

    def begin_playback(self) -> Playback:
        return self._parts.channel.queue.begin()

    def ignore(self, user_ids: Collection[int]) -> None:
        self._opted_out = frozenset(user_ids)
        self._look_up_ignored()

    def listen_to(self, user_id: int, *, wanted: bool) -> None:
        self.ignore(self._opted_out - {user_id} if wanted else self._opted_out | {user_id})

    def hear_full_band(self, *, wanted: bool) -> None:
        self._parts.roster.full_band = wanted

    def stay_when_alone(self, *, stays: bool) -> None:
        self._stays_when_alone = stays

    def statistics(self) -> CallStatistics:
        supervisor, parts, now = self._supervisor, self._parts, time.monotonic()
        session = supervisor.session
        counts = parts.channel.counts
        logs = [*parts.logs.by_user.values()]
        if parts.logs.nobody.packets or parts.logs.nobody.undecryptable:
            logs.append(parts.logs.nobody)
        present = parts.roster.users | {NOBODY}
        return CallStatistics(
            connected=session is not None and session.connected.is_set(),
            encryption_mode=session.mode if session else None,
            dave_version=session.dave.version if session else 0,
            dave_ready=session is not None and session.dave.version > 0 and session.dave.can_send,
            dave_epoch=session.dave.epoch if session else None,
            privacy_code=session.dave.privacy_code if session else None,
            latency_s=session.latency_s if session else None,
            sessions=supervisor.sessions,
            resumes=supervisor.resumes,
            dave_recoveries=supervisor.recoveries + (session.dave.recoveries if session else 0),
            sent_frames=counts.frames,
            send_errors=counts.errors + counts.unencrypted_held_back,
            underruns=parts.channel.pacer.counts.underruns,
            refused=dict(parts.logs.refused),
            events_dropped=parts.events.dropped,
            speakers=tuple(log.snapshot(now=now, present=log.user_id in present) for log in logs),
        )

    async def leave(self) -> None:
        self._finish(CallEnded(reason=EndReason.LEFT))
        await self._facts.until(lambda: self._facts.channel_id is None, self._settings.leave_wait_s)

    async def ended(self) -> CallEnded:
        return await asyncio.shield(self._end)

    # for the link

    async def connected(self) -> CallEnded | None:
        """Waits until sound can pass for the first time; the end of the call if that comes before."""
        return await asyncio.shield(self._first_word)

    @property
    def is_over(self) -> bool:
        """Whether it has ended; its resources may be there for a moment still."""
        return self._end.done()

    async def arrived(self, channel_id: int) -> bool:
        """Whether Discord put the bot there, after it was asked to; False when it did not in time."""
        facts = self._facts
        await facts.until(
            lambda: facts.channel_id == channel_id or self.is_over, self._settings.connect_timeout_s
        )
        return facts.channel_id == channel_id and not self.is_over

    def on_voice_state(
        self, channel_id: int | None, session_id: str, *, suppressed: bool, deafened: bool
    ) -> None:
        """The bot's own voice state.

        Suppressed on a stage until it is invited to speak; deafened by a moderator, it is sent no sound.
        """
        self._parts.channel.queue.hold(Gate.STAGE, closed=suppressed)
        self._parts.logs.deafen(deafened=deafened)
        was_in = self._facts.channel_id is not None  # else this is the end of the call before
        self._facts.voice_state(channel_id, session_id)
        if channel_id is not None:
            self._supervisor.in_channel(channel_id)
        elif was_in and not self._supervisor.rejoining:
            self._finish(CallEnded(reason=EndReason.DISCONNECTED))

    def on_voice_server(self, token: str, endpoint: str | None) -> None:
        """The guild's voice server."""
        self._facts.voice_server(token, endpoint)
        if endpoint is not None:
            self._supervisor.server_changed()

    async def run(self) -> None:
        """Joins and stays until the call ends; raises nothing but its own cancellation."""
        try:
            async with asyncio.TaskGroup() as tasks:
                life = tasks.create_task(self._live())
                others = [
                    tasks.create_task(self._leave_when_alone()),
                    tasks.create_task(self._ask_to_speak()),
                ]
                await asyncio.wait({self._end})
                for task in (life, *others):
                    task.cancel()
        finally:
            self._finish(CallEnded(reason=EndReason.SHUT_DOWN))
            self._sender.close_channel(self._parts.channel)
            await self._supervisor.close_session()
            self._parts.events.close()
            with suppress(Exception):  # the main gateway may be gone before the call
                await self._gateway.set_channel(None)  # also where Discord did not answer yet

    async def _live(self) -> None:
        self._finish(await self._supervisor.run())

    async def _leave_when_alone(self) -> None:
        alone_at_most_s = self._settings.leave_when_alone_s
        if alone_at_most_s is None:
            return
        alone_checks = 0
        while alone_checks < _COMPANY_CHECKS:
            await asyncio.sleep(alone_at_most_s / _COMPANY_CHECKS)
            goes_on = self._stays_when_alone or self._company.others_present(self.channel_id)
            alone_checks = 0 if goes_on else alone_checks + 1
        self._finish(CallEnded(reason=EndReason.ALONE))

    async def _ask_to_speak(self) -> None:
        while True:
            await self._joined.wait()
            self._joined.clear()
            try:
                await self._gateway.ask_to_speak(self.channel_id)
            except Exception as error:  # noqa: BLE001 - without the permission the bot just listens
                _log.info("the bot may not ask to speak", error=type(error).__name__)

    def _on_connected(self) -> None:
        self._look_up_ignored()
        self._joined.set()
        if not self._first_word.done():
            self._first_word.set_result(None)

    def _look_up_ignored(self) -> None:
        roster = self._parts.roster
        self._bots |= {user_id for user_id in roster.users if self._company.is_bot(user_id)}
        roster.ignored = self._opted_out | self._bots

    def _finish(self, ended: CallEnded) -> None:
        if not self._end.done():
            self._end.set_result(ended)
        if not self._first_word.done():
            self._first_word.set_result(ended)
