"""From bursts of spoken turns to replies: who is answered, and by what (VOX-14, VOX-16, TEXT-9).

What was not for the bot is kept as what the room said. A person whom a list leaves out leaves nothing.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from bot.beside import Beside
from bot.voice_scenes.admissions import Admitted
from bot.voice_scenes.advice import Advice
from bot.voice_scenes.guesses import Guesses
from bot.voice_scenes.spoken_turns import SpokenTurns, Utterance, turn_id_of
from bot.voice_scenes.talk_floor import TalkFloor
from bot.voice_scenes.talk_parts import ChatOfTalk, TalkParts
from bot.voice_scenes.transcripts import Transcripts
from core.conversation.turns import UserTurn
from core.failures import Failure
from core.orchestration.orchestrator import Ticket
from core.orchestration.sends import Failed, ReplyPlace, SceneKind, Send, SendOptions
from core.prompts.spoken import SPOKEN_REPLY
from sessions.bindings import ChannelBinding
from sessions.outbox_rules import reply_id_for
from sessions.scene import Session
from voice import (
    HearingFailed,
    SpokenBurst,
    SpokenTurn,
    TurnInterrupted,
    VoiceEvent,
)

_OPTIONS: Final = SendOptions(scene=SceneKind.DISCORD, supplement=SPOKEN_REPLY)
_MOST_ADDRESSED: Final = 256


class Answering:
    """The door between the listening of one talk and the orchestrator; replies go to `place`.

    `reply_ended` learns whose turns are answered, or will not be.
    """

    def __init__(
        self,
        parts: TalkParts,
        *,
        binding: ChannelBinding,
        beside: Beside,
        advice: Advice,
        floor: TalkFloor,
        reply_ended: Callable[[frozenset[int]], None],
    ) -> None:
        self._parts = parts
        self._binding = binding
        self._beside = beside
        self._advice = advice
        self._floor = floor
        self._tell_ended = reply_ended
        self._turns = SpokenTurns(
            session_id=binding.session_id,
            names=lambda: parts.people.names(binding.channel_id),
            skills=parts.skills,
            clock=parts.clock,
        )
        self._guesses = Guesses(parts, binding=binding, turns=self._turns, beside=beside, send_of=self._send)
        self._transcripts = Transcripts(
            binding=binding,
            notices=parts.notices,
            admissions=parts.admissions,
            speaker=self._turns.speaker,
            beside=beside,
            clock=parts.clock,
        )
        self._addressed: deque[str] = deque(maxlen=_MOST_ADDRESSED)
        self._tickets: dict[str, Ticket] = {}
        self.place: ReplyPlace = parts.chat
        self.language = parts.settings.language
        """What is spoken here: pinned, or recognised last."""

    def told(self, event: VoiceEvent) -> None:
        """What the listening side tells."""
        self._guesses.told(event)
        if self._parts.settings.chat is ChatOfTalk.ALL:
            self._transcripts.told(event)
        if isinstance(event, HearingFailed) and event.advice:
            self._advice.give(event.advice)

    async def submit(self, burst: SpokenBurst) -> None:
        """See `SubmitBurst`."""
        try:
            await self._take(burst)
        except Exception as error:
            if isinstance(error, Failure):
                self._advice.give(error.advice)
            self._reply_ended(frozenset(turn.user_id for turn in burst.turns if turn.addressed))
            raise  # the controller reports it

    async def record_interruption(self, event: TurnInterrupted) -> None:
        """See `RecordInterruption`: what was heard of a reply is durable once its run has ended."""
        ticket = self._tickets.get(event.turn.turn_id)
        if ticket is not None:
            outcome = await ticket.outcome()
            if isinstance(outcome, Failed):
                raise outcome.failure

    def answered_by(self, send: Send) -> frozenset[int]:
        """Those whose turns asked for the reply, not who was only heard beside them."""
        turns = (turn for turn in send.turns if turn.id in self._addressed and turn.speaker is not None)
        return frozenset(int(turn.speaker.id) for turn in turns if turn.speaker is not None)

    async def _take(self, burst: SpokenBurst) -> None:
        turns = [admitted for turn in burst.turns if (admitted := await self._admitted(turn)) is not None]
        for turn in turns:
            self.language = turn.language or self.language
        if self._parts.settings.chat is ChatOfTalk.ALL:
            await self._show(burst, turns)
        wanted = [turn for turn in turns if turn.addressed]
        if not wanted:
            self._guesses.discard()  # it knows nothing of what was said here
            for turn in turns:
                self._parts.overhearing.heard(
                    self._binding.session_id, self._turns.overheard(_utterance(turn))
                )
            self._reply_ended(frozenset(turn.user_id for turn in burst.turns if turn.addressed))
            return
        session = await self._parts.sessions.open(self._binding, self._parts.clock.now())
        send = self._guesses.take(burst.speculation_id, session)
        if send is None:
            send = self._send(session, [await self._turns.turn_of(_utterance(turn)) for turn in turns])
        self._addressed.extend(turn_id_of(turn.input_id) for turn in wanted)
        ticket = self._parts.orchestrator.submit(send, belongs_to_running=burst.goes_on)
        self._wait_for(ticket, send.reply_id, frozenset(turn.user_id for turn in wanted))

    async def _admitted(self, turn: SpokenTurn) -> SpokenTurn | None:
        """As it is taken: no request beyond a limit, and nothing of whom a list leaves out."""
        admissions, speaker = self._parts.admissions, self._turns.speaker(turn.user_id)
        now = self._parts.clock.now()
        if not turn.addressed:
            foreseen = await admissions.foresee(self._binding, speaker, now)
            return None if foreseen is Admitted.IGNORED else turn
        decided = await admissions.decide(self._binding, speaker, now)
        if decided.notice:
            notice = f"<@{turn.user_id}> {decided.notice}"
            self._beside.run(self._parts.notices.tell(self._binding.channel_id, notice), "notice")
        if decided.admitted is Admitted.IGNORED:
            return None
        return replace(turn, addressed=decided.admitted is Admitted.ANSWERED)

    async def _show(self, burst: SpokenBurst, turns: list[SpokenTurn]) -> None:
        taken = {turn.input_id for turn in turns}
        for turn in burst.turns:
            if turn.input_id in taken:
                await self._transcripts.settle(turn.input_id, turn.user_id, turn.text)
            else:
                self._transcripts.forget(turn.input_id)

    def _send(self, session: Session, turns: list[UserTurn]) -> Send:
        number = self._parts.new_id("v", self._parts.clock.now())
        return Send(
            session_id=self._binding.session_id,
            generation=session.generation,
            reply_id=reply_id_for(number),
            turns=tuple(turns),
            place=self.place,
            options=_OPTIONS,
        )

    def _wait_for(self, ticket: Ticket, reply_id: str, user_ids: frozenset[int]) -> None:
        async def wait() -> None:
            try:
                await ticket.outcome()
            finally:
                self._tickets.pop(reply_id, None)
                self._floor.reply_ended()
            self._reply_ended(user_ids)

        self._tickets[reply_id] = ticket
        self._floor.reply_began()
        self._beside.run(wait(), "reply")

    def _reply_ended(self, user_ids: frozenset[int]) -> None:
        if user_ids:
            self._tell_ended(user_ids)


def _utterance(turn: SpokenTurn) -> Utterance:
    return Utterance(
        input_id=turn.input_id, user_id=turn.user_id, text=turn.text, began_at=turn.speech_began_at
    )
