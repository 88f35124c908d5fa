"""What the tables of scenes hold of a person, found and removed (MEM-6).

Who spoke, or whom a notice is about, stands in the record of a turn, not in a column: a person is looked for
seldom, a turn is stored often. So the search reads every record, in pages and beside the writer, and takes
its time.
"""

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import PurePath

from sqlalchemy import Connection, bindparam, delete, or_, select, update

from sessions.history import StoredTurn
from sessions.outbox_rules import reply_id_for
from sessions.personal_data import ForgottenScenes
from sessions.personal_rules import exported, media_of, of_person
from sessions.scene import Sessions
from sessions.storage.database import Database
from sessions.storage.history import Tails
from sessions.storage.history_tail import TailEntry
from sessions.storage.summaries import Held, forget_summary
from sessions.storage.tables import (
    channel_settings,
    inbox,
    metadata,
    sessions,
    tool_runs,
    turn_messages,
    turns,
    usage_counts,
)
from sessions.storage.turn_rows import TURN_COLUMNS, entry_of
from sessions.turn_record import TurnKind
from sessions.usage import UsageKind

_BLANK = "{}"
_ESCAPE = "|"  # PostgreSQL's own is the backslash, which `AnyText` writes before every quote
_MOST_IN_ONE_WRITE = 500

_spoke = (
    select(turns.c.session_id)
    .where(
        turns.c.kind == TurnKind.USER.value,
        or_(
            turns.c.body.contains(bindparam("speaker"), escape=_ESCAPE),
            turns.c.body.contains(bindparam("about"), escape=_ESCAPE),
        ),
    )
    .distinct()
)
_of_session = (
    select(*TURN_COLUMNS).where(turns.c.session_id == bindparam("session_id")).order_by(turns.c.position)
)
_direct = select(sessions.c.session_id).where(sessions.c.kind == "channel", sessions.c.guild_id.is_(None))
_messages = select(inbox.c.message_id).where(
    inbox.c.payload.contains(bindparam("author"), escape=_ESCAPE), inbox.c.payload != _BLANK
)


class StoredScenePersons:
    """`ScenePersons`."""

    def __init__(self, database: Database, *, tails: Tails, summaries: Held, open_sessions: Sessions) -> None:
        self._database = database
        self._tails = tails
        self._summaries = summaries
        self._sessions = open_sessions

    @property
    def tables(self) -> frozenset[str]:
        """See `ScenePersons`."""
        return frozenset(metadata.tables)

    async def export(self, user_id: str) -> tuple[Mapping[str, object], ...]:
        """See `ScenePersons`."""
        found = await self._theirs(user_id)
        return tuple(exported(session_id, stored) for session_id, theirs in found for stored in theirs)

    async def forget(self, user_id: str, now: datetime) -> ForgottenScenes:
        """See `ScenePersons`."""
        found = await self._theirs(user_id)
        direct = await self._database.read(lambda connection: set(connection.execute(_direct).scalars()))
        media: list[PurePath] = []
        count = 0
        for session_id, theirs in found:
            if session_id in direct:
                theirs = await self._everything(session_id)  # noqa: PLW2901 - alone with the bot, all is theirs
                await self._sessions.reset(session_id, now)
                await self._forget_settings(session_id)
            else:
                await self._forget_turns(session_id, theirs)
            count += len(theirs)
            media += media_of(stored.turn for stored in theirs)
        await self._forget_usage(user_id)
        messages = await self._forget_messages(user_id)
        return ForgottenScenes(counts={"turns": count, "messages": messages}, media=tuple(media))

    async def _theirs(self, user_id: str) -> list[tuple[str, tuple[StoredTurn, ...]]]:
        names = {
            "speaker": f'"speaker":{{"id":{json.dumps(user_id)}',
            "about": f'"about":{json.dumps(user_id)}',
        }

        def spoke(connection: Connection) -> list[str]:
            return sorted(connection.execute(_spoke, names).scalars())

        found = await self._database.read(spoke)
        return [(one, of_person(await self._everything(one), user_id)) for one in found]

    async def _everything(self, session_id: str) -> tuple[StoredTurn, ...]:
        def work(connection: Connection) -> list[TailEntry]:
            return [entry_of(row) for row in connection.execute(_of_session, {"session_id": session_id})]

        entries = await self._database.read(work)
        return tuple(entry.record for entry in entries if isinstance(entry.record, StoredTurn))

    async def _forget_turns(self, session_id: str, theirs: Iterable[StoredTurn]) -> None:
        positions = [stored.position for stored in theirs]

        def work(connection: Connection) -> None:
            for first in range(0, len(positions), _MOST_IN_ONE_WRITE):
                some = positions[first : first + _MOST_IN_ONE_WRITE]
                connection.execute(delete(turn_messages).where(turn_messages.c.position.in_(some)))
                connection.execute(delete(turns).where(turns.c.position.in_(some)))
            forget_summary(connection, session_id)

        def forgotten(_: None) -> None:
            self._tails.forget(session_id)
            self._summaries.forget(session_id)

        await self._database.write(work, forgotten)

    async def _forget_settings(self, session_id: str) -> None:
        channel_id = session_id.rpartition(":")[2]
        gone = delete(channel_settings).where(
            channel_settings.c.scope == "channel", channel_settings.c.scope_id == channel_id
        )
        await self._database.write(lambda connection: connection.execute(gone))

    async def _forget_usage(self, user_id: str) -> None:
        gone = delete(usage_counts).where(
            usage_counts.c.scope == UsageKind.USER.value, usage_counts.c.scope_id == user_id
        )
        await self._database.write(lambda connection: connection.execute(gone))

    async def _forget_messages(self, user_id: str) -> int:
        """Blank what they wrote in the inbox, and what tools were asked in answer to it.

        The rows stay until they are forgotten by age, so that a message that comes twice is not answered.
        """
        author = f'"author":{{"id":{user_id},'

        def find(connection: Connection) -> list[str]:
            return list(connection.execute(_messages, {"author": author}).scalars())

        message_ids = await self._database.read(find)

        def work(connection: Connection) -> None:
            for first in range(0, len(message_ids), _MOST_IN_ONE_WRITE):
                some = message_ids[first : first + _MOST_IN_ONE_WRITE]
                replies = [reply_id_for(message_id) for message_id in some]
                connection.execute(update(inbox).where(inbox.c.message_id.in_(some)).values(payload=_BLANK))
                connection.execute(delete(tool_runs).where(tool_runs.c.reply_id.in_(replies)))

        await self._database.write(work)
        return len(message_ids)
