"""Replies in the database: each step is one write."""

from collections.abc import Sequence

from sqlalchemy import Connection

from sessions.failures import StaleGeneration
from sessions.replies import BegunReply, CommittedReply
from sessions.scene import SESSION_RESET
from sessions.storage.database import Database
from sessions.storage.history import Tails
from sessions.storage.history_tail import TailEntry
from sessions.storage.inbox import begin_messages, drop_messages, finish_messages
from sessions.storage.outbox import abandon_pieces, finish_pieces, plan_piece
from sessions.storage.tool_journal import forget_tools
from sessions.storage.turn_rows import append_turn, put_turn, require_generation


class StoredReplies:
    """`Replies`."""

    def __init__(self, database: Database, tails: Tails) -> None:
        self._database = database
        self._tails = tails

    async def begin(self, reply: BegunReply) -> None:
        """See `Replies`."""

        def work(connection: Connection) -> list[TailEntry]:
            require_generation(connection, reply.session_id, reply.generation)
            begin_messages(connection, reply.run_id, reply.message_ids)
            if reply.first_piece is not None:
                plan_piece(connection, reply.first_piece)
            return [
                put_turn(connection, reply.session_id, spoken.turn, spoken.message_ids)
                for spoken in reply.turns
            ]

        await self._database.write(work, lambda entries: self._appended(reply.session_id, *entries))

    async def commit(self, reply: CommittedReply) -> bool:
        """See `Replies`."""

        def work(connection: Connection) -> tuple[bool, TailEntry | None]:
            posted = finish_pieces(connection, reply.reply_id)
            forget_tools(connection, reply.reply_id)
            try:
                require_generation(connection, reply.session_id, reply.generation)
            except StaleGeneration:
                drop_messages(connection, reply.message_ids, SESSION_RESET, settled_too=True)
                return False, None
            finish_messages(connection, reply.message_ids)
            if reply.turn is None:
                return True, None
            return True, append_turn(connection, reply.session_id, reply.turn, posted)

        def committed(outcome: tuple[bool, TailEntry | None]) -> None:
            _, entry = outcome
            if entry is not None:
                self._appended(reply.session_id, entry)

        kept, _ = await self._database.write(work, committed)
        return kept

    async def abandon(self, reply_id: str, message_ids: Sequence[str], reason: str) -> None:
        """See `Replies`."""

        def work(connection: Connection) -> None:
            abandon_pieces(connection, reply_id, reason)
            forget_tools(connection, reply_id)
            drop_messages(connection, message_ids, reason, settled_too=True)

        await self._database.write(work)

    def _appended(self, session_id: str, *entries: TailEntry) -> None:
        for entry in entries:
            self._tails.change(session_id, lambda tail, entry=entry: tail.append(entry))
