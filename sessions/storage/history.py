"""The history in the database, with the tails of recently used sessions in memory."""

import json
from collections.abc import AsyncIterator, Sequence

from sqlalchemy import Connection, bindparam, func, select

from core.conversation.content import UserContent
from core.conversation.turns import Turn
from sessions.failures import UnknownTurn
from sessions.history import Extent, FoundTurn, StoredTurn, Window
from sessions.history_rules import stays_here, with_content, with_edited_result
from sessions.storage.database import Database
from sessions.storage.history_tail import HistoryTail, TailEntry, window_of
from sessions.storage.read_through import ReadThrough
from sessions.storage.tables import turn_messages, turns
from sessions.storage.turn_rows import (
    TURN_COLUMNS,
    append_turn,
    append_turn_carefully,
    entry_of,
    record_of,
    remove_turn,
    replace_turn,
    require_turn,
)
from sessions.turn_decoding import decode_turn
from sessions.turn_record import TurnKind

Tails = ReadThrough[str, HistoryTail]

_EXPORT_PAGE = 200

_of_session = select(*TURN_COLUMNS).where(turns.c.session_id == bindparam("session_id"))
_latest = _of_session.order_by(turns.c.position.desc()).limit(bindparam("records"))
_oldest = _of_session.order_by(turns.c.position).limit(1)
_count = select(func.count()).where(turns.c.session_id == bindparam("session_id"))
_exported = (
    _of_session.where(turns.c.position > bindparam("after"), turns.c.interrupted.is_(False))
    .order_by(turns.c.position)
    .limit(_EXPORT_PAGE)
)
_linked = turn_messages.alias()
_of_message = (
    select(*TURN_COLUMNS, _linked.c.message_id)
    .join(turn_messages, turn_messages.c.position == turns.c.position)
    .join(_linked, _linked.c.position == turns.c.position)
    .where(
        turn_messages.c.session_id == bindparam("session_id"),
        turn_messages.c.message_id == bindparam("message_id"),
    )
    .order_by(_linked.c.number)
)
_replies = _of_session.where(turns.c.kind == TurnKind.ASSISTANT.value).order_by(turns.c.position)


class StoredHistory:
    """`History`, `HistoryEdits` and `HistoryExport`."""

    def __init__(self, database: Database, tails: Tails) -> None:
        self._database = database
        self._tails = tails

    async def append(
        self, session_id: str, generation: int, turn: Turn, message_ids: Sequence[str] = ()
    ) -> int:
        """See `History`."""

        def work(connection: Connection) -> TailEntry:
            return append_turn(connection, session_id, generation, turn, message_ids)

        def look_first(connection: Connection) -> TailEntry:
            return append_turn_carefully(connection, session_id, generation, turn, message_ids)

        def appended(entry: TailEntry) -> None:
            self._tails.change(session_id, lambda tail: tail.append(entry))

        return (await self._database.write(work, appended, instead=look_first)).position

    async def window(self, session_id: str, limit: int) -> Window:
        """See `History`."""
        tail = self._tails.held(session_id)
        window = None if tail is None else tail.window(limit)
        if window is not None:
            return window
        entries: list[TailEntry] = []

        def work(connection: Connection) -> list[TailEntry]:
            rows = connection.execute(_latest, {"session_id": session_id, "records": limit + 1}).all()
            return [entry_of(row) for row in reversed(rows)]

        async def load() -> HistoryTail:
            entries.extend(await self._database.read(work))
            return HistoryTail(entries[-limit:], earlier=len(entries) > limit)

        await self._tails.load(session_id, load)
        return window_of(entries[-limit:], earlier=len(entries) > limit)

    async def find(self, session_id: str, message_id: str) -> FoundTurn | None:
        """See `History`."""

        def work(connection: Connection) -> FoundTurn | None:
            key = {"session_id": session_id, "message_id": message_id}
            rows = connection.execute(_of_message, key).all()
            if not rows:
                return None
            record = record_of(rows[0].kind, rows[0].version, rows[0].body)
            return FoundTurn(
                position=rows[0].position,
                turn=decode_turn(record),
                message_ids=tuple(row.message_id for row in rows),
            )

        return await self._database.read(work)

    async def replace_content(self, session_id: str, turn_id: str, content: tuple[UserContent, ...]) -> None:
        """See `HistoryEdits`."""

        def work(connection: Connection) -> TailEntry:
            stored = require_turn(connection, session_id, turn_id)
            return replace_turn(connection, stored.position, with_content(stored.turn, content))

        await self._database.write(work, lambda entry: self._replaced(session_id, [entry]))

    async def remove(self, session_id: str, turn_id: str) -> bool:
        """See `HistoryEdits`."""

        def work(connection: Connection) -> int | None:
            return remove_turn(connection, session_id, turn_id)

        def removed(position: int | None) -> None:
            if position is not None:
                self._tails.change(session_id, lambda tail: tail.remove(position))

        return await self._database.write(work, removed) is not None

    async def edit_result(self, session_id: str, invocation_id: str, result: str) -> None:
        """See `HistoryEdits`."""

        def work(connection: Connection) -> list[TailEntry]:
            replies = _replies_from(connection, session_id, invocation_id)
            edited = with_edited_result([stored.turn for stored in replies], invocation_id, result)
            return [
                replace_turn(connection, stored.position, turn)
                for stored, turn in zip(replies, edited, strict=True)
                if turn != stored.turn
            ]

        await self._database.write(work, lambda entries: self._replaced(session_id, entries))

    async def extent(self, session_id: str) -> Extent:
        """See `HistoryExport`."""

        def work(connection: Connection) -> Extent:
            key = {"session_id": session_id}
            row = connection.execute(_oldest, key).one_or_none()
            record = None if row is None else entry_of(row).record
            return Extent(
                records=connection.execute(_count, key).scalar_one(),
                first=record.turn if isinstance(record, StoredTurn) else None,
            )

        return await self._database.read(work)

    async def exported_turns(self, session_id: str) -> AsyncIterator[Turn]:
        """See `HistoryExport`."""
        after = 0
        while page := await self._exported_page(session_id, after):
            after = page[-1].position
            for entry in page:
                if isinstance(entry.record, StoredTurn) and not stays_here(entry.record.turn):
                    yield entry.record.turn

    async def _exported_page(self, session_id: str, after: int) -> list[TailEntry]:
        def work(connection: Connection) -> list[TailEntry]:
            rows = connection.execute(_exported, {"session_id": session_id, "after": after})
            return [entry_of(row) for row in rows]

        return await self._database.read(work)

    def _replaced(self, session_id: str, entries: Sequence[TailEntry]) -> None:
        def change(tail: HistoryTail) -> None:
            for entry in entries:
                tail.replace(entry)

        self._tails.change(session_id, change)


def _replies_from(connection: Connection, session_id: str, invocation_id: str) -> list[StoredTurn]:
    """The readable assistant turns from the one that owns the invocation on."""
    owner = (
        select(func.min(turns.c.position))
        .where(turns.c.session_id == session_id, turns.c.kind == TurnKind.ASSISTANT.value)
        .where(turns.c.body.contains(json.dumps(invocation_id), autoescape=True))
    )
    position = connection.execute(owner).scalar()
    if position is None:
        raise UnknownTurn("no such tool invocation")
    rows = connection.execute(_replies.where(turns.c.position >= position), {"session_id": session_id})
    records = [entry_of(row).record for row in rows]
    return [record for record in records if isinstance(record, StoredTurn)]
