"""What happened, for rules and for whoever watches (VOX-13, VOX-36): past tense, `at` in monotonic seconds.

From the call: `SpeechActivity`, one for each frame of 20 ms, and the transport's own events; absence of
frames is `ClockTicked`. From rules: how speech starts, pauses, goes on. From the controller: the life of an
input, from begun to exactly one of cancelled, dropped, settled; a settled one is later submitted.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from voice.audio.frames import SpeakerLeft, TransmissionEnded, TransmissionStarted
from voice.policy.room import Room
from voice.turn import TurnRef

# from the call


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechActivity:
    """One frame of a speaker and how much it sounds like speech.

    `score` is of the newest full window that reaches into the frame, None while the first is not full.
    `position` counts at 48 kHz; `discontinuity` where sound is missing before the frame. Not `accepted`:
    nobody may act on it.
    """

    user_id: int
    at: float
    score: float | None
    position: int = 0
    duration_ms: int = 20
    discontinuity: bool = False
    accepted: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockTicked:
    """Time passed: each 20 ms while anybody speaks or is waited for, and at each deadline."""

    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomChanged:
    """Somebody came or went, or a setting changed."""

    room: Room
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TalkRequested:
    """A person asked to be heard for the next utterance (`/voice talk`, a button)."""

    user_id: int
    at: float


# from rules


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechStarted:
    """Enough speech to begin an input; `began_at` is when its first frame came."""

    user_id: int
    at: float
    began_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechLasted:
    """The present stretch of speech reached the length that pauses playback."""

    user_id: int
    at: float
    began_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechPaused:
    """No speech since `since`; `speech_ms` is what the stretch before it held."""

    user_id: int
    at: float
    since: float
    speech_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechContinued:
    """Speech after a pause, within the same input."""

    user_id: int
    at: float


# the life of an input


class EndCause(Enum):
    """Why an input was sealed."""

    END_OF_TURN = "end of turn"
    TOO_LONG = "too long"
    SPEAKER_LEFT = "speaker left"
    ASKED = "asked"
    """`SpeechInput.end` was called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadAt:
    """What a slow judge had read of an input: the revision of its text, the stretch of its speech.

    None where it did not look.
    """

    text: int | None = None
    speech: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InputBegan:
    """From here on the speaker's frames belong to this input. `speech_began_at`: its first voiced frame.

    `by_hand`: whoever began it ends it; silence does not. `over_question`: the bot's last words were being
    heard then, and asked something.
    """

    input_id: str
    user_id: int
    at: float
    speech_began_at: float
    by_hand: bool = False
    over_question: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptGrew:
    """The provider's newest word. `revision` counts changes of content: the same one is the same text again.

    A text that was probably never said is empty here (VOX-19).
    """

    input_id: str
    user_id: int
    at: float
    text: str
    revision: int
    language: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptCorrected:
    """A person corrected the text during capture, or a stage did during finalization."""

    input_id: str
    user_id: int
    at: float
    text: str
    revision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnJudged:
    """A turn model's word, 0 to 1, about what it had read."""

    input_id: str
    user_id: int
    at: float
    completeness: float
    read_at: ReadAt


@dataclass(frozen=True, slots=True, kw_only=True)
class InputSealed:
    """No further frame belongs to the input; its final transcript and its stages follow."""

    input_id: str
    user_id: int
    at: float
    cause: EndCause


@dataclass(frozen=True, slots=True, kw_only=True)
class InputCancelled:
    """The input never was: nothing of it is submitted."""

    input_id: str
    user_id: int
    at: float
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InputDropped:
    """Sealed, and not worth submitting: no words, words that were never said, a backchannel."""

    input_id: str
    user_id: int
    at: float
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InputSettled:
    """Sealed, transcribed, finalized: ready to be submitted as `text`."""

    input_id: str
    user_id: int
    at: float
    text: str
    language: str | None = None
    failed: bool = False
    """The transcription broke off, and this is what there was of it."""
    called: bool = False
    """The wake word was heard in its sound, whatever the text says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnsSubmitted:
    """Settled inputs went to the session, in order of their ends.

    `user_ids`: whose turns want the answer; of all of them where none is wanted.
    """

    input_ids: tuple[str, ...]
    user_ids: tuple[int, ...]
    answer: bool
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class HearingFailed:
    """A service failed (VOX-25); `advice` is one sentence for the room, `stage` what was being done."""

    input_id: str | None
    stage: str
    advice: str | None
    reason: str
    at: float


# speculation


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeculationStarted:
    """A model request without tools or effects may begin on this text, as if it were submitted."""

    input_id: str
    user_id: int
    speculation_id: str
    text: str
    language: str | None
    at: float


class SpeculationEnd(Enum):
    """What became of a speculation."""

    KEPT = "kept"
    TEXT_CHANGED = "text changed"
    SPEECH_WENT_ON = "speech went on"
    NOT_ALONE = "several turns"
    NOT_ANSWERED = "not answered"
    INPUT_ENDED = "input ended"


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeculationEnded:
    """Adopted by the submission that names it, or to be discarded without trace."""

    input_id: str
    speculation_id: str
    end: SpeculationEnd
    at: float


# the bot's own voice


@dataclass(frozen=True, slots=True, kw_only=True)
class BotBeganSpeaking:
    """The first packet of a reply left; `answering` are those whose turns it answers."""

    turn: TurnRef
    answering: frozenset[int]
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BotFellSilent:
    """The reply's playback ended, or was stopped."""

    turn: TurnRef
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyEnded:
    """A reply to `answering` is over, spoken or not."""

    answering: frozenset[int]
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaybackDucked:
    """Paused, resumably, because `user_id` speaks."""

    user_id: int
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaybackResumed:
    """Goes on where it paused."""

    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaybackStopped:
    """`user_id` took the word."""

    user_id: int
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginSignal:
    """A plugin's own typed signal: `value` is a frozen value of the plugin's."""

    plugin: str
    value: object
    at: float
    read_at: Mapping[str, ReadAt] = field(default_factory=dict[str, ReadAt])
    """By input id: what the plugin had read."""


VoiceEvent = (
    SpeechActivity
    | TransmissionStarted
    | TransmissionEnded
    | SpeakerLeft
    | ClockTicked
    | RoomChanged
    | TalkRequested
    | SpeechStarted
    | SpeechLasted
    | SpeechPaused
    | SpeechContinued
    | InputBegan
    | TranscriptGrew
    | TranscriptCorrected
    | TurnJudged
    | InputSealed
    | InputCancelled
    | InputDropped
    | InputSettled
    | TurnsSubmitted
    | HearingFailed
    | SpeculationStarted
    | SpeculationEnded
    | BotBeganSpeaking
    | BotFellSilent
    | ReplyEnded
    | PlaybackDucked
    | PlaybackResumed
    | PlaybackStopped
    | PluginSignal
)
