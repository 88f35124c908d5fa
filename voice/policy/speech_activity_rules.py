"""From scores of frames to speech that starts, lasts, pauses and goes on (VOX-36); begins inputs.

A person is quiet, speaking or paused:

    quiet     enough speech                        -> speaking   SpeechStarted, BeginInput
    speaking  quiet for `pause_ms`, the client
              stopped to send, or nothing came of
              it for `stalled_ms`                  -> paused     SpeechPaused
    paused    speech                               -> speaking   SpeechContinued
    paused    their input ended                    -> quiet

Speech is counted in frames, not by the clock: a burst from the network counts what it holds, and waiting
for a lost packet counts nothing. An input that is sealed while its speaker goes on is followed by another at
the next frame; after one that was cancelled the rest of the breath is let go.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

from voice.audio.frames import SpeakerLeft, TransmissionEnded
from voice.policy.commands import BeginInput
from voice.policy.events import (
    ClockTicked,
    InputBegan,
    InputCancelled,
    InputDropped,
    InputSealed,
    InputSettled,
    RoomChanged,
    SpeechActivity,
    SpeechContinued,
    SpeechLasted,
    SpeechPaused,
    SpeechStarted,
    TalkRequested,
    VoiceEvent,
)
from voice.policy.room import Room, VoiceMode
from voice.policy.rules import Output, Rule, RuleContext
from voice.policy.settings import TurnTakingSettings


class Phase(Enum):
    """See the module."""

    QUIET = "quiet"
    SPEAKING = "speaking"
    PAUSED = "paused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Speaker:
    """One voice. `stretch_ms` is the speech since the last pause; `unscored_ms` waits for its score."""

    phase: Phase = Phase.QUIET
    stretch_ms: int = 0
    unscored_ms: int = 0
    unscored_at: float = 0.0
    began_at: float = 0.0
    voiced_at: float = 0.0
    heard_at: float = 0.0
    """The last frame, voiced or not."""
    input_id: str | None = None
    let_go: bool = False
    """An input of this stretch of speech was cancelled."""


_NOBODY = Speaker()


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechState:
    """Everybody who was heard.

    `pushed` may begin an utterance until then, in the mode that asks for it. What was cancelled or dropped,
    as a cough is, was none: `used` keeps until when its speaker might have begun.
    """

    settings: TurnTakingSettings
    room: Room = field(default_factory=Room)
    speakers: Mapping[int, Speaker] = field(default_factory=dict[int, Speaker])
    pushed: Mapping[int, float] = field(default_factory=dict[int, float])
    used: Mapping[str, float] = field(default_factory=dict[str, float])

    def hears(self, user_id: int, at: float) -> bool:
        """Whether the person's speech may begin an input."""
        return (
            self.room.effective_mode is not VoiceMode.PUSH
            or self.pushed.get(user_id, at) > at
            or (user_id in self.speakers and self.speakers[user_id].input_id is not None)
        )


Decision = tuple[SpeechState, tuple[Output, ...]]


def decide(state: SpeechState, event: VoiceEvent, _context: RuleContext) -> Decision:
    """See the module."""
    match event:
        case SpeechActivity():
            return _heard(state, event)
        case ClockTicked():
            return _time_passed(state, event.at)
        case TransmissionEnded():
            return _stopped_sending(state, event.user_id, event.at)
        case SpeakerLeft():
            others = {user: one for user, one in state.speakers.items() if user != event.user_id}
            return replace(state, speakers=others), ()
        case InputBegan():
            return _with(state, event.user_id, input_id=event.input_id), ()
        case InputSealed() | InputCancelled():
            return _push_used(_input_ended(state, event), event), ()
        case InputSettled() | InputDropped():
            return _push_decided(state, event), ()
        case RoomChanged():
            return replace(state, room=event.room), ()
        case TalkRequested():
            until = event.at + state.settings.push_ms / 1000
            return replace(state, pushed={**state.pushed, event.user_id: until}), ()
        case _:
            return state, ()


def deadline(state: SpeechState) -> float | None:
    """When the next pause would begin."""
    settings = state.settings
    return min(
        (_stalls_at(one, settings) for one in state.speakers.values() if one.phase is Phase.SPEAKING),
        default=None,
    )


def speech_activity_rule(settings: TurnTakingSettings, room: Room) -> Rule[SpeechState]:
    """The rule; the first of all, as the others act on what it emits."""
    return Rule(
        name="speech activity",
        initial=SpeechState(settings=settings, room=room),
        decide=decide,
        deadline=deadline,
    )


def _stalls_at(speaker: Speaker, settings: TurnTakingSettings) -> float:
    return max(speaker.voiced_at + settings.pause_ms / 1000, speaker.heard_at + settings.stalled_ms / 1000)


def _with(state: SpeechState, user_id: int, **changes: object) -> SpeechState:
    speaker = replace(state.speakers.get(user_id, _NOBODY), **changes)
    return replace(state, speakers={**state.speakers, user_id: speaker})


def _heard(state: SpeechState, event: SpeechActivity) -> Decision:
    if not event.accepted:
        return state, ()
    speaker = state.speakers.get(event.user_id, _NOBODY)
    if event.score is None:
        first = speaker.unscored_at if speaker.unscored_ms else event.at
        waiting = speaker.unscored_ms + event.duration_ms
        return _with(state, event.user_id, unscored_ms=waiting, unscored_at=first, heard_at=event.at), ()
    settings = state.settings
    threshold = settings.start_score if speaker.phase is Phase.QUIET else settings.keep_score
    if event.score >= threshold:
        return _voiced(state, event, speaker)
    speaker = replace(speaker, unscored_ms=0, heard_at=event.at)
    quiet = event.at - speaker.voiced_at >= settings.pause_ms / 1000
    if speaker.phase is Phase.QUIET and quiet and speaker.stretch_ms:
        speaker = replace(speaker, stretch_ms=0)
    state = replace(state, speakers={**state.speakers, event.user_id: speaker})
    if speaker.phase is Phase.SPEAKING and quiet:
        return _paused(state, event.user_id, event.at)
    return state, ()


def _voiced(state: SpeechState, event: SpeechActivity, speaker: Speaker) -> Decision:
    settings, user_id, at = state.settings, event.user_id, event.at
    outputs: list[Output] = []
    before = speaker.stretch_ms
    stretch = before + event.duration_ms + speaker.unscored_ms
    first = speaker.unscored_at if speaker.unscored_ms else at
    began_at = first if not before else speaker.began_at
    phase = speaker.phase
    hears = state.hears(user_id, at) and not speaker.let_go
    if phase is Phase.PAUSED:
        phase = Phase.SPEAKING
        outputs.append(SpeechContinued(user_id=user_id, at=at))
    elif phase is Phase.QUIET and stretch >= settings.begin_ms:
        phase = Phase.SPEAKING
        outputs.append(SpeechStarted(user_id=user_id, at=at, began_at=began_at))
    if phase is Phase.SPEAKING and speaker.input_id is None and hears:
        outputs.append(BeginInput(user_id=user_id, speech_began_at=began_at))
    if before < settings.barge_in_ms <= stretch and hears:
        outputs.append(SpeechLasted(user_id=user_id, at=at, began_at=began_at))
    after = replace(
        speaker,
        phase=phase,
        stretch_ms=stretch,
        unscored_ms=0,
        began_at=began_at,
        voiced_at=at,
        heard_at=at,
    )
    return replace(state, speakers={**state.speakers, user_id: after}), tuple(outputs)


def _paused(state: SpeechState, user_id: int, at: float) -> Decision:
    speaker = state.speakers[user_id]
    paused = SpeechPaused(user_id=user_id, at=at, since=speaker.voiced_at, speech_ms=speaker.stretch_ms)
    phase = Phase.QUIET if speaker.input_id is None else Phase.PAUSED
    return _with(state, user_id, phase=phase, stretch_ms=0, unscored_ms=0, let_go=False), (paused,)


def _stopped_sending(state: SpeechState, user_id: int, at: float) -> Decision:
    speaker = state.speakers.get(user_id, _NOBODY)
    if speaker.phase is Phase.SPEAKING:
        return _paused(state, user_id, at)
    if speaker.unscored_ms or (speaker.phase is Phase.QUIET and speaker.stretch_ms):
        return _with(state, user_id, unscored_ms=0, stretch_ms=0), ()
    return state, ()


def _time_passed(state: SpeechState, at: float) -> Decision:
    outputs: list[Output] = []
    for user_id, speaker in tuple(state.speakers.items()):
        if speaker.phase is Phase.SPEAKING and at >= _stalls_at(speaker, state.settings):
            state, more = _paused(state, user_id, at)
            outputs += more
    return state, tuple(outputs)


def _push_used(state: SpeechState, event: InputSealed | InputCancelled) -> SpeechState:
    until = state.pushed.get(event.user_id)
    if until is None or isinstance(event, InputCancelled):
        return state
    pushed = {user: when for user, when in state.pushed.items() if user != event.user_id}
    return replace(state, pushed=pushed, used={**state.used, event.input_id: until})


def _push_decided(state: SpeechState, event: InputSettled | InputDropped) -> SpeechState:
    until = state.used.get(event.input_id)
    if until is None:
        return state
    used = {input_id: when for input_id, when in state.used.items() if input_id != event.input_id}
    again = {event.user_id: until} if isinstance(event, InputDropped) else {}
    return replace(state, used=used, pushed={**again, **state.pushed})


def _input_ended(state: SpeechState, event: InputSealed | InputCancelled) -> SpeechState:
    speaker = state.speakers.get(event.user_id)
    if speaker is None or speaker.input_id != event.input_id:
        return state
    phase = Phase.QUIET if speaker.phase is Phase.PAUSED else speaker.phase
    let_go = isinstance(event, InputCancelled) and phase is Phase.SPEAKING
    return _with(state, event.user_id, phase=phase, input_id=None, began_at=event.at, let_go=let_go)
