"""How the news of a task reaches people: where, when, how often (TASK-11). Pure; time is data.

    in voice    waits until the floor was free for a moment -> spoken -> heard: told
                interrupted, or somebody speaks: waits again, a few times, then it is written instead
                nobody is ever silent, or the bot sleeps: it is written
    in text     posted -> told
    scene gone  to the requester's direct messages -> told, else kept for whoever asks

Nothing here ever goes to a place that more people see than the one that asked.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, assert_never

SAFE_WINDOW_S: Final = 0.7
"""So long nobody speaks and no answer is on its way before a result is spoken."""

LONGEST_WAIT_S: Final = 120.0
"""So long a result waits for such a moment; a room in which somebody always speaks has it written."""

MOST_SPOKEN: Final = 3
MOST_POSTED: Final = 12
POST_AGAIN_AFTER_S: Final = (1.0, 5.0, 30.0, 120.0, 600.0, 1_800.0)
"""Hours altogether: an outage of Discord takes no reminder away."""


class Phase(StrEnum):
    """Where the telling stands."""

    AWAITS_FLOOR = "awaits_floor"
    SPEAKING = "speaking"
    POSTING = "posting"
    PAUSING = "pausing"
    WRITING_DIRECTLY = "writing_directly"
    TOLD = "told"
    KEPT = "kept"


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """The telling of one result; in monotonic seconds.

    `deadline`: when something is due. `gives_up`: when it waits for the floor no more.
    """

    phase: Phase
    deadline: float | None = None
    gives_up: float | None = None
    spoken: int = 0
    posted: int = 0

    @property
    def wakes_at(self) -> float | None:
        """When to say `DeadlineReached`."""
        awaits = self.phase is Phase.AWAITS_FLOOR and self.deadline is None
        return self.gives_up if awaits else self.deadline


@dataclass(frozen=True, slots=True, kw_only=True)
class FloorFreed:
    """Nobody speaks, and no answer is on its way."""

    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FloorTaken:
    """Somebody speaks, or an answer is on its way."""

    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """The playback is over. `heard`: to its end."""

    at: float
    heard: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceEnded:
    """The bot speaks there no more: it left, or nobody is there."""

    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Posted:
    """It stands in the room."""

    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PostFailed:
    """It does not. `gone`: the room is not there any more, or takes nothing."""

    at: float
    gone: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenDirectly:
    """The direct message was tried."""

    at: float
    arrived: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadlineReached:
    """The moment that `Telling.wakes_at` named."""

    at: float


TellingEvent = (
    FloorFreed | FloorTaken | Spoken | VoiceEnded | Posted | PostFailed | WrittenDirectly | DeadlineReached
)


class TellingEffect(StrEnum):
    """What is to be done now."""

    SPEAK = "speak"
    POST = "post"
    WRITE_DIRECTLY = "write_directly"


Decided = tuple[Telling, tuple[TellingEffect, ...]]


class UnexpectedTelling(Exception):
    """The event belongs to a phase that the telling is not in: a defect of the caller."""


def begun(*, in_voice: bool, floor_free: bool, at: float) -> Decided:
    """The telling of a result that is there now."""
    if not in_voice:
        return _posts(Telling(phase=Phase.POSTING))
    deadline = at + SAFE_WINDOW_S if floor_free else None
    return Telling(phase=Phase.AWAITS_FLOOR, deadline=deadline, gives_up=at + LONGEST_WAIT_S), ()


def decide(telling: Telling, event: TellingEvent) -> Decided:
    """The next state, and what is to be done.

    Raises:
        UnexpectedTelling: what cannot happen in this phase.
    """
    match event:
        case FloorFreed(at=at):
            waits = telling.phase is Phase.AWAITS_FLOOR
            return (replace(telling, deadline=at + SAFE_WINDOW_S), ()) if waits else (telling, ())
        case FloorTaken():
            waits = telling.phase is Phase.AWAITS_FLOOR
            return (replace(telling, deadline=None), ()) if waits else (telling, ())
        case VoiceEnded():
            unheard = telling.phase in (Phase.AWAITS_FLOOR, Phase.SPEAKING)
            return _posts(telling) if unheard else (telling, ())
        case DeadlineReached(at=at):
            return _at_deadline(telling, at)
        case Spoken(heard=heard):
            return _after_speech(telling, heard=heard)
        case Posted():
            _require(telling, Phase.POSTING)
            return _over(telling, Phase.TOLD)
        case PostFailed(at=at, gone=gone):
            return _after_failed_post(telling, at=at, gone=gone)
        case WrittenDirectly(arrived=arrived):
            _require(telling, Phase.WRITING_DIRECTLY)
            return _over(telling, Phase.TOLD if arrived else Phase.KEPT)
        case _:
            assert_never(event)


def _at_deadline(telling: Telling, at: float) -> Decided:
    if telling.phase is Phase.AWAITS_FLOOR and telling.deadline is not None:
        spoken = telling.spoken + 1
        return replace(telling, phase=Phase.SPEAKING, deadline=None, spoken=spoken), (TellingEffect.SPEAK,)
    tired = telling.phase is Phase.AWAITS_FLOOR and telling.gives_up is not None and at >= telling.gives_up
    if tired or telling.phase is Phase.PAUSING:
        return _posts(telling)
    return telling, ()  # it was put off, or is over, while the alarm was on its way


def _after_speech(telling: Telling, *, heard: bool) -> Decided:
    if telling.phase is not Phase.SPEAKING:
        return telling, ()  # the voice ended first, and the text is on its way
    if heard:
        return _over(telling, Phase.TOLD)
    if telling.spoken >= MOST_SPOKEN:
        return _posts(telling)
    return replace(telling, phase=Phase.AWAITS_FLOOR, deadline=None), ()


def _after_failed_post(telling: Telling, *, at: float, gone: bool) -> Decided:
    _require(telling, Phase.POSTING)
    if gone:
        return replace(telling, phase=Phase.WRITING_DIRECTLY), (TellingEffect.WRITE_DIRECTLY,)
    if telling.posted >= MOST_POSTED:
        return _over(telling, Phase.KEPT)
    pause_s = POST_AGAIN_AFTER_S[min(telling.posted, len(POST_AGAIN_AFTER_S)) - 1]
    return replace(telling, phase=Phase.PAUSING, deadline=at + pause_s), ()


def _posts(telling: Telling) -> Decided:
    posting = replace(telling, phase=Phase.POSTING, deadline=None, posted=telling.posted + 1)
    return posting, (TellingEffect.POST,)


def _over(telling: Telling, phase: Phase) -> Decided:
    return replace(telling, phase=phase, deadline=None), ()


def _require(telling: Telling, phase: Phase) -> None:
    if telling.phase is not phase:
        raise UnexpectedTelling(f"nothing of the kind happens while the telling is {telling.phase}")
