"""Ambient context: what the room said without addressing the bot (SCENE-4, SCENE-7).

Kept in memory and bounded. Discord's own history is the truth: after a restart the latest messages are read
from there (backfill), so a copy on disk would only be a second place to keep other people's words.
"""

from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime

from core.conversation.turns import Speaker


@dataclass(frozen=True, slots=True, kw_only=True)
class AmbientMessage:
    """One message in the room. `message_id` orders messages: Discord's ids grow with time."""

    message_id: int
    speaker: Speaker
    at: datetime
    text: str


class AmbientContext:
    """The latest messages per session, following edits and deletions.

    At most `per_session` messages of each of the `sessions` most recently active ones.
    """

    def __init__(self, *, per_session: int = 20, sessions: int = 1000) -> None:
        self._per_session = per_session
        self._sessions = sessions
        self._rooms: OrderedDict[str, dict[int, AmbientMessage]] = OrderedDict()

    def heard(self, session_id: str, message: AmbientMessage) -> None:
        """Keeps a message, or its newer form; the oldest gives way. Backfill may come in any order."""
        room = self._rooms.setdefault(session_id, {})
        self._rooms.move_to_end(session_id)
        room[message.message_id] = message
        if len(room) > self._per_session:
            del room[min(room)]
        if len(self._rooms) > self._sessions:
            self._rooms.popitem(last=False)

    def edited(self, session_id: str, message_id: int, text: str) -> None:
        """Follows an edit of a message that is kept; others are none of our business."""
        room = self._rooms.get(session_id, {})
        kept = room.get(message_id)
        if kept is not None:
            room[message_id] = AmbientMessage(
                message_id=message_id, speaker=kept.speaker, at=kept.at, text=text
            )

    def removed(self, session_id: str, message_id: int) -> None:
        """Follows a deletion, or takes a message out that became part of a turn."""
        self._rooms.get(session_id, {}).pop(message_id, None)

    def forget(self, session_id: str) -> None:
        """Forgets a session: a reset, a channel that is gone."""
        self._rooms.pop(session_id, None)

    def of_speaker(self, speaker_id: str) -> tuple[AmbientMessage, ...]:
        """What is kept of a person, of all sessions."""
        rooms = self._rooms.values()
        return tuple(one for room in rooms for one in room.values() if one.speaker.id == speaker_id)

    def forget_speaker(self, speaker_id: str) -> int:
        """A person wants their words gone; returns how many messages it were."""
        forgotten = 0
        for session_id, room in self._rooms.items():
            kept = {key: one for key, one in room.items() if one.speaker.id != speaker_id}
            forgotten += len(room) - len(kept)
            self._rooms[session_id] = kept
        return forgotten

    def recent(self, session_id: str, *, before: int | None = None) -> tuple[AmbientMessage, ...]:
        """The kept messages in order, those before message `before` only."""
        room = self._rooms.get(session_id, {})
        return tuple(room[key] for key in sorted(room) if before is None or key < before)
