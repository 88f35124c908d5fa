"""What speaking tells others: latency marks (VOX-27), interruptions (VOX-32), failures (VOX-25).

`at` is in seconds of the monotonic clock; `turn_id` is what the response was opened for.
"""

from dataclasses import dataclass
from enum import StrEnum


class Purpose(StrEnum):
    """What a stretch of speech is for. Of a response, only its answer is kept as said."""

    ACKNOWLEDGEMENT = "acknowledgement"
    """A few words while the answer is made (VOX-20)."""
    ANSWER = "answer"
    NOTICE = "notice"
    """Words of ours: that the answer failed."""


class Cause(StrEnum):
    """Why a response ended before its end."""

    BARGE_IN = "barge-in"
    STOPPED = "stopped"
    """Somebody asked for it by a command."""
    SUPERSEDED = "superseded"
    """Another answer takes its place, or the scene was reset."""
    CALL_OVER = "call over"
    SHUT_DOWN = "shut down"
    BROKEN = "broken"
    """A defect of ours."""

    @property
    def ends_the_reply(self) -> bool:
        """Whether nobody wants the rest of the reply; else it goes on where it can be read."""
        return self in {Cause.BARGE_IN, Cause.STOPPED, Cause.SUPERSEDED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What people heard of a response's answer.

    `text` is Markdown as it was written. `interrupted`: by `cause`. `gave_up`: the rest could not be spoken.
    """

    text: str
    interrupted: bool = False
    cause: Cause | None = None
    gave_up: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstSoundReady:
    """The first sound of a stretch of speech came from the synthesiser."""

    turn_id: str
    purpose: Purpose
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechBegan:
    """The first packet of a stretch of speech was sent."""

    turn_id: str
    purpose: Purpose
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechDucked:
    """Playback stands still, to be resumed or interrupted; `position_s` of the present stretch were sent."""

    turn_id: str
    position_s: float
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechResumed:
    """Playback goes on where it stood still."""

    turn_id: str
    position_s: float
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentLeftOut:
    """A segment could not be spoken, in two attempts; what follows it goes on. `reason` is for the log."""

    turn_id: str
    reason: str
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechGaveUp:
    """The rest of the response stays text: `advice` is one sentence for the room (VOX-25)."""

    turn_id: str
    advice: str
    reason: str
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseInterrupted:
    """Nothing more of the response is heard. No `ResponseEnded` follows."""

    turn_id: str
    heard: Heard
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseEnded:
    """The last packet of the response was sent, or there was nothing to say."""

    turn_id: str
    heard: Heard
    at: float


OutputEvent = (
    FirstSoundReady
    | SpeechBegan
    | SpeechDucked
    | SpeechResumed
    | SegmentLeftOut
    | SpeechGaveUp
    | ResponseInterrupted
    | ResponseEnded
)
