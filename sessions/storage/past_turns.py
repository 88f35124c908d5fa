"""Past turns in the database: one walk over the session's rows, newest first."""

import json
from collections.abc import Sequence

from sqlalchemy import Connection, or_, select

from sessions.failures import TurnUnreadable
from sessions.history import StoredTurn
from sessions.storage.database import Database
from sessions.storage.tables import turns
from sessions.storage.turn_rows import TURN_COLUMNS, turn_of


class StoredPastTurns:
    """`PastTurns`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def holding(self, session_id: str, words: Sequence[str], limit: int) -> tuple[StoredTurn, ...]:
        """See `PastTurns`."""
        if not words:
            return ()
        holds = [
            turns.c.body.ilike(f"%{_escaped(form)}%", escape="!") for word in words for form in _forms(word)
        ]
        query = (
            select(*TURN_COLUMNS)
            .where(turns.c.session_id == session_id, turns.c.interrupted.is_(False), or_(*holds))
            .order_by(turns.c.position.desc())
            .limit(limit)
        )

        def work(connection: Connection) -> tuple[StoredTurn, ...]:
            found: list[StoredTurn] = []
            for row in connection.execute(query):
                try:
                    found.append(StoredTurn(position=row.position, turn=turn_of(row)))
                except TurnUnreadable:
                    continue
            return tuple(found)

        return await self._database.read(work)

    async def is_longer_than(self, session_id: str, count: int) -> bool:
        """See `PastTurns`."""
        query = select(turns.c.position).where(turns.c.session_id == session_id).limit(1).offset(count)
        return await self._database.read(lambda connection: connection.execute(query).first() is not None)


def _forms(word: str) -> tuple[str, ...]:
    """As it may be written: a database folds the case of ASCII alone, and bodies are escaped to ASCII."""
    return tuple(dict.fromkeys((word, word.lower(), word.upper(), word.capitalize())))


def _escaped(word: str) -> str:
    written = json.dumps(word)[1:-1]
    return written.replace("!", "!!").replace("%", "!%").replace("_", "!_")
