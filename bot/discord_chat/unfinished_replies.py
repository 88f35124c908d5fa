"""What an earlier process left unfinished, put together again: messages, and replies begun to them.

A reply has its name from the first message that it was submitted for. That message may be gone since (it was
deleted while it waited), so the name is taken from the outbox, where it stands since the reply began.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from sessions.inbox import InboxRow
from sessions.inbox_rules import InboxState
from sessions.outbox import OutboxPiece
from sessions.outbox_rules import message_of, reply_id_for


@dataclass(frozen=True, slots=True, kw_only=True)
class UnfinishedReply:
    """Messages that get one reply; `begun` when some of it may be posted already."""

    reply_id: str
    rows: tuple[InboxRow, ...]
    begun: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfinished:
    """In the order in which it is taken up; `orphans` are begun replies that nobody waits for any more."""

    replies: tuple[UnfinishedReply, ...]
    orphans: tuple[str, ...]


def put_together(rows: Iterable[InboxRow], pieces: Iterable[OutboxPiece]) -> Unfinished:
    """Group the rows as they were being answered; those that nobody had begun with stay apart."""
    waiting: list[InboxRow] = []
    groups: dict[tuple[str, str | None], list[InboxRow]] = {}
    for row in rows:
        if row.state is InboxState.ANSWERING:
            groups.setdefault((row.session_id, row.run_id), []).append(row)
        else:
            waiting.append(row)
    unclaimed = {piece.reply_id: piece.session_id for piece in pieces}
    begun: list[UnfinishedReply] = []
    for (session_id, _), group in groups.items():
        reply_id = _reply_of(session_id, group, unclaimed)
        unclaimed.pop(reply_id, None)
        begun.append(UnfinishedReply(reply_id=reply_id, rows=tuple(group), begun=True))
    untouched = (
        UnfinishedReply(reply_id=reply_id_for(row.message_id), rows=(row,), begun=False) for row in waiting
    )
    return Unfinished(replies=(*begun, *untouched), orphans=tuple(unclaimed))


def _reply_of(session_id: str, group: list[InboxRow], unclaimed: dict[str, str]) -> str:
    named = {row.message_id for row in group}
    in_session = [reply_id for reply_id, place in unclaimed.items() if place == session_id]
    for reply_id in in_session:
        if message_of(reply_id) in named:
            return reply_id
    return in_session[-1] if in_session else reply_id_for(group[0].message_id)
