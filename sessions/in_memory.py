"""The stores of scenes in memory: nothing outlives the process, everything else is the same.

For tests of what stands above, and the proof that the ports say all there is to say: both adapters pass the
same contract tests. A step that raises has changed nothing.
"""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from pathlib import PurePath

from core.conversation.content import UserContent
from core.conversation.turns import ToolInvocation, Turn
from sessions import inbox_rules, outbox_rules
from sessions.bindings import Binding, ChannelBinding
from sessions.channel_settings import ChannelScope, SettingScope
from sessions.failures import IllegalMove, StaleGeneration, UnknownSession, UnknownTurn
from sessions.history import Extent, FoundTurn, StoredTurn, Window
from sessions.history_rules import stays_here, with_content, with_edited_result
from sessions.inbox import InboxRow, NewMessage
from sessions.inbox_rules import InboxState
from sessions.outbox import OutboxPiece, PlannedPiece
from sessions.outbox_rules import PieceState, reply_id_for
from sessions.personal_data import ForgottenScenes
from sessions.personal_rules import exported, media_of, of_person
from sessions.replies import BegunReply, CommittedReply
from sessions.scene import CHANNEL_DELETED, SESSION_RESET, Session
from sessions.stores import SceneStores
from sessions.summaries import StoredSummary
from sessions.tool_journal import RecordedTool, StartedTool
from sessions.usage import KEPT_DAYS, Consumed, UsageKind, UsageScope


@dataclass(slots=True)
class _Records:
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


class _Sessions:
    def __init__(self, records: _Records) -> None:
        self._records = records

    async def open(self, binding: Binding, now: datetime) -> Session:
        new = Session(binding=binding, generation=0, created_at=now)
        return self._records.sessions.setdefault(binding.session_id, new)

    async def reset(self, session_id: str, now: datetime) -> Session:
        before = self._records.session(session_id)
        after = replace(before, generation=before.generation + 1, reset_at=now)
        self._records.sessions[session_id] = after
        for position in self._records.turns.pop(session_id, {}):
            self._records.unlink(position)
        self._records.summaries.pop(session_id, None)
        self._records.drop_unfinished(self._messages_of(session_id), SESSION_RESET)
        return after

    async def direct(self, limit: int) -> tuple[Session, ...]:
        direct = [
            session
            for session in self._records.sessions.values()
            if isinstance(session.binding, ChannelBinding)
            and session.binding.guild_id is None
            and session.closed_at is None
        ]
        return tuple(sorted(direct, key=lambda session: session.created_at, reverse=True)[:limit])

    async def close(self, session_id: str, now: datetime) -> None:
        session = self._records.sessions.get(session_id)
        if session is None:
            return
        self._records.sessions[session_id] = replace(session, closed_at=session.closed_at or now)
        self._records.drop_unfinished(self._messages_of(session_id), CHANNEL_DELETED)
        pieces = [piece for piece in self._records.outbox.values() if piece.session_id == session_id]
        self._records.settle(pieces, PieceState.ABANDONED, CHANNEL_DELETED)

    def _messages_of(self, session_id: str) -> list[str]:
        return [row.message_id for row in self._records.inbox.values() if row.session_id == session_id]


class _History:
    def __init__(self, records: _Records) -> None:
        self._records = records

    async def append(
        self, session_id: str, generation: int, turn: Turn, message_ids: Sequence[str] = ()
    ) -> int:
        self._records.require_generation(session_id, generation)
        self._records.check_new(session_id, turn, message_ids)
        return self._records.append(session_id, turn, message_ids)

    async def window(self, session_id: str, limit: int) -> Window:
        stored = [
            StoredTurn(position=position, turn=turn)
            for position, turn in self._records.turns.get(session_id, {}).items()
        ]
        return Window(turns=tuple(stored[-limit:]), earlier=len(stored) > limit)

    async def find(self, session_id: str, message_id: str) -> FoundTurn | None:
        position = self._records.messages.get((session_id, message_id))
        if position is None:
            return None
        return FoundTurn(
            position=position,
            turn=self._records.turns[session_id][position],
            message_ids=tuple(key[1] for key, linked in self._records.messages.items() if linked == position),
        )

    async def replace_content(self, session_id: str, turn_id: str, content: tuple[UserContent, ...]) -> None:
        position = self._records.position_of(session_id, turn_id)
        if position is None:
            raise UnknownTurn(f"no turn {turn_id}")
        stored = self._records.turns[session_id]
        stored[position] = with_content(stored[position], content)

    async def remove(self, session_id: str, turn_id: str) -> bool:
        return self._records.remove(session_id, turn_id)

    async def edit_result(self, session_id: str, invocation_id: str, result: str) -> None:
        stored = self._records.turns.get(session_id, {})
        edited = with_edited_result(stored.values(), invocation_id, result)
        self._records.turns[session_id] = dict(zip(stored, edited, strict=True))

    async def extent(self, session_id: str) -> Extent:
        stored = list(self._records.turns.get(session_id, {}).values())
        return Extent(records=len(stored), first=stored[0] if stored else None)

    async def exported_turns(self, session_id: str) -> AsyncIterator[Turn]:
        for turn in list(self._records.turns.get(session_id, {}).values()):
            if not stays_here(turn):
                yield turn


class _Inbox:
    def __init__(self, records: _Records) -> None:
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


class _Outbox:
    def __init__(self, records: _Records) -> None:
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


class _Replies:
    def __init__(self, records: _Records) -> None:
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


class _Summaries:
    def __init__(self, records: _Records) -> None:
        self._records = records

    async def latest(self, session_id: str) -> StoredSummary | None:
        return self._records.summaries.get(session_id)

    async def keep(self, session_id: str, generation: int, summary: StoredSummary) -> None:
        self._records.require_generation(session_id, generation)
        self._records.summaries[session_id] = summary


class _Tools:
    def __init__(self, records: _Records) -> None:
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


class _Settings:
    def __init__(self, records: _Records) -> None:
        self._records = records

    async def read(self, scope: SettingScope) -> Mapping[str, str]:
        return dict(self._records.settings.get(scope, {}))

    async def change(self, scope: SettingScope, key: str, value: str | None) -> None:
        held = self._records.settings.setdefault(scope, {})
        held.pop(key, None)
        if value is not None:
            held[key] = value

    async def scopes_with(self, key: str) -> tuple[SettingScope, ...]:
        return tuple(scope for scope, held in self._records.settings.items() if key in held)


class _Usage:
    def __init__(self, records: _Records) -> None:
        self._records = records

    async def add(self, day: date, consumed: Mapping[UsageScope, Consumed]) -> None:
        usage = self._records.usage
        for key in [key for key in usage if (day - key[1]).days > KEPT_DAYS]:
            del usage[key]
        for scope, more in consumed.items():
            usage[scope, day] = _sum((usage.get((scope, day), Consumed()), more))

    async def consumed(self, scope: UsageScope, *, first: date, last: date) -> Consumed:
        usage = self._records.usage.items()
        return _sum(one for (of, day), one in usage if of == scope and first <= day <= last)


def _sum(counts: Iterable[Consumed]) -> Consumed:
    listed = tuple(counts)
    return Consumed(
        tokens=sum(one.tokens for one in listed), cost_micros=sum(one.cost_micros for one in listed)
    )


class _Retention:
    def __init__(self, records: _Records) -> None:
        self._records = records

    async def forget_settled(self, before: datetime) -> int:
        records = self._records
        messages = [
            row.message_id
            for row in records.inbox.values()
            if row.state not in inbox_rules.UNFINISHED and row.at < before
        ]
        pieces = [
            key
            for key, piece in records.outbox.items()
            if piece.state not in outbox_rules.UNSETTLED and piece.at < before
        ]
        for message_id in messages:
            del records.inbox[message_id]
        for key in pieces:
            del records.outbox[key]
        return len(messages) + len(pieces)


class _Persons:
    tables: frozenset[str] = frozenset()

    def __init__(self, records: _Records, sessions: _Sessions) -> None:
        self._records = records
        self._sessions = sessions

    async def export(self, user_id: str) -> tuple[Mapping[str, object], ...]:
        found = self._theirs(user_id)
        return tuple(exported(session_id, stored) for session_id, theirs in found for stored in theirs)

    async def forget(self, user_id: str, now: datetime) -> ForgottenScenes:
        records = self._records
        media: list[PurePath] = []
        count = 0
        for session_id, theirs in self._theirs(user_id):
            binding = records.session(session_id).binding
            if isinstance(binding, ChannelBinding) and binding.guild_id is None:
                theirs = self._everything(session_id)  # noqa: PLW2901 - alone with the bot, all is theirs
                await self._sessions.reset(session_id, now)
                records.settings.pop(ChannelScope(channel_id=str(binding.channel_id)), None)
            else:
                for stored in theirs:
                    del records.turns[session_id][stored.position]
                    records.unlink(stored.position)
                records.summaries.pop(session_id, None)
            count += len(theirs)
            media += media_of(stored.turn for stored in theirs)
        own = UsageScope(kind=UsageKind.USER, id=user_id)
        for key in [key for key in records.usage if key[0] == own]:
            del records.usage[key]
        return ForgottenScenes(counts={"turns": count, "messages": self._blank(user_id)}, media=tuple(media))

    def _theirs(self, user_id: str) -> list[tuple[str, tuple[StoredTurn, ...]]]:
        found = [(one, of_person(self._everything(one), user_id)) for one in sorted(self._records.turns)]
        return [(session_id, theirs) for session_id, theirs in found if theirs]

    def _everything(self, session_id: str) -> tuple[StoredTurn, ...]:
        kept = self._records.turns.get(session_id, {})
        return tuple(StoredTurn(position=position, turn=turn) for position, turn in kept.items())

    def _blank(self, user_id: str) -> int:
        written = f'"author":{{"id":{user_id},'
        rows = [row for row in self._records.inbox.values() if written in row.payload]
        for row in rows:
            self._records.inbox[row.message_id] = replace(row, payload="{}")
            reply_id = reply_id_for(row.message_id)
            for key in [key for key in self._records.tools if key[0] == reply_id]:
                del self._records.tools[key]
        return len(rows)


def scenes_in_memory() -> SceneStores:
    """Empty stores."""
    records = _Records()
    history = _History(records)
    sessions = _Sessions(records)
    return SceneStores(
        sessions=sessions,
        history=history,
        edits=history,
        export=history,
        inbox=_Inbox(records),
        outbox=_Outbox(records),
        replies=_Replies(records),
        summaries=_Summaries(records),
        tools=_Tools(records),
        settings=_Settings(records),
        retention=_Retention(records),
        persons=_Persons(records, sessions),
        usage=_Usage(records),
    )
