"""Replies that are begun at the first pause, on what was said until then (VOX-16).

    SpeculationStarted -> the utterance so far as a send, and its request to the model
    SpeculationEnded   -> kept: the burst asks for the send; else what was begun is discarded

Words that invoke something are not guessed at: planning their reply may begin what they ask for.
"""

from collections.abc import Callable

from bot.beside import Beside
from bot.voice_scenes.admissions import Admitted
from bot.voice_scenes.spoken_turns import SpokenTurns, Utterance
from bot.voice_scenes.talk_parts import TalkParts
from core.conversation.turns import UserTurn
from core.orchestration.sends import Send
from sessions.bindings import ChannelBinding
from sessions.scene import Session
from voice import (
    InputBegan,
    InputCancelled,
    InputDropped,
    SpeculationEnd,
    SpeculationEnded,
    SpeculationStarted,
    TurnsSubmitted,
    VoiceEvent,
)


class Guesses:
    """The guesses of one talk. `send_of` makes the send of turns in a session."""

    def __init__(
        self,
        parts: TalkParts,
        *,
        binding: ChannelBinding,
        turns: SpokenTurns,
        beside: Beside,
        send_of: Callable[[Session, list[UserTurn]], Send],
    ) -> None:
        self._parts = parts
        self._binding = binding
        self._turns = turns
        self._beside = beside
        self._send_of = send_of
        self._began: dict[str, float] = {}
        self._sends: dict[str, Send | None] = {}
        self._begun: str | None = None

    def told(self, event: VoiceEvent) -> None:
        """What the listening side tells."""
        match event:
            case InputBegan(input_id=input_id, speech_began_at=began_at):
                self._began[input_id] = began_at
            case InputCancelled(input_id=input_id) | InputDropped(input_id=input_id):
                self._began.pop(input_id, None)
            case TurnsSubmitted(input_ids=input_ids):
                for input_id in input_ids:
                    self._began.pop(input_id, None)
            case SpeculationStarted():
                self._sends[event.speculation_id] = None
                self._beside.run(self._guess(event), "guess")
            case SpeculationEnded(end=end, speculation_id=guess) if end is not SpeculationEnd.KEPT:
                self._sends.pop(guess, None)
                if guess == self._begun:
                    self.discard()
            case _:
                pass

    def take(self, speculation_id: str | None, session: Session) -> Send | None:
        """The send that was guessed; None where there is none, or the session was reset since."""
        send = self._sends.pop(speculation_id or "", None)
        return send if send is not None and send.generation == session.generation else None

    def discard(self) -> None:
        """Whatever was begun is wrong."""
        self._parts.speculation.discard(self._binding.session_id)

    async def _guess(self, event: SpeculationStarted) -> None:
        began_at = self._began.get(event.input_id, event.at)
        said = Utterance(input_id=event.input_id, user_id=event.user_id, text=event.text, began_at=began_at)
        speaker, now = self._turns.speaker(event.user_id), self._parts.clock.now()
        if await self._parts.admissions.foresee(self._binding, speaker, now) is not Admitted.ANSWERED:
            return
        turn = await self._turns.turn_of(said)
        if turn.skills:
            return
        await self._parts.orchestrator.idle(self._binding.session_id)  # it answers all that was said before
        session = await self._parts.sessions.open(self._binding, self._parts.clock.now())
        send = self._send_of(session, [turn])
        if event.speculation_id in self._sends:  # else it is over already
            self._sends[event.speculation_id] = send
            self._begun = event.speculation_id
            self._parts.speculation.begin(send)
