"""When a streamed reply sends its next request (TEXT-1, TEXT-10).

The first text goes out at once; after it updates come at growing intervals, and text that grows meanwhile
goes out together. One request is under way at a time. Updates leave a reserve in the channel's budget, so
that the last one, which is always complete, seldom waits; it waits only where the budget itself is spent.
What a request says (which message, which text) is the stream's matter.
"""

from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import assert_never


@dataclass(frozen=True, slots=True, kw_only=True)
class Pacing:
    """The budget of one channel and the rhythm within it; times in seconds.

    Discord allows 5 requests in 5 s; the window here is longer by the jitter of the way there.
    """

    streams: bool = True
    """False sends only the finished text."""
    requests: int = 5
    window_s: float = 5.25
    reserve: int = 2
    first_interval_s: float = 1.0
    interval_growth: float = 1.25
    longest_interval_s: float = 4.0
    notice_after_s: float = 10.0
    """Later than this a first text is a new message, as an edit notifies nobody (TEXT-10)."""


class Phase(Enum):
    """Where a reply stands."""

    SILENT = auto()
    SHOWING = auto()
    DONE = auto()


class Place(Enum):
    """Which message a request is about."""

    NEW_MESSAGE = auto()
    PROGRESS_MESSAGE = auto()
    REPLY = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class EditPacing:
    """The state of one reply's pacing."""

    pacing: Pacing
    started_at: float
    """When the question came."""
    phase: Phase = Phase.SILENT
    has_progress: bool = False
    is_complete: bool = False
    has_news: bool = False
    """Text that no request has carried yet."""
    is_sending: bool = False
    must_remove_progress: bool = False
    updates: int = 0
    requests_at: tuple[float, ...] = ()
    interval_from: float = float("-inf")
    blocked_until: float = float("-inf")
    reserve_until: float = float("-inf")

    @property
    def deadline(self) -> float | None:
        """When the next request may go out; None while none is due or one is under way."""
        if self.is_sending or not self.has_news or self.phase is Phase.DONE:
            return None
        if not (self.is_complete or self.pacing.streams):
            return None
        due = max(self.blocked_until, self._room_at(reserve=0))
        if self.phase is Phase.SILENT or self.is_complete:
            return due
        interval = self.pacing.first_interval_s * self.pacing.interval_growth ** min(self.updates - 1, 50)
        rhythm = self.interval_from + min(interval, self.pacing.longest_interval_s)
        return max(due, rhythm, self.reserve_until, self._room_at(reserve=self.pacing.reserve))

    def _room_at(self, *, reserve: int) -> float:
        """When the window has room for one more request, leaving `reserve` free after it."""
        allowed = max(1, self.pacing.requests - reserve)
        if len(self.requests_at) < allowed:
            return float("-inf")
        return self.requests_at[-allowed] + self.pacing.window_s


# -- events ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgressShown:
    """A message that is not yet the answer was posted for this reply."""

    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TextGrew:
    """There is more to show than was sent."""

    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TextCompleted:
    """The text is whole; nothing will grow after this."""

    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateSent:
    """The request under way succeeded; `has_more` when another message of the reply must follow."""

    at: float
    has_more: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateRefused:
    """The request under way was not carried out and may be tried again after `retry_after_s`."""

    at: float
    retry_after_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherRequestMade:
    """Somebody else used the channel's budget."""

    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetObserved:
    """What Discord's headers said of the channel's bucket."""

    at: float
    remaining: int
    reset_after_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadlineReached:
    """`EditPacing.deadline` came."""

    at: float


PacingEvent = (
    ProgressShown
    | TextGrew
    | TextCompleted
    | UpdateSent
    | UpdateRefused
    | OtherRequestMade
    | BudgetObserved
    | DeadlineReached
)


# -- effects -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class SendUpdate:
    """Make one request that brings the reply nearer to its text; answer with `UpdateSent` or `Refused`."""

    place: Place
    is_complete: bool
    """The text that this request works towards is the whole answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveProgress:
    """The answer stands as a new message; the progress message goes."""


PacingEffect = SendUpdate | RemoveProgress
_UNASKED = "an answer to a request that was not made"
Decision = tuple[EditPacing, tuple[PacingEffect, ...]]


def decide(state: EditPacing, event: PacingEvent) -> Decision:
    """Every transition; an event that cannot come in `state` raises `ValueError`."""
    match event:
        case ProgressShown():
            _require(state.phase is Phase.SILENT, "progress after the answer began")
            changed = _counted(replace(state, has_progress=True), event.at)
        case TextGrew():
            _require(not state.is_complete, "text grew after it was complete")
            changed = replace(state, has_news=True)
        case TextCompleted():
            _require(not state.is_complete, "text completed twice")
            changed = replace(state, is_complete=True, has_news=True)
        case UpdateSent():
            return _after_update(state, event)
        case UpdateRefused():
            _require(state.is_sending, _UNASKED)
            blocked = max(state.blocked_until, event.at + event.retry_after_s)
            changed = replace(state, is_sending=False, has_news=True, blocked_until=blocked)
        case OtherRequestMade():
            changed = _counted(state, event.at)
        case BudgetObserved():
            changed = _observed(state, event)
        case DeadlineReached():
            changed = state
        case _:
            assert_never(event)
    return _sent_if_due(changed, event.at)


def _after_update(state: EditPacing, event: UpdateSent) -> Decision:
    _require(state.is_sending, _UNASKED)
    removed: tuple[PacingEffect, ...] = (RemoveProgress(),) if state.must_remove_progress else ()
    has_news = state.has_news or event.has_more
    phase = Phase.DONE if state.is_complete and not has_news else Phase.SHOWING
    changed = replace(
        state,
        phase=phase,
        is_sending=False,
        has_news=has_news,
        has_progress=False,
        must_remove_progress=False,
    )
    changed, effects = _sent_if_due(changed, event.at)
    return changed, removed + effects


def _require(expected: bool, otherwise: str) -> None:  # noqa: FBT001 - reads as a sentence
    if not expected:
        raise ValueError(otherwise)


def _observed(state: EditPacing, event: BudgetObserved) -> EditPacing:
    reset_at = event.at + event.reset_after_s
    if event.remaining <= 0:
        return replace(state, blocked_until=max(state.blocked_until, reset_at))
    if event.remaining <= state.pacing.reserve:
        return replace(state, reserve_until=max(state.reserve_until, reset_at))
    return state


def _counted(state: EditPacing, at: float) -> EditPacing:
    recent = tuple(made for made in state.requests_at if made > at - state.pacing.window_s)
    return replace(state, requests_at=tuple(sorted((*recent, at))))


def _sent_if_due(state: EditPacing, at: float) -> Decision:
    deadline = state.deadline
    if deadline is None or deadline > at:
        return state, ()
    place = Place.REPLY
    if state.phase is Phase.SILENT:
        is_late = at - state.started_at > state.pacing.notice_after_s
        place = Place.PROGRESS_MESSAGE if state.has_progress and not is_late else Place.NEW_MESSAGE
    sending = replace(
        _counted(state, at),
        is_sending=True,
        has_news=False,
        must_remove_progress=state.has_progress and place is Place.NEW_MESSAGE,
        updates=state.updates + 1,
        interval_from=at,
    )
    return sending, (SendUpdate(place=place, is_complete=state.is_complete),)
