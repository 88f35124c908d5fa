"""The states of a message that may need an answer, and every move between them (SCENE-7).

accepted -> answering -> done
    |           |  ^
    v           v  '-- taken over by another run: a burst, or a restart after a crash
 dropped     dropped
"""

from collections.abc import Mapping
from enum import StrEnum

from sessions.failures import IllegalMove


class InboxState(StrEnum):
    """Where a message stands; `done` and `dropped` are final."""

    ACCEPTED = "accepted"
    ANSWERING = "answering"
    DONE = "done"
    DROPPED = "dropped"


MOVES: Mapping[InboxState, frozenset[InboxState]] = {
    InboxState.ACCEPTED: frozenset({InboxState.ANSWERING, InboxState.DROPPED}),
    InboxState.ANSWERING: frozenset({InboxState.ANSWERING, InboxState.DONE, InboxState.DROPPED}),
    InboxState.DONE: frozenset(),
    InboxState.DROPPED: frozenset(),
}

UNFINISHED: frozenset[InboxState] = frozenset(state for state, following in MOVES.items() if following)


def origins(to: InboxState) -> frozenset[InboxState]:
    """The states from which a message may come to `to`."""
    return frozenset(state for state, following in MOVES.items() if to in following)


def check_move(message_id: str, state: InboxState | None, to: InboxState) -> None:
    """Passes when the table has the move; `state` None means that the message was never accepted.

    Raises:
        IllegalMove: it does not.
    """
    if state is None or to not in MOVES[state]:
        raise IllegalMove(f"message {message_id} cannot go from {state or 'nowhere'} to {to}")
