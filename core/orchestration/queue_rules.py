"""The queue of one session as a value: who waits, who runs, what a reset makes stale (CORE-18).

Order of submission is order of running. Joining never reorders: only the last one waiting can be joined.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from core.conversation.turns import UserTurn
from core.orchestration.sends import ReplyPlace, Send


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuedSend:
    """A send with its tickets, one per submission that joined it."""

    send: Send
    tickets: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionQueue:
    """`running` is None between runs; `generation` is the session's, as far as this queue was told."""

    generation: int = 0
    waiting: tuple[QueuedSend, ...] = ()
    running: QueuedSend | None = None


class QueueOrderError(Exception):
    """A run was begun or ended out of turn: a defect of the caller."""


def submitted(queue: SessionQueue, send: Send, ticket: int) -> SessionQueue:
    """`send` waits at the end, or joins the last one that waits."""
    if queue.waiting and _joins(queue.waiting[-1].send, send):
        entry = _joined(queue.waiting[-1], send, ticket)
        return replace(queue, waiting=(*queue.waiting[:-1], entry))
    entry = QueuedSend(send=send, tickets=(ticket,))
    return replace(queue, waiting=(*queue.waiting, entry))


def can_begin_anew(queue: SessionQueue, send: Send) -> bool:
    """Whether the run could begin anew with the turns of `send`: nothing else waits, and the two may join."""
    return queue.running is not None and not queue.waiting and _joins(queue.running.send, send)


def begins_anew(queue: SessionQueue, send: Send, ticket: int) -> SessionQueue:
    """The run gives way to one that answers `send` as well; whoever waits for it waits for the new one."""
    if queue.running is None or not can_begin_anew(queue, send):
        message = "no run that could begin anew with this send"
        raise QueueOrderError(message)
    entry = _joined(queue.running, send, ticket)
    return replace(queue, running=replace(queue.running, tickets=()), waiting=(entry,))


def _joined(entry: QueuedSend, send: Send, ticket: int) -> QueuedSend:
    joined = replace(entry.send, turns=entry.send.turns + send.turns)
    return QueuedSend(send=joined, tickets=(*entry.tickets, ticket))


def _joins(earlier: Send, later: Send) -> bool:
    same = earlier.generation == later.generation and earlier.options == later.options
    return same and earlier.may_join and later.may_join


def turn_of(queue: SessionQueue, turn_id: str) -> UserTurn | None:
    """The turn as it is being answered or waits for it."""
    return next((turn for turn in _asked(queue) if turn.id == turn_id), None)


def turns_of_person(queue: SessionQueue, user_id: str) -> tuple[UserTurn, ...]:
    """What a person said, and notices of what they asked for, that is being answered or waits."""
    return tuple(turn for turn in _asked(queue) if user_id in (_speaker_id(turn), _about(turn)))


def answered_now(queue: SessionQueue) -> tuple[UserTurn, ...]:
    """What the run answers; one that gives way, for which nobody waits any more, answers nothing."""
    running = queue.running
    return running.send.turns if running is not None and running.tickets else ()


def _asked(queue: SessionQueue) -> Iterator[UserTurn]:
    yield from answered_now(queue)
    yield from (turn for entry in queue.waiting for turn in entry.send.turns)


def _speaker_id(turn: UserTurn) -> str | None:
    return None if turn.speaker is None else turn.speaker.id


def _about(turn: UserTurn) -> str | None:
    return None if turn.notice is None else turn.notice.about


def turn_edited(queue: SessionQueue, turn: UserTurn) -> SessionQueue:
    """What waits is answered as it reads now."""
    return replace(queue, waiting=tuple(replace(one, send=_edited(one.send, turn)) for one in queue.waiting))


def runs_anew(queue: SessionQueue, turns: tuple[UserTurn, ...], place: ReplyPlace) -> SessionQueue:
    """The running send comes again as the next one, with other turns; `place` finds what it has shown."""
    if queue.running is None:
        message = "nothing runs that could run anew"
        raise QueueOrderError(message)
    send = replace(queue.running.send, turns=turns, place=place)
    again = replace(queue.running, send=send)
    return replace(queue, running=replace(queue.running, tickets=()), waiting=(again, *queue.waiting))


def takes_back(queue: SessionQueue) -> SessionQueue:
    """A run that gives way to one that asks nothing new answers it itself; else nothing changes."""
    running = queue.running
    if running is None or running.tickets or not queue.waiting:
        return queue
    known = {turn.id for turn in running.send.turns}
    if not known.issuperset(turn.id for turn in queue.waiting[0].send.turns):
        return queue
    return replace(queue, running=queue.waiting[0], waiting=queue.waiting[1:])


def _edited(send: Send, turn: UserTurn) -> Send:
    return replace(send, turns=tuple(turn if one.id == turn.id else one for one in send.turns))


def begun(queue: SessionQueue) -> tuple[SessionQueue, QueuedSend]:
    """The first one waiting runs now; returns it."""
    if queue.running is not None or not queue.waiting:
        message = "a run begins when none runs and one waits"
        raise QueueOrderError(message)
    first = queue.waiting[0]
    return replace(queue, running=first, waiting=queue.waiting[1:]), first


def ended(queue: SessionQueue) -> tuple[SessionQueue, QueuedSend]:
    """The run is over, however it ended; returns it with those who still wait for its outcome."""
    if queue.running is None:
        message = "no run to end"
        raise QueueOrderError(message)
    return replace(queue, running=None), queue.running


def pending_cancelled(queue: SessionQueue) -> tuple[SessionQueue, tuple[QueuedSend, ...]]:
    """Nothing waits any more; the run goes on. Returns what was taken out."""
    return replace(queue, waiting=()), queue.waiting


def withdrawn(queue: SessionQueue, turn_id: str) -> tuple[SessionQueue, tuple[QueuedSend, ...]]:
    """A waiting turn is taken back (its message was deleted); a send without turns leaves the queue."""
    return _without(queue, lambda turn: turn.id == turn_id)


def speaker_withdrawn(queue: SessionQueue, speaker_id: str) -> tuple[SessionQueue, tuple[QueuedSend, ...]]:
    """A person takes back everything of theirs that waits; what others said in the same send stays."""
    return _without(queue, lambda turn: turn.speaker is not None and turn.speaker.id == speaker_id)


def _without(
    queue: SessionQueue, gone_is: Callable[[UserTurn], bool]
) -> tuple[SessionQueue, tuple[QueuedSend, ...]]:
    kept: list[QueuedSend] = []
    gone: list[QueuedSend] = []
    for entry in queue.waiting:
        turns = tuple(turn for turn in entry.send.turns if not gone_is(turn))
        if turns:
            kept.append(replace(entry, send=replace(entry.send, turns=turns)))
        else:
            gone.append(entry)
    return replace(queue, waiting=tuple(kept)), tuple(gone)


def reset(queue: SessionQueue, generation: int) -> tuple[SessionQueue, tuple[QueuedSend, ...]]:
    """The session starts anew in `generation`: what waits of an older one is dropped, what runs is stale."""
    dropped = tuple(entry for entry in queue.waiting if entry.send.generation < generation)
    kept = tuple(entry for entry in queue.waiting if entry.send.generation >= generation)
    return replace(queue, generation=max(generation, queue.generation), waiting=kept), dropped


def is_stale(queue: SessionQueue, entry: QueuedSend) -> bool:
    """Whether a reset came after `entry` was submitted; its result must not be stored."""
    return entry.send.generation < queue.generation
