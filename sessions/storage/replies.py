"""Replies in the database: each step is one write."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from sqlalchemy import Connection

from core.conversation.turns import AssistantTurn
from sessions.failures import StaleGeneration
from sessions.replies import BegunReply, CommittedReply
from sessions.scene import SESSION_RESET
from sessions.storage.database import Database
from sessions.storage.group_commit import Work
from sessions.storage.history import Tails
from sessions.storage.history_tail import TailEntry
from sessions.storage.inbox import begin_messages, drop_messages, finish_messages
from sessions.storage.outbox import abandon_pieces, finish_pieces, plan_piece, plan_piece_carefully
from sessions.storage.tool_journal import forget_tools
from sessions.storage.turn_rows import (
    append_turn,
    put_turn,
    refused_as_known,
    remove_turn,
    require_generation,
)


class _Stale(Enum):
    """The session was reset: nothing was kept."""

    STALE = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    """What came into the history, and the position that became free."""

    entry: TailEntry | None = None
    freed: int | None = None


class StoredReplies:
    """`Replies`."""

    def __init__(self, database: Database, tails: Tails) -> None:
        self._database = database
        self._tails = tails

    async def begin(self, reply: BegunReply) -> None:
        """See `Replies`."""

        def work(connection: Connection) -> list[TailEntry]:
            entries = [
                append_turn(connection, reply.session_id, reply.generation, spoken.turn, spoken.message_ids)
                for spoken in reply.turns
            ]
            begin_messages(connection, reply.run_id, reply.message_ids)
            if reply.first_piece is not None:
                plan_piece(connection, reply.first_piece)
            return entries

        def again(connection: Connection) -> list[TailEntry]:
            require_generation(connection, reply.session_id, reply.generation)
            begin_messages(connection, reply.run_id, reply.message_ids)
            if reply.first_piece is not None:
                plan_piece_carefully(connection, reply.first_piece)
            return [
                put_turn(connection, reply.session_id, reply.generation, spoken.turn, spoken.message_ids)
                for spoken in reply.turns
            ]

        def begun(entries: list[TailEntry]) -> None:
            self._appended(reply.session_id, *entries)

        await self._database.write(work if reply.turns else again, begun, instead=again)

    async def commit(self, reply: CommittedReply) -> bool:
        """See `Replies`."""
        turn = reply.turn

        def work(connection: Connection) -> _Kept:
            posted = finish_pieces(connection, reply.reply_id)
            kept = _Kept()
            if turn is not None:
                entry = append_turn(connection, reply.session_id, reply.generation, turn, posted)
                kept = _Kept(entry=entry, freed=_freed(connection, reply))
            finish_messages(connection, reply.message_ids)
            if _may_have_run_tools(turn):
                forget_tools(connection, reply.reply_id)
            return kept

        def look_first(connection: Connection) -> _Kept | _Stale:
            try:
                require_generation(connection, reply.session_id, reply.generation)
            except StaleGeneration:
                finish_pieces(connection, reply.reply_id)
                forget_tools(connection, reply.reply_id)
                drop_messages(connection, reply.message_ids, SESSION_RESET, settled_too=True)
                return _Stale.STALE
            with refused_as_known(turn):
                return work(connection)

        def committed(outcome: _Kept | _Stale) -> None:
            if not isinstance(outcome, _Kept):
                return
            freed = outcome.freed
            if freed is not None:
                self._tails.change(reply.session_id, lambda tail: tail.remove(freed))
            if outcome.entry is not None:
                self._appended(reply.session_id, outcome.entry)

        first: Work[_Kept | _Stale] = look_first if turn is None else work
        outcome = await self._database.write(first, committed, instead=look_first)
        return outcome is not _Stale.STALE

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


def _freed(connection: Connection, reply: CommittedReply) -> int | None:
    """Where the replaced turn was, which is there no more."""
    if reply.replaces is None:
        return None
    return remove_turn(connection, reply.session_id, reply.replaces)


def _may_have_run_tools(turn: AssistantTurn | None) -> bool:
    """Whether the journal may hold records of the reply; a finished turn tells by its rounds."""
    if turn is None or turn.interrupted:
        return True
    return any(round_.invocations for round_ in turn.rounds)
