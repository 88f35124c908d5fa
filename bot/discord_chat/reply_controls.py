"""Stopping a reply and asking again: who may, and what becomes of it (CORE-23, TEXT-6).

The command, a button or a reaction only differ in how they ask.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum, auto
from typing import Protocol

from bot.discord_chat.channels import Channels, DeliveryError
from bot.discord_chat.incoming_message import message_id_of
from bot.discord_chat.room_stickers import OptionsOf
from bot.retry import asked_again, unanswered_question
from core.clock import Clock
from core.orchestration.orchestrator import Orchestrator
from core.orchestration.sends import ReplyPlace, Send
from sessions.bindings import ChannelBinding
from sessions.failures import IllegalMove
from sessions.history import History
from sessions.inbox import Inbox
from sessions.outbox_rules import reply_id_for
from sessions.scene import Sessions

_STOPPED = "stopped"
_OVER_SOON_S = 1.0


class Aside(Protocol):
    """Something that is said aloud beside the replies; `asked_by` None: anybody may stop it."""

    @property
    def asked_by(self) -> int | None: ...
    def stop(self) -> None: ...


class MayAskAgain(Protocol):
    """Who may have a reply made anew, by the lists and limits of the deployment."""

    async def may(self, place: ChannelBinding, user_id: int) -> bool:
        """Whether this person may now; what is allowed counts."""
        ...


class Asides(Protocol):
    """What is said in a scene beside its replies."""

    def asides(self, session_id: str) -> Sequence[Aside]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """Who asks; a manager may stop and retry what others asked."""

    user_id: int
    is_manager: bool

    @property
    def speaker_id(self) -> str:
        """The id under which their turns are stored."""
        return str(self.user_id)


class StopResult(Enum):
    """What became of the running reply."""

    STOPPED = auto()
    NOT_YOURS = auto()
    NOTHING_RUNS = auto()


class RetryResult(Enum):
    """What became of the question."""

    ASKED_AGAIN = auto()
    NOT_YOURS = auto()
    BUSY = auto()
    ALL_ANSWERED = auto()
    TOO_MUCH = auto()


class ReplyControls:
    """Acts on the replies of channels; `asides` None: nothing is said aloud."""

    def __init__(
        self,
        *,
        sessions: Sessions,
        history: History,
        inbox: Inbox,
        orchestrator: Orchestrator,
        channels: Channels,
        place: ReplyPlace,
        options: OptionsOf,
        may_ask_again: MayAskAgain,
        clock: Clock,
        asides: Asides | None = None,
    ) -> None:
        self._may_ask_again = may_ask_again
        self._asides = asides
        self._sessions = sessions
        self._history = history
        self._inbox = inbox
        self._orchestrator = orchestrator
        self._channels = channels
        self._place = place
        self._options = options
        self._clock = clock

    async def stop(self, binding: ChannelBinding, asker: Asker) -> tuple[StopResult, int]:
        """Stop the running reply and what is said beside it, and take back what the asker has waiting.

        Returns how much waited.
        """
        session_id = binding.session_id
        running = self._orchestrator.running(session_id)
        if running is None:
            result = self._stop_asides(session_id, asker)
        elif not asker.is_manager and not _asked_by(running, asker):
            result = StopResult.NOT_YOURS
        else:
            stopped = self._orchestrator.stop(session_id)
            beside = self._stop_asides(session_id, asker)
            result = StopResult.STOPPED if stopped else beside
        taken_back = self._orchestrator.withdraw_speaker(session_id, asker.speaker_id)
        message_ids = [str(message_id) for turn_id in taken_back if (message_id := message_id_of(turn_id))]
        if message_ids:
            with suppress(IllegalMove):  # a reset or a deleted channel has dropped them already
                await self._inbox.finish(message_ids, dropped=_STOPPED)
        return result, len(taken_back)

    def _stop_asides(self, session_id: str, asker: Asker) -> StopResult:
        asides = () if self._asides is None else self._asides.asides(session_id)
        own = [aside for aside in asides if asker.is_manager or aside.asked_by in {None, asker.user_id}]
        for aside in own:
            aside.stop()
        if own:
            return StopResult.STOPPED
        return StopResult.NOT_YOURS if asides else StopResult.NOTHING_RUNS

    def stop_reply(self, binding: ChannelBinding, asker: Asker, reply_id: str) -> StopResult:
        """Stop this reply, if it is the one that runs; what waits stays."""
        running = self._orchestrator.running(binding.session_id)
        if running is None or running.reply_id != reply_id:
            return StopResult.NOTHING_RUNS
        if not asker.is_manager and not _asked_by(running, asker):
            return StopResult.NOT_YOURS
        stopped = self._orchestrator.stop(binding.session_id)
        return StopResult.STOPPED if stopped else StopResult.NOTHING_RUNS

    async def retry(self, binding: ChannelBinding, asker: Asker, *, request_id: int) -> RetryResult:
        """Answer the last question anew when it got no whole answer.

        `request_id` is a snowflake of this very request: it names the new reply and its posts (TEXT-11).
        """
        with suppress(TimeoutError):  # a reply that was stopped just now is nearly over
            async with asyncio.timeout(_OVER_SOON_S):
                await self._orchestrator.idle(binding.session_id)
        session = await self._sessions.open(binding, self._clock.now())
        question = await unanswered_question(self._history, session.session_id)
        if self._orchestrator.is_busy(session.session_id):
            return RetryResult.BUSY
        if question is None:
            return RetryResult.ALL_ANSWERED
        if not asker.is_manager and not question.is_of(asker.speaker_id):
            return RetryResult.NOT_YOURS
        if not await self._may_ask_again.may(binding, asker.user_id):
            return RetryResult.TOO_MUCH
        self._orchestrator.submit(
            asked_again(
                question,
                session,
                reply_id=reply_id_for(str(request_id)),
                place=self._place,
                options=self._options(binding),
            )
        )
        with suppress(DeliveryError):
            await self._channels.show_typing(binding.channel_id)
        return RetryResult.ASKED_AGAIN


def _asked_by(send: Send, asker: Asker) -> bool:
    return any(turn.speaker is not None and turn.speaker.id == asker.speaker_id for turn in send.turns)
