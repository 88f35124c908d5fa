"""Turns as rows. Records are decoded here and nowhere further in (CORE-32)."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager

from sqlalchemy import Connection, Row, bindparam, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from core.conversation.turns import AssistantTurn, Turn
from sessions.failures import StaleGeneration, TurnUnreadable, UnknownSession, UnknownTurn
from sessions.history import StoredTurn, UnreadableTurn
from sessions.storage.history_tail import TailEntry
from sessions.storage.tables import sessions, turn_messages, turns
from sessions.turn_decoding import decode_turn
from sessions.turn_encoding import encode_turn
from sessions.turn_record import TurnKind, TurnRecord

TURN_COLUMNS = (turns.c.position, turns.c.kind, turns.c.version, turns.c.body)
TurnRow = Row[int, str, int, str]

_generation = select(sessions.c.generation).where(sessions.c.session_id == bindparam("session_id"))
_by_id = select(*TURN_COLUMNS).where(
    turns.c.session_id == bindparam("session_id"), turns.c.turn_id == bindparam("turn_id")
)
_insert_turn = insert(turns)
_insert_messages = insert(turn_messages)
_update = update(turns).where(turns.c.position == bindparam("at_position"))
_delete = delete(turns).where(turns.c.position == bindparam("at_position"))
_unlink = delete(turn_messages).where(turn_messages.c.position == bindparam("at_position"))


def require_generation(connection: Connection, session_id: str, generation: int) -> None:
    """Holds that the session still is in this generation.

    Raises:
        UnknownSession, StaleGeneration: it was never opened; it was reset.
    """
    current = connection.execute(_generation, {"session_id": session_id}).scalar()
    if current is None:
        raise UnknownSession(session_id)
    if current != generation:
        raise StaleGeneration(session_id, expected=generation, current=current)


def append_turn(
    connection: Connection, session_id: str, generation: int, turn: Turn, message_ids: Sequence[str]
) -> TailEntry:
    """Stores a turn at the end.

    Raises:
        IntegrityError: the session is in another generation or was never opened, or the turn, or one of its
            messages, is in the history already. `append_turn_carefully` tells them apart.
    """
    fields = _fields(turn)
    row = {"session_id": session_id, "generation": generation, "turn_id": turn.id, **fields}
    stored = connection.execute(_insert_turn, row).inserted_primary_key
    if stored is None:
        raise TypeError("the table of turns gives positions")
    _link(connection, session_id, stored[0], message_ids)
    return _entry(stored[0], turn, fields)


def append_turn_carefully(
    connection: Connection, session_id: str, generation: int, turn: Turn, message_ids: Sequence[str]
) -> TailEntry:
    """Looks first, then stores a turn at the end.

    Raises:
        UnknownSession, StaleGeneration: it was never opened; it was reset.
        ValueError: the turn, or one of its messages, is in the history already.
    """
    require_generation(connection, session_id, generation)
    with refused_as_known(turn):
        return append_turn(connection, session_id, generation, turn, message_ids)


@contextmanager
def refused_as_known(turn: Turn | None) -> Generator[None]:
    """What the tables refuse once the generation is known to be right: a `ValueError`."""
    try:
        yield
    except IntegrityError as error:
        name = "the turn" if turn is None else f"turn {turn.id}"
        raise ValueError(f"{name}, or a message of it, is in the history already") from error


def put_turn(
    connection: Connection, session_id: str, generation: int, turn: Turn, message_ids: Sequence[str]
) -> TailEntry:
    """Stores a turn in the place of the one that has its id, else carefully at the end."""
    row = turn_row(connection, session_id, turn.id)
    if row is None:
        return append_turn_carefully(connection, session_id, generation, turn, message_ids)
    entry = replace_turn(connection, row.position, turn)
    connection.execute(_unlink, {"at_position": row.position})
    _link(connection, session_id, row.position, message_ids)
    return entry


def replace_turn(connection: Connection, position: int, turn: Turn) -> TailEntry:
    """Stores another turn of the same id at a position."""
    fields = _fields(turn)
    connection.execute(_update, {"at_position": position, **fields})
    return _entry(position, turn, fields)


def remove_turn(connection: Connection, session_id: str, turn_id: str) -> int | None:
    """Takes a turn out, readable or not; returns where it was."""
    row = turn_row(connection, session_id, turn_id)
    if row is not None:
        connection.execute(_delete, {"at_position": row.position})
    return None if row is None else row.position


def turn_row(connection: Connection, session_id: str, turn_id: str) -> TurnRow | None:
    """The row of a turn."""
    return connection.execute(_by_id, {"session_id": session_id, "turn_id": turn_id}).one_or_none()


def require_turn(connection: Connection, session_id: str, turn_id: str) -> StoredTurn:
    """A turn at its place.

    Raises:
        UnknownTurn, TurnUnreadable: it is not there; it cannot be read.
    """
    row = turn_row(connection, session_id, turn_id)
    if row is None:
        raise UnknownTurn(f"no turn {turn_id}")
    return StoredTurn(position=row.position, turn=turn_of(row))


def turn_of(row: TurnRow) -> Turn:
    """The turn of a row.

    Raises:
        TurnUnreadable: it is broken, or of a newer version.
    """
    return decode_turn(record_of(row.kind, row.version, row.body))


def record_of(kind: str, version: int, body: str) -> TurnRecord:
    """The stored fields as a record.

    Raises:
        TurnUnreadable: of an unknown kind.
    """
    try:
        return TurnRecord(kind=TurnKind(kind), version=version, body=body)
    except ValueError as error:
        raise TurnUnreadable("the record is of an unknown kind") from error


def entry_of(row: TurnRow) -> TailEntry:
    """The row as an entry, with a placeholder for one that cannot be read."""
    try:
        record = StoredTurn(position=row.position, turn=turn_of(row))
    except TurnUnreadable as failure:
        return TailEntry(record=UnreadableTurn(position=row.position, reason=str(failure)), size=0)
    return TailEntry(record=record, size=len(row.body))


def _fields(turn: Turn) -> dict[str, object]:
    record = encode_turn(turn)
    return {
        "kind": record.kind.value,
        "version": record.version,
        "body": record.body,
        "interrupted": isinstance(turn, AssistantTurn) and turn.interrupted,
    }


def _entry(position: int, turn: Turn, fields: dict[str, object]) -> TailEntry:
    return TailEntry(record=StoredTurn(position=position, turn=turn), size=len(str(fields["body"])))


def _link(connection: Connection, session_id: str, position: int, message_ids: Sequence[str]) -> None:
    rows = [
        {"session_id": session_id, "message_id": message_id, "position": position, "number": number}
        for number, message_id in enumerate(message_ids)
    ]
    if rows:
        connection.execute(_insert_messages, rows)
