"""Retention in the database."""

from datetime import datetime

from sqlalchemy import Connection, bindparam, delete, exists, not_

from sessions.inbox_rules import UNFINISHED
from sessions.outbox_rules import UNSETTLED
from sessions.storage.database import Database
from sessions.storage.tables import among, inbox, outbox, tool_runs

_messages = delete(inbox).where(
    not_(among(inbox.c.state, UNFINISHED)), inbox.c.at < bindparam("before", type_=inbox.c.at.type)
)
_pieces = delete(outbox).where(
    not_(among(outbox.c.state, UNSETTLED)), outbox.c.at < bindparam("before", type_=outbox.c.at.type)
)
_tools = delete(tool_runs).where(
    tool_runs.c.at < bindparam("before", type_=tool_runs.c.at.type),
    ~exists().where(outbox.c.reply_id == tool_runs.c.reply_id, among(outbox.c.state, UNSETTLED)),
)


class StoredRetention:
    """`Retention`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def forget_settled(self, before: datetime) -> int:
        """See `Retention`."""

        def work(connection: Connection) -> int:
            moment = {"before": before}
            return sum(connection.execute(forget, moment).rowcount for forget in (_messages, _pieces, _tools))

        return await self._database.write(work)
