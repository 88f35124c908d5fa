"""A channel's own history as a file for people or for programs (CORE-39).

Interrupted replies, notices and the replies to them never come here: the store leaves them out. Texts are as
the display projection gives them (CORE-26): no native items, no media, no tool results.
"""

import json
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from bot.session_overview import spoken_at
from core.conversation.display import DisplayRole, display_turn
from core.conversation.turns import Turn, UserTurn
from core.prompts.plain_line import plain_line

_NAME_LENGTH = 100


class ExportFormat(StrEnum):
    """How the file is written."""

    MARKDOWN = "markdown"
    JSON = "json"


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionExport:
    """The file, how many turns are in it, and how many older ones found no room."""

    name: str
    content: bytes
    turns: int
    left_out: int


async def exported_session(
    session_id: str, turns: AsyncIterator[Turn], wanted: ExportFormat, *, most_bytes: int
) -> SessionExport:
    """Write the newest turns that fit `most_bytes`, in order."""
    kept: deque[bytes] = deque()
    size, left_out = 0, 0
    async for turn in turns:
        entry = _entry(turn, wanted)
        kept.append(entry)
        size += len(entry)
        while size > most_bytes:
            size -= len(kept.popleft())
            left_out += 1
    name = f"{session_id.replace(':', '-')}.{'md' if wanted is ExportFormat.MARKDOWN else 'json'}"
    return SessionExport(name=name, content=_whole(kept, wanted), turns=len(kept), left_out=left_out)


def _whole(entries: deque[bytes], wanted: ExportFormat) -> bytes:
    match wanted:
        case ExportFormat.MARKDOWN:
            return b"".join(entries)
        case ExportFormat.JSON:
            return b"[\n" + b",\n".join(entry.rstrip(b",\n") for entry in entries) + b"\n]\n"
        case _:
            assert_never(wanted)


def _entry(turn: Turn, wanted: ExportFormat) -> bytes:
    shown, at = display_turn(turn), spoken_at(turn)
    speaker_id = turn.speaker.id if isinstance(turn, UserTurn) and turn.speaker is not None else None
    match wanted:
        case ExportFormat.MARKDOWN:
            author = plain_line(shown.author, limit=_NAME_LENGTH) or _unnamed(shown.role)
            who = f"{author} ({speaker_id})" if speaker_id is not None else author
            when = f", {at:%Y-%m-%d %H:%M %Z}" if at is not None else ""
            # Every line is quoted, so that no text can write a heading of somebody else.
            quoted = "\n".join(f"> {line}" for line in shown.text.splitlines())
            return f"### {who}{when}\n\n{quoted}\n\n".encode()
        case ExportFormat.JSON:
            fields = {
                "role": shown.role.value,
                "author": shown.author or None,
                "author_id": speaker_id,
                "at": None if at is None else at.isoformat(),
                "text": shown.text,
            }
            return f"{json.dumps(fields, ensure_ascii=False)},\n".encode()
        case _:
            assert_never(wanted)


def _unnamed(role: DisplayRole) -> str:
    return "The bot" if role is DisplayRole.ASSISTANT else role.value.capitalize()
