"""The bot's own voice as listening knows it: which reply is audible, whom it answers, how it is interrupted.

Stands between the rules and `voice/output/`: translates what the output tells into events, and the rules'
commands into calls. An interruption silences first and records afterwards (VOX-32).
"""

from collections.abc import Callable, Collection
from typing import Protocol

from voice.interruption import InterruptionCause, TurnInterrupted
from voice.output.output_events import (
    Cause,
    Heard,
    OutputEvent,
    ResponseEnded,
    ResponseInterrupted,
    SpeechBegan,
)
from voice.policy.events import BotBeganSpeaking, BotFellSilent, VoiceEvent
from voice.turn import TurnRef


class Response(Protocol):
    """One reply as speech; `voice.output.voice_response.VoiceResponse` is one."""

    @property
    def is_over(self) -> bool: ...
    @property
    def asks(self) -> bool:
        """Whether its last words are being heard, and ask something."""
        ...

    def interrupt(self, cause: Cause) -> Heard:
        """Nothing more of it is heard from the next slot of 20 ms on."""
        ...


class Mouth(Protocol):
    """What pauses and resumes the reply that is audible; `voice.output.voice_output.VoiceOutput` does."""

    def duck(self) -> bool:
        """Stands still within a frame; False when nothing is said."""
        ...

    def resume(self) -> None: ...


class Speaking:
    """`feed` takes the events."""

    def __init__(
        self,
        *,
        feed: Callable[[VoiceEvent], None],
        now: Callable[[], float],
    ) -> None:
        self.mouth: Mouth | None = None
        self.audible: TurnRef | None = None
        self._feed = feed
        self._now = now
        self._responses: dict[str, tuple[TurnRef, frozenset[int], Response]] = {}

    @property
    def replies(self) -> tuple[TurnRef, ...]:
        """Replies that are said or wait to be."""
        return tuple(turn for turn, _, response in self._responses.values() if not response.is_over)

    @property
    def asks(self) -> bool:
        """Whether the audible reply ends in a question that is being heard."""
        known = None if self.audible is None else self._responses.get(self.audible.turn_id)
        return known is not None and known[2].asks

    def opened(self, turn: TurnRef, answering: Collection[int], response: Response) -> None:
        """A reply will be spoken."""
        self._responses[turn.turn_id] = (turn, frozenset(answering), response)

    def told(self, event: OutputEvent) -> None:
        """What the output says of itself."""
        known = self._responses.get(event.turn_id)
        if known is None:
            return
        turn, answering, _ = known
        match event:
            case SpeechBegan():
                if self.audible != turn:
                    self.audible = turn
                    self._feed(BotBeganSpeaking(turn=turn, answering=answering, at=event.at))
            case ResponseEnded() | ResponseInterrupted():
                self._responses.pop(event.turn_id, None)
                if self.audible == turn:
                    self.audible = None
                    self._feed(BotFellSilent(turn=turn, at=event.at))
            case _:
                pass

    def interrupt(
        self, turns: Collection[TurnRef], cause: InterruptionCause, *, by: int | None = None
    ) -> tuple[TurnInterrupted, ...]:
        """Silences those of the turns that are said or wait; returns their receipts."""
        receipts: list[TurnInterrupted] = []
        for turn in dict.fromkeys(turns):
            known = self._responses.get(turn.turn_id)
            if known is None or known[0] != turn or known[2].is_over:
                continue
            barge_in = cause is InterruptionCause.BARGE_IN
            heard = known[2].interrupt(Cause.BARGE_IN if barge_in else Cause.STOPPED)
            receipts.append(
                TurnInterrupted(
                    event_id=f"{turn.session_id}:{turn.turn_id}",
                    turn=turn,
                    cause=cause,
                    heard=heard.text,
                    by=by,
                    at=self._now(),
                )
            )
        return tuple(receipts)
