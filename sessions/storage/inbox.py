"""The inbox in the database."""

from collections.abc import Sequence

from sqlalchemy import Connection, Update, bindparam, insert, select, update

from sessions.failures import UnknownSession
from sessions.inbox import InboxRow, NewMessage
from sessions.inbox_rules import UNFINISHED, InboxState, check_move, origins
from sessions.storage.database import Database
from sessions.storage.tables import among, inbox

_insert = insert(inbox)
_state = select(inbox.c.state).where(inbox.c.message_id == bindparam("id"))
_unfinished = select(inbox).where(among(inbox.c.state, UNFINISHED)).order_by(inbox.c.place)
_drop_waiting = (
    update(inbox)
    .where(inbox.c.session_id == bindparam("session"), among(inbox.c.state, UNFINISHED))
    .values(state=InboxState.DROPPED.value, reason=bindparam("why"))
)


def _move(to: InboxState) -> Update:
    allowed = among(inbox.c.state, origins(to))
    return update(inbox).where(inbox.c.message_id == bindparam("id"), allowed).values(state=to.value)


_begin = _move(InboxState.ANSWERING).values(run_id=bindparam("run"))
_done = _move(InboxState.DONE)
_drop = _move(InboxState.DROPPED).values(reason=bindparam("why"))


def begin_messages(connection: Connection, run_id: str, message_ids: Sequence[str]) -> None:
    """Moves messages to `answering`, or raises `IllegalMove`."""
    for message_id in message_ids:
        if connection.execute(_begin, {"id": message_id, "run": run_id}).rowcount != 1:
            check_move(message_id, _state_of(connection, message_id), InboxState.ANSWERING)


def finish_messages(connection: Connection, message_ids: Sequence[str]) -> None:
    """Moves messages to `done`, or raises `IllegalMove`."""
    for message_id in message_ids:
        if connection.execute(_done, {"id": message_id}).rowcount != 1:
            check_move(message_id, _state_of(connection, message_id), InboxState.DONE)


def drop_messages(
    connection: Connection, message_ids: Sequence[str], reason: str, *, settled_too: bool = False
) -> None:
    """Moves messages to `dropped`, or raises `IllegalMove`; with `settled_too` others stay."""
    for message_id in message_ids:
        moved = connection.execute(_drop, {"id": message_id, "why": reason}).rowcount == 1
        if not moved and not settled_too:
            check_move(message_id, _state_of(connection, message_id), InboxState.DROPPED)


def drop_waiting(connection: Connection, session_id: str, reason: str) -> None:
    """Drops what a session still has to answer."""
    connection.execute(_drop_waiting, {"session": session_id, "why": reason})


class StoredInbox:
    """`Inbox`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def accept(self, message: NewMessage) -> bool:
        """See `Inbox`."""
        row = {
            "message_id": message.message_id,
            "session_id": message.session_id,
            "payload": message.payload,
            "at": message.at,
            "state": InboxState.ACCEPTED.value,
        }

        def work(connection: Connection) -> bool:
            connection.execute(_insert, row)
            return True

        def look_first(connection: Connection) -> bool:
            if _state_of(connection, message.message_id) is None:
                raise UnknownSession(message.session_id)
            return False

        return await self._database.write(work, instead=look_first)

    async def begin(self, run_id: str, message_ids: Sequence[str]) -> None:
        """See `Inbox`."""
        await self._database.write(lambda connection: begin_messages(connection, run_id, message_ids))

    async def finish(self, message_ids: Sequence[str], *, dropped: str | None = None) -> None:
        """See `Inbox`."""

        def work(connection: Connection) -> None:
            if dropped is None:
                finish_messages(connection, message_ids)
            else:
                drop_messages(connection, message_ids, dropped)

        await self._database.write(work)

    async def unfinished(self) -> tuple[InboxRow, ...]:
        """See `Inbox`."""

        def work(connection: Connection) -> tuple[InboxRow, ...]:
            return tuple(
                InboxRow(
                    message_id=row.message_id,
                    session_id=row.session_id,
                    payload=row.payload,
                    at=row.at,
                    state=InboxState(row.state),
                    run_id=row.run_id,
                    reason=row.reason,
                )
                for row in connection.execute(_unfinished)
            )

        return await self._database.read(work)


def _state_of(connection: Connection, message_id: str) -> InboxState | None:
    state = connection.execute(_state, {"id": message_id}).scalar()
    return None if state is None else InboxState(state)
