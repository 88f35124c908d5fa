"""Keeps one call alive (VOX-7): runs a voice session to its end, asks the rules what follows, does it.

`run` joins and returns when the call is over; it is cancelled where the bot is kicked. At most one session
exists at a time; before the next one begins the former has no thread and no socket any more. Moved and
"another server" come as facts from the main gateway and end the present session; what is decided then looks
at the facts, not at the order in which they came.
"""

import random
import time
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import assert_never

import structlog

from voice.calls import CallEnded, EndReason
from voice.transport.call_parts import CallParts, Credentials
from voice.transport.deafness_rules import may_repair
from voice.transport.life_cycle_rules import (
    Attempts,
    AwaitVoiceState,
    Deaf,
    Identify,
    Leave,
    NextStep,
    Rejoin,
    Resume,
    ServerChanged,
    SessionEnd,
    SocketClosed,
    next_step,
)
from voice.transport.main_gateway import CallFacts, ChannelGone, MainGateway
from voice.transport.settings import TransportSettings
from voice.transport.voice_session import VoiceSession

_log = structlog.stdlib.get_logger(__name__)


class Supervisor:
    """See the module. `on_connected` is called each time sound can pass anew."""

    def __init__(
        self,
        *,
        facts: CallFacts,
        gateway: MainGateway,
        parts: CallParts,
        settings: TransportSettings,
        chance: random.Random,
        on_connected: Callable[[], None],
    ) -> None:
        self._facts = facts
        self._gateway = gateway
        self._parts = parts
        self._settings = settings
        self._chance = chance
        self._on_connected = on_connected
        self._attempts = Attempts()
        self._repaired_at: list[float] = []
        self.rejoining = False
        """It leaves the channel by itself, to join it anew."""
        self.session: VoiceSession | None = None
        self.sessions = 0
        self.resumes = 0
        self.recoveries = 0
        parts.may_repair = self._may_repair

    # the main gateway's word

    def in_channel(self, channel_id: int) -> None:
        """The bot's voice state names this channel, maybe after its server was told."""
        if self.session is not None:
            self.session.dave.channel_id = channel_id

    def server_changed(self) -> None:
        """A server update with an endpoint came."""
        if self.session is not None:
            self.session.end(ServerChanged())

    # its life

    async def run(self) -> CallEnded:
        """Joins and stays; raises nothing but its own cancellation."""
        credentials: Credentials | None = None
        while True:
            try:
                credentials = credentials or await self._join()
                outcome = await self._hold(credentials) if credentials else await self._failed()
            except ChannelGone:
                outcome = CallEnded(reason=EndReason.DISCONNECTED)
            except Exception as error:  # noqa: BLE001 - whatever broke, the call tries again within its bounds
                _log.error("a voice session broke", exc_info=error)
                outcome = await self._failed()
            finally:
                await self.close_session()
            if isinstance(outcome, CallEnded):
                return outcome
            credentials = outcome

    async def close_session(self) -> None:
        """No thread and no socket of the present session is left."""
        session, self.session = self.session, None
        if session is not None:
            self.recoveries += session.dave.recoveries
            await session.close()

    async def _hold(self, credentials: Credentials) -> Credentials | CallEnded | None:
        """One session to its end: the next one's credentials, None to join anew, or the end of the call."""
        session = self.session = VoiceSession(credentials, self._parts, self._on_connected)
        self.sessions += 1
        self._attempts = replace(self._attempts, resumes=0)
        end = await self._lived(session.run())
        while isinstance(step := self._step_after(end, session), Resume):
            if await self._pause(step.delay_s, credentials.server_number):
                continue
            self._attempts = replace(self._attempts, resumes=self._attempts.resumes + 1)
            self.resumes += 1
            end = await self._lived(session.resume())
        if isinstance(end, Deaf):
            self._repaired_at.append(time.monotonic())
        await self.close_session()
        return await self._go_on(step, credentials)

    async def _lived(self, life: Coroutine[None, None, SessionEnd]) -> SessionEnd:
        began = time.monotonic()
        end = await life
        if time.monotonic() - began >= self._settings.settled_after_s:
            self._attempts = Attempts()
        return end

    def _step_after(self, end: SessionEnd, session: VoiceSession) -> NextStep:
        if self._facts.newer_than(session.credentials.server_number) is not None:
            step: NextStep = Identify()
        else:
            step = next_step(end, self._attempts, jitter=self._chance.random())
        _log.info("voice session ended", end=repr(end), next=repr(step))
        return step

    async def _go_on(
        self, step: Rejoin | Identify | AwaitVoiceState | Leave, former: Credentials
    ) -> Credentials | CallEnded | None:
        match step:
            case Rejoin(delay_s):
                self._attempts = Attempts(failures=self._attempts.failures + 1)
                return await self._pause(delay_s, former.server_number) or await self._join()
            case Identify():
                return self._facts.credentials()
            case AwaitVoiceState():
                wait_s = self._settings.voice_state_wait_s
                return await self._newer(former.server_number, wait_s) or await self._join()
            case Leave():
                return CallEnded(reason=step.reason, code=step.code)
            case _:
                assert_never(step)

    async def _failed(self) -> Credentials | CallEnded | None:
        step = next_step(SocketClosed(None, was_ready=False), self._attempts, jitter=self._chance.random())
        if isinstance(step, Leave):
            return CallEnded(reason=step.reason)
        self._attempts = Attempts(failures=self._attempts.failures + 1)
        assert isinstance(step, Rejoin)  # noqa: S101 - nothing else follows a session that was never ready
        return await self._pause(step.delay_s, self._facts.server_number)

    async def _join(self) -> Credentials | None:
        """Asks for the channel; when no new voice server is told, leaves it first and asks again."""
        facts, number, channel_id = self._facts, self._facts.server_number, self._facts.wanted_channel_id
        present = facts.channel_id is not None
        await self._gateway.set_channel(channel_id)
        wait_s = self._settings.server_update_wait_s if present else self._settings.connect_timeout_s
        told = await self._newer(number, wait_s)
        if told is not None or not present:
            return told
        self.rejoining = True
        try:
            await self._gateway.set_channel(None)
            self.rejoining = not await facts.until(
                lambda: facts.channel_id is None, self._settings.leave_wait_s
            )
            await self._gateway.set_channel(channel_id)
            return await self._newer(number, self._settings.connect_timeout_s)
        finally:
            self.rejoining = False

    async def _pause(self, seconds: float, number: int) -> Credentials | None:
        return await self._newer(number, seconds * self._settings.backoff_factor)

    async def _newer(self, number: int, wait_s: float) -> Credentials | None:
        """What a server update after that number gives, once it is told; None when that is not in time."""
        facts = self._facts
        await facts.until(lambda: facts.newer_than(number) is not None, wait_s)
        return facts.newer_than(number)

    def _may_repair(self) -> bool:
        return may_repair(self._repaired_at, time.monotonic())
