"""What people attached, as work for a backend takes it along (TASK-5).

Attachments of the turn that asks go by themselves. An earlier one goes when the model names it: each has an
id of its conversation, which stands where the model chooses.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, assert_never

from core.conversation.attached_texts import attached_texts
from core.conversation.content import Audio, File, Image, MediaSource, Text, UserContent
from core.conversation.turns import UserTurn
from core.prompts.plain_line import plain_line
from recipes.tasks.task import TaskInput
from sessions.history import History

_LOOKED_BACK: Final = 60
_MOST_LISTED: Final = 12
_MOST_NAME: Final = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierInput:
    """An input of an earlier turn, by an id that no other of the conversation has."""

    id: str
    input: TaskInput


class EarlierInputs:
    """Looks back in conversations."""

    def __init__(self, history: History) -> None:
        self._history = history

    async def before(self, session_id: str, turns: Sequence[UserTurn]) -> tuple[EarlierInput, ...]:
        """The latest inputs that are not of `turns`, oldest first."""
        now = {turn.id for turn in turns}
        window = await self._history.window(session_id, _LOOKED_BACK)
        found = [
            EarlierInput(id=f"{stored.position}.{number}", input=one)
            for stored in window.turns
            if isinstance(stored.turn, UserTurn) and stored.turn.id not in now
            for number, one in enumerate(inputs_of((stored.turn,)), start=1)
        ]
        return tuple(found[-_MOST_LISTED:])


def inputs_of(turns: Sequence[UserTurn]) -> tuple[TaskInput, ...]:
    """Everything that is attached to turns, in order."""
    parts = [part for turn in turns for part in turn.content]
    media = [found for part in parts if (found := _input_of(part)) is not None]
    texts = [
        TaskInput(name=one.name, media_type="text/plain", text=one.text) for one in attached_texts(parts)
    ]
    return (*media, *texts)


def _input_of(part: UserContent) -> TaskInput | None:
    match part:
        case Text():
            return None
        case Image():
            return _media(part.caption or "image", part.source, part.media_type)
        case Audio():
            return _media("recording", part.source, part.media_type)
        case File():
            return _media(part.name, part.source, part.media_type)
        case _:
            assert_never(part)


def _media(name: str, source: MediaSource, media_type: str) -> TaskInput | None:
    if source.path is None and source.url is None:
        return None  # it lies with the model's provider, and nobody else can fetch it
    return TaskInput(
        name=plain_line(name, limit=_MOST_NAME),
        media_type=media_type,
        path=None if source.path is None else source.path.as_posix(),
        url=source.url,
    )
