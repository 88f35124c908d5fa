"""Sessions, their history and their summaries in memory."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import datetime

from core.conversation.content import UserContent
from core.conversation.turns import Turn
from sessions.bindings import Binding, ChannelBinding
from sessions.failures import UnknownTurn
from sessions.history import Extent, FoundTurn, StoredTurn, Window
from sessions.history_rules import stays_here, with_content, with_edited_result
from sessions.in_memory.records import Records
from sessions.outbox_rules import PieceState
from sessions.scene import CHANNEL_DELETED, SESSION_RESET, Session
from sessions.summaries import StoredSummary


class SessionsInMemory:
    """`Sessions`."""

    def __init__(self, records: Records) -> None:
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


class HistoryInMemory:
    """`History`, `HistoryEdits` and `HistoryExport`."""

    def __init__(self, records: Records) -> None:
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


class SummariesInMemory:
    """`Summaries`."""

    def __init__(self, records: Records) -> None:
        self._records = records

    async def latest(self, session_id: str) -> StoredSummary | None:
        return self._records.summaries.get(session_id)

    async def keep(self, session_id: str, generation: int, summary: StoredSummary) -> None:
        self._records.require_generation(session_id, generation)
        self._records.summaries[session_id] = summary
