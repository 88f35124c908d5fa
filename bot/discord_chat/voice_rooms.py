"""Which voice channels the bot is in: it comes, goes and is moved here, and whoever is there is told.

At most one call per server. Nothing that is heard before the notice stands in the channel's chat is handed
on (VOX-9). The end of a call that nobody asked for is told there in one sentence (VOX-7).
"""

import asyncio
import math
import time
from collections import defaultdict
from collections.abc import Coroutine
from types import TracebackType
from typing import Protocol, Self

import structlog

from bot.discord_chat.channels import Channels, DeliveryError, Unavailable
from bot.discord_chat.voice_access_rules import Present, VoiceRefused
from bot.discord_chat.voice_choices import VoiceChoices
from bot.discord_chat.voice_places import VoicePlaces
from bot.discord_chat.voice_recorder import VoiceRecorder
from bot.discord_chat.voice_returns import VoiceReturns
from bot.discord_chat.voice_words import (
    ATTENDANT_FAILED,
    NOTICE,
    what_is_missing,
    why_gone,
    why_not_back,
    why_not_joined,
)
from bot.tapped_call import TappedCall
from core.sentences import sentence
from voice import (
    Call,
    CallEnded,
    Calls,
    CallStatistics,
    CannotJoin,
    EndReason,
)

_log = structlog.get_logger()
_NOTICE_TRIES = 3
_NOTICE_AGAIN_AFTER_S = 1.0


class Attendant(Protocol):
    """What the bot does in a call."""

    async def attend(self, call: Call) -> None:
        """Once per call, from the notice on; cancelled when the call is over.

        The call may move to another channel meanwhile: `call.channel_id` is where it is. When this raises,
        the bot leaves.
        """
        ...

    def moved(self, guild_id: int) -> None:
        """The server's call is in another channel: what was said and asked before is not for who is there."""
        ...

    async def left(self, call: Call) -> None:
        """The call is over, and the process goes on."""
        ...


class VoiceRooms:
    """An async context that owns the calls' tasks; its end leaves every channel."""

    def __init__(
        self,
        *,
        calls: Calls,
        places: VoicePlaces,
        channels: Channels,
        choices: VoiceChoices,
        recorder: VoiceRecorder,
        attendant: Attendant,
    ) -> None:
        self._calls = calls
        self._places = places
        self._channels = channels
        self._choices = choices
        self._recorder = recorder
        self._attendant = attendant
        self._tasks = asyncio.TaskGroup()
        self._stopping = False
        self._held: dict[int, Call] = {}
        self._told_at: dict[int, float] = {}
        """By server, since when people in the channel know that the bot is there; in monotonic seconds."""
        self._bound_for: dict[int, int] = {}
        """By server, the channel that the bot is on its way to."""
        self._joining = defaultdict[int, asyncio.Lock](asyncio.Lock)
        self._returns = VoiceReturns(
            choices=choices,
            places=places,
            is_in=self._held.__contains__,
            join=self.join,
            say=self._say,
        )

    async def __aenter__(self) -> Self:
        await self._tasks.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.leave_all()
        await self._tasks.__aexit__(kind, error, trace)

    # asked by people

    def present(self, guild_id: int) -> Present | None:
        """Where the bot is in that server."""
        call = self._held.get(guild_id)
        if call is None:
            return None
        return Present(channel_id=call.channel_id, with_people=self._places.has_people(call.channel_id))

    def bound_for(self, guild_id: int) -> Present | None:
        """Where the bot is about to be in that server, or is."""
        channel_id = self._bound_for.get(guild_id)
        if channel_id is None:
            return self.present(guild_id)
        return Present(channel_id=channel_id, with_people=self._places.has_people(channel_id))

    async def join(self, guild_id: int, channel_id: int) -> None:
        """Goes there, from wherever it is in that server; returns when sound can pass and people are told.

        Raises:
            VoiceRefused: the bot may not, or could not.
        """
        missing = self._places.missing(channel_id)
        if missing:
            raise VoiceRefused(what_is_missing(missing, channel_id))
        async with self._joining[guild_id]:
            present = self.present(guild_id)
            is_there = present is not None and present.channel_id == channel_id
            if not is_there and self._places.is_full(channel_id):
                raise VoiceRefused(sentence("<#{channel_id}> is full.", channel_id=channel_id))
            self._bound_for[guild_id] = channel_id
            try:
                ignored = await self._choices.opted_out()
                call = await self._calls.join(guild_id, channel_id, ignored=ignored)
            except CannotJoin as error:
                if error.ended is not None and error.ended.reason is EndReason.DISCONNECTED:
                    await self._choices.stay(guild_id, None)
                raise VoiceRefused(why_not_joined(error.ended), unasked=why_not_back(error.ended)) from error
            finally:
                del self._bound_for[guild_id]
            if self._stopping:
                await call.leave()
                raise VoiceRefused(
                    sentence("I am about to stop, so I do not come. Call me again in a minute.")
                )
            if self._held.get(guild_id) is not call:
                await self._begin(call)

    async def leave(self, guild_id: int) -> None:
        """Goes away, and does not come back by itself."""
        await self._choices.stay(guild_id, None)
        call = self._calls.call_in(guild_id)
        if call is not None:
            await call.leave()

    async def stay(self, guild_id: int, *, wanted: bool) -> None:
        """Comes back to the present channel after a restart, or to none."""
        call = self._held.get(guild_id)
        await self._choices.stay(guild_id, call.channel_id if call is not None and wanted else None)
        if call is not None:
            call.stay_when_alone(stays=wanted)

    async def opt_out(self, user_id: int, *, wanted: bool) -> None:
        """Drops that person's packets unheard from now on, in every call; or hears them again (VOX-9)."""
        await self._choices.opt_out(user_id, wanted=wanted)
        for call in self._held.values():
            call.listen_to(user_id, wanted=not wanted)

    async def record(self, guild_id: int, *, asked_by: int) -> None:
        """Records the call, from when people are told to its end.

        Raises:
            VoiceRefused: there is no call, it is recorded already, or people cannot be told.
        """
        call = self._held.get(guild_id)
        if call is None:
            raise VoiceRefused(sentence("I am in no voice channel here."))
        recording = await self._recorder.begin(call, asked_by=asked_by)
        self._run(self._recorder.record(recording))

    def stop_recording(self, guild_id: int) -> None:
        """Ends it, and posts it.

        Raises:
            VoiceRefused: nothing is recorded.
        """
        if not self._recorder.stop(guild_id):
            raise VoiceRefused(sentence("Nothing is recorded here."))

    def statistics(self, guild_id: int) -> CallStatistics | None:
        """How the call stands, or the attempt to join one; None without."""
        call = self._calls.call_in(guild_id)
        return None if call is None else call.statistics()

    def hindrances(self, guild_id: int) -> tuple[str, ...]:
        """What keeps the call there from hearing or from being heard, in sentences."""
        return self._places.hindrances(guild_id)

    # told by Discord

    def session_began(self) -> None:
        """Comes back to where it stays."""
        self._run(self._come_back_everywhere())

    def guild_came(self, guild_id: int) -> None:
        """Comes back to where it stays in that server."""
        self._run(self._returns.come_back(guild_id))

    async def leave_all(self) -> None:
        """The process stops: leave every channel, and join none any more."""
        self._stopping = True
        self._returns.close()
        async with asyncio.TaskGroup() as leaving:
            for call in self._held.values():
                leaving.create_task(call.leave())

    async def moved(self, guild_id: int, channel_id: int) -> None:
        """Somebody moved the bot, or it moved itself: who is there now is told."""
        call = self._held.get(guild_id)
        if call is None:
            return
        self._told_at[guild_id] = math.inf
        self._attendant.moved(guild_id)
        self._recorder.stop(guild_id)  # nobody there was told
        if await self._choices.stays_in(guild_id) is not None:
            await self._choices.stay(guild_id, channel_id)
        if not await self._told(call, channel_id):
            await call.leave()

    async def entered(self, guild_id: int, channel_id: int, user_id: int) -> None:
        """Whoever comes while a recording goes on is told of it."""
        await self._recorder.tell(guild_id, channel_id, user_id)

    # a call's life

    async def _begin(self, call: Call) -> None:
        self._held[call.guild_id] = call
        self._told_at[call.guild_id] = math.inf
        told = False
        try:
            call.ignore(await self._choices.opted_out())  # who opted out as the bot came is among them
            call.stay_when_alone(stays=await self._choices.stays_in(call.guild_id) is not None)
            told = await self._told(call, call.channel_id)
        finally:
            if not told:
                del self._held[call.guild_id]
                await call.leave()
        if not told:
            raise VoiceRefused(
                sentence(
                    "I cannot write in <#{channel_id}>, so nobody there would know of me.",
                    channel_id=call.channel_id,
                )
            )
        self._run(self._hold(call))

    def _run(self, work: Coroutine[None, None, None]) -> None:
        if self._stopping:  # Discord goes on telling of servers
            work.close()
            return
        task = self._tasks.create_task(_reported(work))
        task.add_done_callback(lambda _: work.close())  # cut before its first step it never began

    async def _hold(self, call: Call) -> None:
        try:
            async with asyncio.TaskGroup() as tasks:
                attending = tasks.create_task(self._attend(call))
                ended = await call.ended()
                attending.cancel()
        finally:
            self._recorder.stop(call.guild_id, delivers=not self._stopping)
            if self._held.get(call.guild_id) is call:
                del self._held[call.guild_id]
        if not self._stopping:
            await self._attendant.left(call)
        if ended.reason is EndReason.DISCONNECTED:
            await self._choices.stay(call.guild_id, None)
        await self._tell_end(call, ended)
        await self._returns.after(call.guild_id, ended.reason)

    async def _attend(self, call: Call) -> None:
        try:
            tapped = TappedCall(call, self._recorder.hear, told_at=lambda: self._told_at[call.guild_id])
            await self._attendant.attend(tapped)
        except Exception:  # noqa: BLE001 - one call that fails must not end the others
            _log.exception("call not attended", guild=call.guild_id)
            await call.leave()
            await self._say(call.channel_id, ATTENDANT_FAILED)

    async def _come_back_everywhere(self) -> None:
        for guild_id in await self._choices.staying():
            if self._places.sees(guild_id):
                self.guild_came(guild_id)

    async def _tell_end(self, call: Call, ended: CallEnded) -> None:
        _log.info("call ended", guild=call.guild_id, reason=ended.reason.value, code=ended.code)
        stays = await self._choices.stays_in(call.guild_id) is not None
        sentence = why_gone(ended, comes_back=stays)
        if sentence is not None and self._places.exists(call.channel_id):
            await self._say(call.channel_id, sentence)

    async def _told(self, call: Call, channel_id: int) -> bool:
        """Whether the notice stands where the call is, or was."""
        if not await self._gave_notice(channel_id):
            return False
        if call.channel_id == channel_id:  # else it was moved on, and that is another notice
            self._told_at[call.guild_id] = time.monotonic()
        return True

    async def _gave_notice(self, channel_id: int) -> bool:
        for _ in range(_NOTICE_TRIES):
            try:
                await self._channels.say(channel_id, NOTICE)
            except Unavailable:
                await asyncio.sleep(_NOTICE_AGAIN_AFTER_S)
            except DeliveryError:
                return False
            else:
                return True
        return False

    async def _say(self, channel_id: int, sentence: str) -> None:
        try:
            await self._channels.say(channel_id, sentence)
        except DeliveryError as error:
            _log.info("voice channel not told", channel=channel_id, error=type(error).__name__)


async def _reported(work: Coroutine[None, None, None]) -> None:
    """What breaks for one server is logged and ends nothing for the others."""
    try:
        await work
    except Exception:  # noqa: BLE001 - a storage that fails must not take every call down
        _log.exception("voice channel not seen to")
