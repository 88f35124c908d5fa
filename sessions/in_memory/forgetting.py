"""What is forgotten in memory: settled work, and people who ask for it."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import PurePath

from sessions import inbox_rules, outbox_rules
from sessions.bindings import ChannelBinding
from sessions.channel_settings import ChannelScope
from sessions.history import StoredTurn
from sessions.in_memory.records import Records
from sessions.in_memory.sessions import SessionsInMemory
from sessions.outbox_rules import reply_id_for
from sessions.personal_data import ForgottenScenes
from sessions.personal_rules import exported, media_of, of_person
from sessions.usage import UsageKind, UsageScope


class RetentionInMemory:
    """`Retention`."""

    def __init__(self, records: Records) -> None:
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


class PersonsInMemory:
    """`ScenePersons`."""

    tables: frozenset[str] = frozenset()

    def __init__(self, records: Records, sessions: SessionsInMemory) -> None:
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
