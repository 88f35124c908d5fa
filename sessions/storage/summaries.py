"""Summaries in the database."""

import json
from collections.abc import Callable

import structlog
from sqlalchemy import Connection, bindparam, delete, insert, select

from core.conversation.turns import InvokedSkill
from sessions.storage.database import Database
from sessions.storage.read_through import ReadThrough
from sessions.storage.tables import summaries
from sessions.storage.turn_rows import require_generation
from sessions.summaries import StoredSummary

_log = structlog.get_logger()

Held = ReadThrough[str, tuple[StoredSummary, ...]]
"""One summary, or an empty tuple where it is known that there is none."""

_find = select(summaries).where(summaries.c.session_id == bindparam("id"))
_insert = insert(summaries)
_delete = delete(summaries).where(summaries.c.session_id == bindparam("id"))


def forget_summary(connection: Connection, session_id: str) -> None:
    """Part of a reset."""
    connection.execute(_delete, {"id": session_id})


class StoredSummaries:
    """`Summaries`."""

    def __init__(self, database: Database, held: Held) -> None:
        self._database = database
        self._held = held

    async def latest(self, session_id: str) -> StoredSummary | None:
        """See `Summaries`."""
        known = self._held.held(session_id)
        if known is None:
            known = await self._held.load(session_id, lambda: self._database.read(_reading(session_id)))
        return known[0] if known else None

    async def keep(self, session_id: str, generation: int, summary: StoredSummary) -> None:
        """See `Summaries`."""
        skills = [{"name": skill.name, "text": skill.text} for skill in summary.skills]

        def work(connection: Connection) -> None:
            require_generation(connection, session_id, generation)
            connection.execute(_delete, {"id": session_id})
            connection.execute(
                _insert,
                {
                    "session_id": session_id,
                    "position": summary.position,
                    "text": summary.text,
                    "skills": json.dumps(skills, ensure_ascii=False),
                },
            )

        await self._database.write(work, lambda _: self._held.keep(session_id, (summary,)))


def _reading(session_id: str) -> Callable[[Connection], tuple[StoredSummary, ...]]:
    def work(connection: Connection) -> tuple[StoredSummary, ...]:
        row = connection.execute(_find, {"id": session_id}).one_or_none()
        if row is None:
            return ()
        skills = _skills(row.skills)
        if skills is None:
            _log.warning("summary is unreadable", session=session_id)
            return ()
        return (StoredSummary(position=row.position, text=row.text, skills=skills),)

    return work


def _skills(stored: str) -> tuple[InvokedSkill, ...] | None:
    """None: they cannot be read. The turns behind the summary stand as they were, and are read instead."""
    try:
        return tuple(InvokedSkill(name=skill["name"], text=skill["text"]) for skill in json.loads(stored))
    except (ValueError, TypeError, KeyError):
        return None
