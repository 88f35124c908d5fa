"""The states of a reply piece, every move between them, and the names that a crash must not change (TEXT-11).

planned -> posted -> finished
   |         |  ^
   |         |  '-- posted again: the message was gone and had to be written anew
   v         v
abandoned, or finished without a post (the reply turned out shorter)
"""

from collections.abc import Mapping
from enum import StrEnum

from sessions.failures import IllegalMove

_REPLY = "reply:"
_NONCE_LENGTH = 25  # Discord: "Create Message", field `nonce`


class PieceState(StrEnum):
    """Where a piece stands; `finished` and `abandoned` are final."""

    PLANNED = "planned"
    POSTED = "posted"
    FINISHED = "finished"
    ABANDONED = "abandoned"


MOVES: Mapping[PieceState, frozenset[PieceState]] = {
    PieceState.PLANNED: frozenset({PieceState.POSTED, PieceState.FINISHED, PieceState.ABANDONED}),
    PieceState.POSTED: frozenset({PieceState.POSTED, PieceState.FINISHED, PieceState.ABANDONED}),
    PieceState.FINISHED: frozenset(),
    PieceState.ABANDONED: frozenset(),
}

UNSETTLED: frozenset[PieceState] = frozenset(state for state, following in MOVES.items() if following)


def origins(to: PieceState) -> frozenset[PieceState]:
    """The states from which a piece may come to `to`."""
    return frozenset(state for state, following in MOVES.items() if to in following)


def check_move(reply_id: str, number: int, state: PieceState | None, to: PieceState) -> None:
    """Passes when the table has the move; `state` None means that the piece was never planned.

    Raises:
        IllegalMove: it does not.
    """
    if state is None or to not in MOVES[state]:
        raise IllegalMove(f"piece {number} of {reply_id} cannot go from {state or 'nowhere'} to {to}")


def reply_id_for(message_id: str) -> str:
    """The reply to a message; of a burst, to its first one, so that a restarted run keeps it."""
    return f"{_REPLY}{message_id}"


def message_of(reply_id: str) -> str:
    """The message that `reply_id_for` was given."""
    return reply_id.removeprefix(_REPLY)


def nonce_for(message_id: str, number: int) -> str:
    """The nonce of one piece's post, the same after a crash: at most 25 characters.

    Raises:
        ValueError: too long for Discord.
    """
    nonce = f"{message_id}-{number}"
    if len(nonce) > _NONCE_LENGTH:
        raise ValueError(f"a nonce holds {_NONCE_LENGTH} characters, not {len(nonce)}")
    return nonce
