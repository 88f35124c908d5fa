"""The audit of extractions in the database."""

import json
from datetime import datetime

from sqlalchemy import Connection, delete, insert, select

from recipes.memory.extraction_log import Extraction
from recipes.memory.storage.tables import extractions
from sessions.storage.database import Database

_WAITING = "waiting"
_DONE = "done"
_LATEST = 20


class StoredExtractions:
    """`ExtractionLog`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def wait(self, session_id: str, at: datetime) -> None:
        """See `ExtractionLog`."""
        known = select(extractions.c.place).where(
            extractions.c.session_id == session_id, extractions.c.state == _WAITING
        )
        row = {"session_id": session_id, "state": _WAITING, "asked_at": at, "outcomes": "{}"}

        def work(connection: Connection) -> None:
            if connection.execute(known).first() is None:
                connection.execute(insert(extractions), {**row, "proposed": 0, "kept": 0})

        await self._database.write(work)

    async def waiting(self) -> tuple[str, ...]:
        """See `ExtractionLog`."""
        found = (
            select(extractions.c.session_id)
            .where(extractions.c.state == _WAITING)
            .order_by(extractions.c.place)
        )
        return await self._database.read(lambda connection: tuple(connection.execute(found).scalars()))

    async def finish(self, extraction: Extraction) -> None:
        """See `ExtractionLog`."""
        waited = delete(extractions).where(
            extractions.c.session_id == extraction.session_id, extractions.c.state == _WAITING
        )
        row = {
            "session_id": extraction.session_id,
            "state": _DONE,
            "asked_at": extraction.asked_at,
            "done_at": extraction.done_at,
            "proposed": sum(extraction.outcomes.values()),
            "kept": extraction.outcomes.get("kept", 0),
            "outcomes": json.dumps(dict(extraction.outcomes)),
        }

        def work(connection: Connection) -> None:
            connection.execute(waited)
            connection.execute(insert(extractions), row)

        await self._database.write(work)

    async def finished(self, session_id: str) -> tuple[Extraction, ...]:
        """See `ExtractionLog`."""
        found = (
            select(extractions)
            .where(extractions.c.session_id == session_id, extractions.c.state == _DONE)
            .order_by(extractions.c.place.desc())
            .limit(_LATEST)
        )

        def work(connection: Connection) -> tuple[Extraction, ...]:
            return tuple(
                Extraction(
                    session_id=row.session_id,
                    asked_at=row.asked_at,
                    done_at=row.done_at,
                    outcomes=json.loads(row.outcomes),
                )
                for row in connection.execute(found)
            )

        return await self._database.read(work)
