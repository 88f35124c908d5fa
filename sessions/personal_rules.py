"""Which turns of a session are a person's (MEM-6). Pure."""

from collections.abc import Iterable, Sequence
from pathlib import PurePath

from core.conversation.content import Text
from core.conversation.display import display_turn
from core.conversation.turns import AssistantTurn, SystemTurn, Turn, UserTurn
from sessions.history import StoredTurn


def is_of_person(turn: Turn, user_id: str) -> bool:
    """Whether the person wrote it, or it is a notice of something that they asked for."""
    if not isinstance(turn, UserTurn):
        return False
    if turn.notice is not None:
        return turn.notice.about == user_id
    return turn.speaker is not None and turn.speaker.id == user_id


def of_person(turns: Sequence[StoredTurn], user_id: str) -> tuple[StoredTurn, ...]:
    """The person's turns and notices in a session, and each reply to a group that holds one of them."""
    theirs: list[StoredTurn] = []
    asked = False
    for stored in turns:
        match stored.turn:
            case UserTurn():
                is_theirs = is_of_person(stored.turn, user_id)
                asked = asked or is_theirs
                if is_theirs:
                    theirs.append(stored)
            case AssistantTurn():
                if asked:
                    theirs.append(stored)
                asked = False
            case SystemTurn():
                pass
    return tuple(theirs)


def media_of(turns: Iterable[Turn]) -> tuple[PurePath, ...]:
    """The files that turns refer to."""
    parts = (part for turn in turns if isinstance(turn, UserTurn) for part in turn.content)
    sources = (part.source for part in parts if not isinstance(part, Text))
    return tuple(source.path for source in sources if source.path is not None)


def exported(session_id: str, stored: StoredTurn) -> dict[str, object]:
    """A turn as JSON values, text only (CORE-26). A notice is named one: nobody said it (REC-9)."""
    shown = display_turn(stored.turn)
    at = stored.turn.at if isinstance(stored.turn, UserTurn) else None
    if isinstance(stored.turn, AssistantTurn):
        at = stored.turn.created_at
    return {
        "session": session_id,
        "role": _role(stored.turn),
        "at": None if at is None else at.isoformat(),
        "text": shown.text,
    }


def _role(turn: Turn) -> str:
    if not isinstance(turn, UserTurn):
        return "assistant"
    return "user" if turn.notice is None else "notice"
