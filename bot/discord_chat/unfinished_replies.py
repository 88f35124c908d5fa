"""What an earlier process left unfinished, put together again: messages, and replies begun to them.

A reply has its name from the first message that it was submitted for. That message may be gone since (it was
deleted while it waited), so the name is taken from the outbox, where it stands since the reply began.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sessions.inbox import InboxRow
from sessions.inbox_rules import InboxState
from sessions.outbox import OutboxPiece
from sessions.outbox_rules import reply_id_for


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
    unclaimed = {piece.reply_id: piece.session_id for piece in pieces}
    waiting: list[InboxRow] = []
    groups: dict[tuple[str, str | None], list[InboxRow]] = {}
    for row in rows:
        if row.state is InboxState.ANSWERING:
            groups.setdefault((row.session_id, row.run_id), []).append(row)
        elif reply_id_for(row.message_id) in unclaimed:
            groups[row.session_id, row.message_id] = [row]
        else:
            waiting.append(row)
    names = {key: name for key, group in groups.items() if (name := _own_name(group, unclaimed))}
    for name in names.values():
        del unclaimed[name]
    begun: list[UnfinishedReply] = []
    for key, group in groups.items():
        reply_id = names.get(key) or _name_left_over(key[0], unclaimed) or reply_id_for(group[0].message_id)
        begun.append(UnfinishedReply(reply_id=reply_id, rows=tuple(group), begun=True))
    untouched = (
        UnfinishedReply(reply_id=reply_id_for(row.message_id), rows=(row,), begun=False) for row in waiting
    )
    return Unfinished(replies=(*begun, *untouched), orphans=tuple(unclaimed))


def _own_name(group: list[InboxRow], unclaimed: Mapping[str, str]) -> str | None:
    """The begun reply that is named by one of these messages."""
    named = (reply_id_for(row.message_id) for row in group)
    return next((reply_id for reply_id in named if reply_id in unclaimed), None)


def _name_left_over(session_id: str, unclaimed: dict[str, str]) -> str | None:
    """The newest begun reply of the session whose own messages are gone; it is taken."""
    found = [reply_id for reply_id, place in unclaimed.items() if place == session_id]
    if found:
        del unclaimed[found[-1]]
    return found[-1] if found else None
