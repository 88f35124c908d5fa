"""When a model request may begin before the turn is over (VOX-16): in a pause, on a text that could be all.

The text has to be told in the pause: what was recognised before seldom holds the last word. At most one for
an input at a time; it is replaced when the text changes and dropped when the speech goes on. Whether it is
adopted is decided where the turn is submitted, by equality alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from voice.audio.frames import SpeakerLeft
from voice.policy.addressed_rules import Exchanges, wants_answer
from voice.policy.backchannel_rules import words_that_count
from voice.policy.commands import DropSpeculation, StartSpeculation
from voice.policy.events import (
    InputBegan,
    InputCancelled,
    InputSealed,
    RoomChanged,
    SpeechActivity,
    SpeechContinued,
    SpeechLasted,
    SpeechPaused,
    TranscriptCorrected,
    TranscriptGrew,
    VoiceEvent,
)
from voice.policy.room import Room
from voice.policy.rules import Output, Rule, RuleContext
from voice.policy.settings import TurnTakingSettings
from voice.policy.text_tail_rules import Tail, tail_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Guess:
    """One open input: its text, and on which text a request was begun."""

    input_id: str
    began_at: float
    paused: bool = False
    is_fresh: bool = False
    """The text was told in this pause."""
    text: str = ""
    language: str | None = None
    begun_on: str | None = None
    begun: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeculationState:
    """Open inputs by speaker; `holders` speak at length."""

    settings: TurnTakingSettings
    room: Room = field(default_factory=Room)
    exchanges: Exchanges = field(default_factory=Exchanges)
    guesses: Mapping[int, Guess] = field(default_factory=dict[int, Guess])
    holders: frozenset[int] = frozenset()


Decision = tuple[SpeculationState, tuple[Output, ...]]


def speculation_rule(settings: TurnTakingSettings, room: Room) -> Rule[SpeculationState]:
    """See the module."""
    return Rule(name="speculation", initial=SpeculationState(settings=settings, room=room), decide=decide)


def decide(state: SpeculationState, event: VoiceEvent, _context: RuleContext) -> Decision:
    """See the module."""
    match event:
        case SpeechActivity():
            return state, ()
        case InputBegan():
            guess = Guess(input_id=event.input_id, began_at=event.speech_began_at)
            return replace(state, guesses={**state.guesses, event.user_id: guess}), ()
        case SpeechLasted():
            return replace(state, holders=state.holders | {event.user_id}), ()
        case InputSealed() | InputCancelled() | SpeakerLeft():
            guesses = {user: one for user, one in state.guesses.items() if user != event.user_id}
            return replace(state, guesses=guesses, holders=state.holders - {event.user_id}), ()
        case RoomChanged():
            return replace(state, room=event.room), ()
        case SpeechPaused():
            return _changed(state, event.user_id, paused=True, is_fresh=False)
        case SpeechContinued():
            return _changed(state, event.user_id, paused=False)
        case TranscriptGrew():
            return _changed(state, event.user_id, text=event.text, is_fresh=True, language=event.language)
        case TranscriptCorrected():
            return _changed(state, event.user_id, text=event.text, is_fresh=True)
        case _:
            return replace(state, exchanges=state.exchanges.after(event)), ()


def _changed(state: SpeculationState, user_id: int, **changes: object) -> Decision:
    before = state.guesses.get(user_id)
    if before is None:
        return state, ()
    guess = replace(before, **changes)
    outputs: tuple[Output, ...] = ()
    wanted = _is_worth_it(state, user_id, guess)
    if wanted and guess.begun_on != guess.text and guess.begun < state.settings.most_speculations:
        outputs = (StartSpeculation(input_id=guess.input_id, text=guess.text, language=guess.language),)
        guess = replace(guess, begun_on=guess.text, begun=guess.begun + 1)
    elif guess.begun_on is not None and (not guess.paused or guess.begun_on != guess.text):
        outputs = (DropSpeculation(input_id=guess.input_id),)
        guess = replace(guess, begun_on=None)
    return replace(state, guesses={**state.guesses, user_id: guess}), outputs


def _is_worth_it(state: SpeculationState, user_id: int, guess: Guess) -> bool:
    if not (guess.paused and guess.is_fresh) or state.holders - {user_id}:
        return False
    if tail_of(guess.text, guess.language) in {Tail.OPEN, Tail.EMPTY}:
        return False
    if state.exchanges.audible and not words_that_count(guess.text, guess.language):
        return False
    return wants_answer(
        guess.text,
        user_id=user_id,
        began_at=guess.began_at,
        room=state.room,
        exchanges=state.exchanges,
        follow_up_s=state.settings.follow_up_ms / 1000,
    )
