"""When a speaker has finished (VOX-15): packets, voice activity, a turn model, and the text, weighed in time.

An input is spoken into or pauses. With each pause the tail is transcribed and the turn model asked; the
silence that is then waited for follows from what the signals say:

    text open                                        `open_ms`
    text closed, model agrees, packets stopped       `agree_ms`
    text closed, model agrees, packets go on         `packets_go_on_ms`
    one of them missing or against it                `partly_ms`
    no text yet and no model's yes                   `open_ms`
    heard to its end, and there are no words         `partly_ms`

A model alone never ends a turn early: it calls half of all cut sentences complete. A word of the model
about an earlier stretch of speech counts nothing. An input begun by hand ends by hand, when it becomes too
long, or when its speaker leaves.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from voice.audio.frames import SpeakerLeft, TransmissionEnded, TransmissionStarted
from voice.policy.commands import CancelInput, JudgePause, SealInput
from voice.policy.events import (
    ClockTicked,
    EndCause,
    InputBegan,
    InputCancelled,
    InputSealed,
    ReadAt,
    SpeechActivity,
    SpeechContinued,
    SpeechPaused,
    TranscriptCorrected,
    TranscriptGrew,
    TurnJudged,
    VoiceEvent,
)
from voice.policy.rules import Output, Rule, RuleContext
from voice.policy.settings import TurnTakingSettings
from voice.policy.text_tail_rules import Tail, tail_of, word_count

WORDS_OF_ONE_WHO_LEFT = 3
"""Who leaves in mid-sentence is submitted with so many words, else cancelled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """What is known in a pause. `completeness` None: not asked, or not answered yet."""

    tail: Tail
    packets_stopped: bool
    completeness: float | None
    has_model: bool
    text_is_fresh: bool = True
    """The text came after the last speech, so that it can hold all of it."""


def silence_needed_ms(signals: Signals, settings: TurnTakingSettings) -> int:
    """How much silence ends the turn; see the module."""
    model_agrees = signals.completeness is not None and signals.completeness >= settings.complete_from
    match signals.tail:
        case Tail.OPEN:
            return settings.open_ms
        case Tail.EMPTY:
            return settings.partly_ms if model_agrees or signals.text_is_fresh else settings.open_ms
        case Tail.UNCLEAR:
            return settings.partly_ms if model_agrees or not signals.has_model else settings.open_ms
        case Tail.COMPLETE:
            if not signals.text_is_fresh or (signals.has_model and not model_agrees):
                return settings.partly_ms
            return settings.agree_ms if signals.packets_stopped else settings.packets_go_on_ms


@dataclass(frozen=True, slots=True, kw_only=True)
class Listening:
    """One open input. `paused_since` is the last voiced moment, None while speech goes on."""

    input_id: str
    user_id: int
    began_at: float
    by_hand: bool = False
    paused_since: float | None = None
    speech_ms: int = 0
    packets_stopped: bool = False
    text: str = ""
    text_at: float = 0.0
    language: str | None = None
    completeness: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EndOfTurnState:
    """Every open input, by speaker."""

    settings: TurnTakingSettings
    has_model: bool
    inputs: Mapping[int, Listening] = field(default_factory=dict[int, Listening])


Decision = tuple[EndOfTurnState, tuple[Output, ...]]


def end_of_turn_rule(settings: TurnTakingSettings, *, has_model: bool) -> Rule[EndOfTurnState]:
    """`has_model`: a turn model is asked, so its word is waited for."""
    return Rule(
        name="end of turn",
        initial=EndOfTurnState(settings=settings, has_model=has_model),
        decide=decide,
        deadline=deadline,
    )


def decide(state: EndOfTurnState, event: VoiceEvent, context: RuleContext) -> Decision:
    """See the module."""
    match event:
        case SpeechActivity():
            listening = state.inputs.get(event.user_id)
            if listening is None or listening.paused_since is not None:
                return state, ()
            return _too_long(state, listening, event.at)
        case ClockTicked():
            return _time_passed(state, event.at)
        case InputBegan():
            begun = Listening(
                input_id=event.input_id,
                user_id=event.user_id,
                began_at=event.speech_began_at,
                by_hand=event.by_hand,
            )
            return _put(state, begun), ()
        case InputSealed() | InputCancelled():
            others = {user: one for user, one in state.inputs.items() if one.input_id != event.input_id}
            return replace(state, inputs=others), ()
        case _:
            return _of_speaker(state, event, context)


def deadline(state: EndOfTurnState) -> float | None:
    """When the next pause becomes the end of a turn."""
    return min((due for one in state.inputs.values() if (due := _due(state, one)) is not None), default=None)


def _of_speaker(state: EndOfTurnState, event: VoiceEvent, context: RuleContext) -> Decision:
    match event:
        case SpeechPaused():
            return _paused(state, event, context)
        case SpeechContinued():
            return _changed(state, event.user_id, event.at, paused_since=None, completeness=None)
        case TransmissionStarted():
            return _changed(state, event.user_id, event.at, packets_stopped=False)
        case TransmissionEnded():
            return _changed(state, event.user_id, event.at, packets_stopped=True)
        case TranscriptGrew():
            return _changed(
                state, event.user_id, event.at, text=event.text, text_at=event.at, language=event.language
            )
        case TranscriptCorrected():
            return _changed(state, event.user_id, event.at, text=event.text, text_at=event.at)
        case TurnJudged():
            if not context.is_current(event.input_id, event.read_at):
                return state, ()
            return _changed(state, event.user_id, event.at, completeness=event.completeness)
        case SpeakerLeft():
            return _left(state, event.user_id)
        case _:
            return state, ()


def _put(state: EndOfTurnState, listening: Listening) -> EndOfTurnState:
    return replace(state, inputs={**state.inputs, listening.user_id: listening})


def _changed(state: EndOfTurnState, user_id: int, at: float, **changes: object) -> Decision:
    listening = state.inputs.get(user_id)
    if listening is None:
        return state, ()
    listening = replace(listening, **changes)
    return _judged(_put(state, listening), listening, at)


def _paused(state: EndOfTurnState, event: SpeechPaused, context: RuleContext) -> Decision:
    listening = state.inputs.get(event.user_id)
    if listening is None:
        return state, ()
    read_at = context.read_at(listening.input_id)
    listening = replace(
        listening,
        paused_since=event.since,
        speech_ms=listening.speech_ms + event.speech_ms,
        completeness=None,
    )
    state = _put(state, listening)
    if listening.speech_ms < state.settings.minimum_speech_ms:
        return state, ()
    ask = JudgePause(
        input_id=listening.input_id, read_at=ReadAt(speech=None if read_at is None else read_at.speech)
    )
    state, more = _judged(state, listening, event.at)
    return state, (ask, *more)


def _judged(state: EndOfTurnState, listening: Listening, at: float) -> Decision:
    due = _due(state, listening)
    if due is None or at < due:
        return state, ()
    others = {user: one for user, one in state.inputs.items() if user != listening.user_id}
    state = replace(state, inputs=others)
    if listening.speech_ms < state.settings.minimum_speech_ms:
        return state, (CancelInput(input_id=listening.input_id, reason="too short"),)
    return state, (SealInput(input_id=listening.input_id, cause=EndCause.END_OF_TURN),)


def _due(state: EndOfTurnState, listening: Listening) -> float | None:
    if listening.paused_since is None or listening.by_hand:
        return None
    settings = state.settings
    if listening.speech_ms < settings.minimum_speech_ms:
        return listening.paused_since + settings.silence_limit_ms / 1000
    if listening.paused_since - listening.began_at >= settings.long_turn_ms / 1000:
        return listening.paused_since + settings.agree_ms / 1000
    signals = Signals(
        tail=tail_of(listening.text, listening.language),
        packets_stopped=listening.packets_stopped,
        completeness=listening.completeness,
        has_model=state.has_model,
        text_is_fresh=listening.text_at >= listening.paused_since,
    )
    return listening.paused_since + silence_needed_ms(signals, settings) / 1000


def _time_passed(state: EndOfTurnState, at: float) -> Decision:
    outputs: list[Output] = []
    for listening in tuple(state.inputs.values()):
        state, more = _judged(state, listening, at)
        outputs += more
    return state, tuple(outputs)


def _too_long(state: EndOfTurnState, listening: Listening, at: float) -> Decision:
    if at - listening.began_at < state.settings.longest_turn_ms / 1000:
        return state, ()
    others = {user: one for user, one in state.inputs.items() if user != listening.user_id}
    return replace(state, inputs=others), (SealInput(input_id=listening.input_id, cause=EndCause.TOO_LONG),)


def _left(state: EndOfTurnState, user_id: int) -> Decision:
    listening = state.inputs.get(user_id)
    if listening is None:
        return state, ()
    state = replace(state, inputs={user: one for user, one in state.inputs.items() if user != user_id})
    if word_count(listening.text) >= WORDS_OF_ONE_WHO_LEFT:
        return state, (SealInput(input_id=listening.input_id, cause=EndCause.SPEAKER_LEFT),)
    return state, (CancelInput(input_id=listening.input_id, reason="speaker left"),)
