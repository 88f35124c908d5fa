"""The tool journal in the database."""

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from core.conversation.turns import ToolInvocation
from sessions.failures import IllegalMove
from sessions.storage.database import Database
from sessions.storage.tables import tool_runs
from sessions.tool_journal import RecordedTool, StartedTool
from sessions.turn_decoding import decode_invocation
from sessions.turn_encoding import encode_invocation

_of_reply = tool_runs.c.reply_id == bindparam("reply")
_one = (_of_reply, tool_runs.c.invocation_id == bindparam("id"))
_known = select(tool_runs.c.place).where(*_one)
_insert = insert(tool_runs)
_finish = update(tool_runs).where(*_one)
_recorded = select(tool_runs).where(_of_reply).order_by(tool_runs.c.place)
_forget = delete(tool_runs).where(_of_reply)


def forget_tools(connection: Connection, reply_id: str) -> None:
    """Forgets the records of a settled reply."""
    connection.execute(_forget, {"reply": reply_id})


class StoredToolJournal:
    """`ToolJournal`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def started(self, tool: StartedTool) -> None:
        """See `ToolJournal`."""

        def work(connection: Connection) -> None:
            key = {"reply": tool.reply_id, "id": tool.invocation_id}
            if connection.execute(_known, key).first() is not None:
                return
            row = {
                "reply_id": tool.reply_id,
                "invocation_id": tool.invocation_id,
                "name": tool.name,
                "arguments": tool.arguments,
                "at": tool.at,
            }
            connection.execute(_insert, row)

        await self._database.write(work)

    async def finished(self, reply_id: str, invocation: ToolInvocation) -> None:
        """See `ToolJournal`."""

        def work(connection: Connection) -> None:
            row = {"reply": reply_id, "id": invocation.id, "invocation": encode_invocation(invocation)}
            if connection.execute(_finish, row).rowcount != 1:
                raise IllegalMove(f"tool call {invocation.id} was never started")

        await self._database.write(work)

    async def recorded(self, reply_id: str) -> tuple[RecordedTool, ...]:
        """See `ToolJournal`."""

        def work(connection: Connection) -> tuple[RecordedTool, ...]:
            return tuple(
                RecordedTool(
                    started=StartedTool(
                        reply_id=row.reply_id,
                        invocation_id=row.invocation_id,
                        name=row.name,
                        arguments=row.arguments,
                        at=row.at,
                    ),
                    finished=None if row.invocation is None else decode_invocation(row.invocation),
                )
                for row in connection.execute(_recorded, {"reply": reply_id})
            )

        return await self._database.read(work)
