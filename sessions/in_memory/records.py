"""What the stores in memory share: the rows, each kind in the order in which they came."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import date

from core.conversation.turns import Turn
from sessions import inbox_rules, outbox_rules
from sessions.channel_settings import SettingScope
from sessions.failures import StaleGeneration, UnknownSession
from sessions.inbox import InboxRow
from sessions.inbox_rules import InboxState
from sessions.outbox import OutboxPiece, PlannedPiece
from sessions.outbox_rules import PieceState
from sessions.scene import Session
from sessions.summaries import StoredSummary
from sessions.tool_journal import RecordedTool
from sessions.usage import Consumed, UsageScope


@dataclass(slots=True)
class Records:
    """What the stores share; every dictionary keeps the order in which rows came."""

    sessions: dict[str, Session] = field(default_factory=dict[str, Session])
    turns: dict[str, dict[int, Turn]] = field(default_factory=dict[str, dict[int, Turn]])
    messages: dict[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])
    inbox: dict[str, InboxRow] = field(default_factory=dict[str, InboxRow])
    outbox: dict[tuple[str, int], OutboxPiece] = field(default_factory=dict[tuple[str, int], OutboxPiece])
    tools: dict[tuple[str, str], RecordedTool] = field(default_factory=dict[tuple[str, str], RecordedTool])
    summaries: dict[str, StoredSummary] = field(default_factory=dict[str, StoredSummary])
    settings: dict[SettingScope, dict[str, str]] = field(default_factory=dict[SettingScope, dict[str, str]])
    usage: dict[tuple[UsageScope, date], Consumed] = field(
        default_factory=dict[tuple[UsageScope, date], Consumed]
    )
    last_position: int = 0

    def session(self, session_id: str) -> Session:
        if session_id not in self.sessions:
            raise UnknownSession(session_id)
        return self.sessions[session_id]

    def require_generation(self, session_id: str, generation: int) -> None:
        current = self.session(session_id).generation
        if current != generation:
            raise StaleGeneration(session_id, expected=generation, current=current)

    def position_of(self, session_id: str, turn_id: str) -> int | None:
        stored = self.turns.get(session_id, {})
        return next((position for position, turn in stored.items() if turn.id == turn_id), None)

    def check_new(self, session_id: str, turn: Turn, message_ids: Iterable[str]) -> None:
        known = any((session_id, message_id) in self.messages for message_id in message_ids)
        if known or self.position_of(session_id, turn.id) is not None:
            raise ValueError(f"turn {turn.id}, or a message of it, is in the history already")

    def append(self, session_id: str, turn: Turn, message_ids: Iterable[str]) -> int:
        self.last_position += 1
        self.turns.setdefault(session_id, {})[self.last_position] = turn
        self.link(session_id, self.last_position, message_ids)
        return self.last_position

    def remove(self, session_id: str, turn_id: str | None) -> bool:
        position = None if turn_id is None else self.position_of(session_id, turn_id)
        if position is None:
            return False
        del self.turns[session_id][position]
        self.unlink(position)
        return True

    def link(self, session_id: str, position: int, message_ids: Iterable[str]) -> None:
        self.messages.update({(session_id, message_id): position for message_id in message_ids})

    def unlink(self, position: int) -> None:
        self.messages = {key: linked for key, linked in self.messages.items() if linked != position}

    def check_moves(self, message_ids: Iterable[str], to: InboxState) -> None:
        for message_id in message_ids:
            row = self.inbox.get(message_id)
            inbox_rules.check_move(message_id, None if row is None else row.state, to)

    def move(self, message_ids: Iterable[str], to: InboxState, **fields: str) -> None:
        for message_id in message_ids:
            self.inbox[message_id] = replace(self.inbox[message_id], state=to, **fields)

    def drop_unfinished(self, message_ids: Iterable[str], reason: str) -> None:
        known = [message_id for message_id in message_ids if message_id in self.inbox]
        waiting = [known_id for known_id in known if self.inbox[known_id].state in inbox_rules.UNFINISHED]
        self.move(waiting, InboxState.DROPPED, reason=reason)

    def settle(self, pieces: Iterable[OutboxPiece], to: PieceState, reason: str | None = None) -> None:
        for piece in pieces:
            if piece.state in outbox_rules.UNSETTLED:
                self.outbox[piece.reply_id, piece.number] = replace(piece, state=to, reason=reason)

    def pieces(self, reply_id: str) -> list[OutboxPiece]:
        found = [piece for piece in self.outbox.values() if piece.reply_id == reply_id]
        return sorted(found, key=lambda piece: piece.number)

    def forget_tools(self, reply_id: str) -> None:
        self.tools = {key: tool for key, tool in self.tools.items() if key[0] != reply_id}

    def plan(self, piece: PlannedPiece) -> OutboxPiece:
        self.session(piece.session_id)
        return self.outbox.setdefault(
            (piece.reply_id, piece.number),
            OutboxPiece(
                reply_id=piece.reply_id,
                number=piece.number,
                session_id=piece.session_id,
                channel_id=piece.channel_id,
                nonce=piece.nonce,
                at=piece.at,
                state=PieceState.PLANNED,
            ),
        )
