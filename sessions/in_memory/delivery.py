"""From an accepted message to a settled reply in memory: inbox, outbox, replies, journal of tools."""

from collections.abc import Sequence
from dataclasses import replace

from core.conversation.turns import ToolInvocation
from sessions import inbox_rules, outbox_rules
from sessions.failures import IllegalMove
from sessions.in_memory.records import Records
from sessions.inbox import InboxRow, NewMessage
from sessions.inbox_rules import InboxState
from sessions.outbox import OutboxPiece, PlannedPiece
from sessions.outbox_rules import PieceState
from sessions.replies import BegunReply, CommittedReply
from sessions.scene import SESSION_RESET
from sessions.tool_journal import RecordedTool, StartedTool


class InboxInMemory:
    """`Inbox`."""

    def __init__(self, records: Records) -> None:
        self._records = records

    async def accept(self, message: NewMessage) -> bool:
        self._records.session(message.session_id)
        if message.message_id in self._records.inbox:
            return False
        self._records.inbox[message.message_id] = InboxRow(
            message_id=message.message_id,
            session_id=message.session_id,
            payload=message.payload,
            at=message.at,
            state=InboxState.ACCEPTED,
        )
        return True

    async def begin(self, run_id: str, message_ids: Sequence[str]) -> None:
        self._records.check_moves(message_ids, InboxState.ANSWERING)
        self._records.move(message_ids, InboxState.ANSWERING, run_id=run_id)

    async def finish(self, message_ids: Sequence[str], *, dropped: str | None = None) -> None:
        to = InboxState.DONE if dropped is None else InboxState.DROPPED
        self._records.check_moves(message_ids, to)
        self._records.move(message_ids, to, **({} if dropped is None else {"reason": dropped}))

    async def unfinished(self) -> tuple[InboxRow, ...]:
        return tuple(row for row in self._records.inbox.values() if row.state in inbox_rules.UNFINISHED)


class OutboxInMemory:
    """`Outbox`."""

    def __init__(self, records: Records) -> None:
        self._records = records

    async def plan(self, piece: PlannedPiece) -> OutboxPiece:
        return self._records.plan(piece)

    async def posted(self, reply_id: str, number: int, message_id: str) -> None:
        piece = self._records.outbox.get((reply_id, number))
        state = None if piece is None else piece.state
        outbox_rules.check_move(reply_id, number, state, PieceState.POSTED)
        if piece is not None:
            moved = replace(piece, state=PieceState.POSTED, message_id=message_id)
            self._records.outbox[reply_id, number] = moved

    async def pieces(self, reply_id: str) -> tuple[OutboxPiece, ...]:
        return tuple(self._records.pieces(reply_id))

    async def unsettled(self) -> tuple[OutboxPiece, ...]:
        return tuple(
            piece for piece in self._records.outbox.values() if piece.state in outbox_rules.UNSETTLED
        )


class RepliesInMemory:
    """`Replies`."""

    def __init__(self, records: Records) -> None:
        self._records = records

    async def begin(self, reply: BegunReply) -> None:
        records = self._records
        records.require_generation(reply.session_id, reply.generation)
        records.check_moves(reply.message_ids, InboxState.ANSWERING)
        for spoken in reply.turns:
            if records.position_of(reply.session_id, spoken.turn.id) is None:
                records.check_new(reply.session_id, spoken.turn, spoken.message_ids)
        for spoken in reply.turns:
            position = records.position_of(reply.session_id, spoken.turn.id)
            if position is None:
                records.append(reply.session_id, spoken.turn, spoken.message_ids)
            else:
                records.turns[reply.session_id][position] = spoken.turn
                records.unlink(position)
                records.link(reply.session_id, position, spoken.message_ids)
        records.move(reply.message_ids, InboxState.ANSWERING, run_id=reply.run_id)
        if reply.first_piece is not None:
            records.plan(reply.first_piece)

    async def commit(self, reply: CommittedReply) -> bool:
        records = self._records
        pieces = records.pieces(reply.reply_id)
        kept = records.session(reply.session_id).generation == reply.generation
        posted = [piece.message_id for piece in pieces if piece.message_id is not None]
        if kept:
            if reply.turn is not None:
                records.check_new(reply.session_id, reply.turn, posted)
            records.check_moves(reply.message_ids, InboxState.DONE)
            if reply.turn is not None:
                records.remove(reply.session_id, reply.replaces)
                records.append(reply.session_id, reply.turn, posted)
            records.move(reply.message_ids, InboxState.DONE)
        else:
            records.drop_unfinished(reply.message_ids, SESSION_RESET)
        records.settle(pieces, PieceState.FINISHED)
        records.forget_tools(reply.reply_id)
        return kept

    async def abandon(self, reply_id: str, message_ids: Sequence[str], reason: str) -> None:
        self._records.settle(self._records.pieces(reply_id), PieceState.ABANDONED, reason)
        self._records.forget_tools(reply_id)
        self._records.drop_unfinished(message_ids, reason)


class ToolsInMemory:
    """`ToolJournal`."""

    def __init__(self, records: Records) -> None:
        self._records = records

    async def started(self, tool: StartedTool) -> None:
        key = (tool.reply_id, tool.invocation_id)
        self._records.tools.setdefault(key, RecordedTool(started=tool, finished=None))

    async def finished(self, reply_id: str, invocation: ToolInvocation) -> None:
        known = self._records.tools.get((reply_id, invocation.id))
        if known is None:
            raise IllegalMove(f"tool call {invocation.id} was never started")
        self._records.tools[reply_id, invocation.id] = replace(known, finished=invocation)

    async def recorded(self, reply_id: str) -> tuple[RecordedTool, ...]:
        return tuple(tool for key, tool in self._records.tools.items() if key[0] == reply_id)
