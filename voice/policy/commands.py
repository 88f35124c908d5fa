"""What rules may ask for: imperative values that the controller carries out (VOX-13).

A command runs only with a grant of the plugin that brought the rule; the rules of this package have all.
"""

from dataclasses import dataclass
from enum import Enum

from voice.policy.events import EndCause, ReadAt


class Grant(Enum):
    """What a plugin may command. Authorises, and is no sandbox (VOX-35)."""

    INPUT_CONTROL = "input-control"
    """Begin and seal inputs, ask for a transcript."""
    CANCEL_INPUT = "cancel-input"
    PLAYBACK = "playback"
    """Pause, resume and stop the bot's voice."""
    SUBMISSION = "submission"


@dataclass(frozen=True, slots=True, kw_only=True)
class BeginInput:
    """Admit the speaker's sound from its pre-roll on; nothing when an input of theirs is open."""

    user_id: int
    speech_began_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SealInput:
    """End it with what is there; nothing when it ended already."""

    input_id: str
    cause: EndCause


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelInput:
    """End it without trace; nothing when it ended already."""

    input_id: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgePause:
    """A pause began: transcribe the tail and ask the turn model, which answers as of `read_at`."""

    input_id: str
    read_at: ReadAt


@dataclass(frozen=True, slots=True, kw_only=True)
class StartSpeculation:
    """Let a request begin on `text`, in place of an earlier one for the input."""

    input_id: str
    text: str
    language: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DropSpeculation:
    """The speech went on: what was begun on the text is useless."""

    input_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DuckPlayback:
    """Pause the bot's voice within a frame, resumably."""

    user_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumePlayback:
    """Go on where it paused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StopPlayback:
    """Interrupt the reply: `user_id` said words that count."""

    user_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DropInput:
    """A settled input is not worth submitting."""

    input_id: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmitTurns:
    """Hand settled inputs to the session in this order; `answer` wants one reply for all of them.

    `goes_on`: the speaker goes on with what a reply that is not audible yet answers.
    """

    input_ids: tuple[str, ...]
    addressed: frozenset[str]
    answer: bool
    goes_on: bool = False


Command = (
    BeginInput
    | SealInput
    | CancelInput
    | JudgePause
    | StartSpeculation
    | DropSpeculation
    | DuckPlayback
    | ResumePlayback
    | StopPlayback
    | DropInput
    | SubmitTurns
)


def needed_grant(command: Command) -> Grant:
    """The grant without which the command is refused."""
    match command:
        case BeginInput() | SealInput() | JudgePause() | StartSpeculation() | DropSpeculation():
            return Grant.INPUT_CONTROL
        case CancelInput():
            return Grant.CANCEL_INPUT
        case DuckPlayback() | ResumePlayback() | StopPlayback():
            return Grant.PLAYBACK
        case DropInput() | SubmitTurns():
            return Grant.SUBMISSION
