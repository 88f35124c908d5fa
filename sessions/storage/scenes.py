"""Sessions in the database; the open ones are kept in memory."""

from datetime import datetime
from typing import Any, assert_never

from sqlalchemy import Connection, Row, bindparam, delete, insert, select, update

from sessions.bindings import Binding, ChannelBinding, ConsoleBinding, read_binding
from sessions.failures import UnknownSession
from sessions.scene import CHANNEL_DELETED, SESSION_RESET, Session
from sessions.storage.database import Database
from sessions.storage.history import Tails
from sessions.storage.inbox import drop_waiting
from sessions.storage.outbox import abandon_session
from sessions.storage.read_through import ReadThrough
from sessions.storage.summaries import Held, forget_summary
from sessions.storage.tables import sessions, turns

_OPEN_SESSIONS = 4096
_CHANNEL = "channel"

_find = select(sessions).where(sessions.c.session_id == bindparam("id"))
_direct = (
    select(sessions)
    .where(
        sessions.c.kind == _CHANNEL,
        sessions.c.guild_id.is_(None),
        sessions.c.closed_at.is_(None),
    )
    .order_by(sessions.c.created_at.desc())
    .limit(bindparam("most"))
)
_insert = insert(sessions)
_raise_generation = (
    update(sessions)
    .where(sessions.c.session_id == bindparam("id"))
    .values(generation=sessions.c.generation + 1, reset_at=bindparam("now", type_=sessions.c.reset_at.type))
)
_close = update(sessions).where(sessions.c.session_id == bindparam("id"), sessions.c.closed_at.is_(None))
_forget_turns = delete(turns).where(turns.c.session_id == bindparam("id"))


class StoredSessions:
    """`Sessions`."""

    def __init__(self, database: Database, tails: Tails, summaries: Held) -> None:
        self._database = database
        self._tails = tails
        self._summaries = summaries
        self._open = ReadThrough[str, Session](_OPEN_SESSIONS)

    async def open(self, binding: Binding, now: datetime) -> Session:
        """See `Sessions`."""
        held = self._open.held(binding.session_id)
        if held is not None:
            return held

        def work(connection: Connection) -> Session:
            return _session(connection, binding.session_id) or _created(connection, binding, now)

        return await self._database.write(work, self._keep)

    async def reset(self, session_id: str, now: datetime) -> Session:
        """See `Sessions`."""

        def work(connection: Connection) -> Session:
            connection.execute(_forget_turns, {"id": session_id})
            connection.execute(_raise_generation, {"id": session_id, "now": now})
            forget_summary(connection, session_id)
            drop_waiting(connection, session_id, SESSION_RESET)
            session = _session(connection, session_id)
            if session is None:
                raise UnknownSession(session_id)
            return session

        def reset(session: Session) -> None:
            self._keep(session)
            self._tails.forget(session_id)
            self._summaries.forget(session_id)

        return await self._database.write(work, reset)

    async def direct(self, limit: int) -> tuple[Session, ...]:
        """See `Sessions`."""

        def work(connection: Connection) -> tuple[Session, ...]:
            return tuple(_read(row) for row in connection.execute(_direct, {"most": limit}))

        return await self._database.read(work)

    async def close(self, session_id: str, now: datetime) -> None:
        """See `Sessions`."""

        def work(connection: Connection) -> Session | None:
            connection.execute(_close, {"id": session_id, "closed_at": now})
            drop_waiting(connection, session_id, CHANNEL_DELETED)
            abandon_session(connection, session_id, CHANNEL_DELETED)
            return _session(connection, session_id)

        await self._database.write(work, lambda session: None if session is None else self._keep(session))

    def _keep(self, session: Session) -> None:
        self._open.keep(session.session_id, session)


def _session(connection: Connection, session_id: str) -> Session | None:
    row = connection.execute(_find, {"id": session_id}).one_or_none()
    return None if row is None else _read(row)


def _read(row: Row[Any]) -> Session:
    return Session(
        binding=read_binding(row.session_id, row.guild_id),
        generation=row.generation,
        created_at=row.created_at,
        reset_at=row.reset_at,
        closed_at=row.closed_at,
    )


def _created(connection: Connection, binding: Binding, now: datetime) -> Session:
    match binding:
        case ConsoleBinding():
            kind, guild_id = "console", None
        case ChannelBinding():
            kind, guild_id = _CHANNEL, binding.guild_id
        case _:
            assert_never(binding)
    session = Session(binding=binding, generation=0, created_at=now)
    connection.execute(
        _insert,
        {
            "session_id": binding.session_id,
            "kind": kind,
            "guild_id": guild_id,
            "generation": session.generation,
            "created_at": now,
        },
    )
    return session
