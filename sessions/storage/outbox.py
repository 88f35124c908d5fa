"""The outbox in the database."""

from collections.abc import Mapping
from operator import itemgetter

from sqlalchemy import Connection, Select, Update, bindparam, case, insert, select, update
from sqlalchemy.exc import IntegrityError

from sessions.failures import UnknownSession
from sessions.outbox import OutboxPiece, PlannedPiece
from sessions.outbox_rules import UNSETTLED, PieceState, check_move, origins
from sessions.storage.database import Database
from sessions.storage.tables import among, outbox

_insert = insert(outbox)
_piece = select(outbox).where(outbox.c.reply_id == bindparam("reply"), outbox.c.number == bindparam("piece"))
_pieces = select(outbox).where(outbox.c.reply_id == bindparam("reply")).order_by(outbox.c.number)
_unsettled = select(outbox).where(among(outbox.c.state, UNSETTLED)).order_by(outbox.c.place)


def _move(to: PieceState) -> Update:
    return update(outbox).where(among(outbox.c.state, origins(to))).values(state=to.value)


_of_reply = outbox.c.reply_id == bindparam("reply")
_posted = (
    _move(PieceState.POSTED)
    .where(_of_reply, outbox.c.number == bindparam("piece"))
    .values(message_id=bindparam("message"))
)
_finish = (
    update(outbox)
    .where(_of_reply)
    .values(
        state=case(
            (among(outbox.c.state, origins(PieceState.FINISHED)), PieceState.FINISHED.value),
            else_=outbox.c.state,
        )
    )
    .returning(outbox.c.number, outbox.c.message_id)
)
_abandon = _move(PieceState.ABANDONED).where(_of_reply).values(reason=bindparam("why"))
_abandon_session = (
    _move(PieceState.ABANDONED)
    .where(outbox.c.session_id == bindparam("session"))
    .values(reason=bindparam("why"))
)


def plan_piece(connection: Connection, piece: PlannedPiece) -> OutboxPiece:
    """Stores a new piece.

    Raises:
        IntegrityError: it is known already, or its session was never opened. `plan_piece_carefully` tells.
    """
    row = {
        "reply_id": piece.reply_id,
        "number": piece.number,
        "session_id": piece.session_id,
        "channel_id": piece.channel_id,
        "nonce": piece.nonce,
        "at": piece.at,
        "state": PieceState.PLANNED.value,
    }
    connection.execute(_insert, row)
    return OutboxPiece(
        reply_id=piece.reply_id,
        number=piece.number,
        session_id=piece.session_id,
        channel_id=piece.channel_id,
        nonce=piece.nonce,
        at=piece.at,
        state=PieceState.PLANNED,
    )


def plan_piece_carefully(connection: Connection, piece: PlannedPiece) -> OutboxPiece:
    """Looks first: stores a new piece, or returns the known one as it stands, or raises `UnknownSession`."""
    known = _pieces_of(connection, _piece, {"reply": piece.reply_id, "piece": piece.number})
    if known:
        return known[0]
    try:
        return plan_piece(connection, piece)
    except IntegrityError as error:
        raise UnknownSession(piece.session_id) from error


def finish_pieces(connection: Connection, reply_id: str) -> tuple[str, ...]:
    """Finishes the unsettled pieces of a reply and returns its messages in the room."""
    pieces = sorted(connection.execute(_finish, {"reply": reply_id}), key=itemgetter(0))
    return tuple(message_id for _, message_id in pieces if message_id is not None)


def abandon_pieces(connection: Connection, reply_id: str, reason: str) -> None:
    """Abandons the unsettled pieces of a reply."""
    connection.execute(_abandon, {"reply": reply_id, "why": reason})


def abandon_session(connection: Connection, session_id: str, reason: str) -> None:
    """Abandons the unsettled pieces of a session."""
    connection.execute(_abandon_session, {"session": session_id, "why": reason})


class StoredOutbox:
    """`Outbox`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def plan(self, piece: PlannedPiece) -> OutboxPiece:
        """See `Outbox`."""
        return await self._database.write(
            lambda connection: plan_piece(connection, piece),
            instead=lambda connection: plan_piece_carefully(connection, piece),
        )

    async def posted(self, reply_id: str, number: int, message_id: str) -> None:
        """See `Outbox`."""

        def work(connection: Connection) -> None:
            key = {"reply": reply_id, "piece": number}
            if connection.execute(_posted, {**key, "message": message_id}).rowcount != 1:
                known = _pieces_of(connection, _piece, key)
                check_move(reply_id, number, known[0].state if known else None, PieceState.POSTED)

        await self._database.write(work)

    async def pieces(self, reply_id: str) -> tuple[OutboxPiece, ...]:
        """See `Outbox`."""
        return await self._database.read(
            lambda connection: _pieces_of(connection, _pieces, {"reply": reply_id})
        )

    async def unsettled(self) -> tuple[OutboxPiece, ...]:
        """See `Outbox`."""
        return await self._database.read(lambda connection: _pieces_of(connection, _unsettled, {}))


_Row = tuple[object, ...]


def _pieces_of(
    connection: Connection, query: Select[*_Row], parameters: Mapping[str, object]
) -> tuple[OutboxPiece, ...]:
    return tuple(
        OutboxPiece(
            reply_id=row.reply_id,
            number=row.number,
            session_id=row.session_id,
            channel_id=row.channel_id,
            nonce=row.nonce,
            at=row.at,
            state=PieceState(row.state),
            message_id=row.message_id,
            reason=row.reason,
        )
        for row in connection.execute(query, parameters)
    )
