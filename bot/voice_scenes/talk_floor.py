"""Whether the floor of a talk is free, and what is said there unasked: results of tasks (TASK-11).

The floor is taken by an utterance from its first frame until it is handed over or given up, by a reply until
it was heard, and by anything else that the bot says.
"""

from collections.abc import Callable
from enum import Enum

from voice import (
    InputBegan,
    InputCancelled,
    InputDropped,
    TurnsSubmitted,
    VoiceEvent,
)


class FloorChange(Enum):
    """What became of the floor."""

    FREED = "freed"
    TAKEN = "taken"
    ENDED = "ended"
    """The talk is over."""


class TalkFloor:
    """Fed by the talk; tells whoever listens."""

    def __init__(self) -> None:
        self._inputs: set[str] = set()
        self._replies = 0
        self._listeners: list[Callable[[FloorChange], None]] = []

    @property
    def is_free(self) -> bool:
        """Nobody speaks, and no answer is on its way."""
        return not self._inputs and not self._replies

    def listen(self, changed: Callable[[FloorChange], None]) -> Callable[[], None]:
        """Tell `changed` from now on; returns what ends that."""
        self._listeners.append(changed)

        def ends() -> None:
            if changed in self._listeners:
                self._listeners.remove(changed)

        return ends

    def told(self, event: VoiceEvent) -> None:
        """What the listening side tells."""
        was_free = self.is_free
        match event:
            case InputBegan(input_id=input_id):
                self._inputs.add(input_id)
            case InputCancelled(input_id=input_id) | InputDropped(input_id=input_id):
                self._inputs.discard(input_id)
            case TurnsSubmitted(input_ids=input_ids):
                self._inputs.difference_update(input_ids)
            case _:
                return
        self._tell(was_free=was_free)

    def reply_began(self) -> None:
        """An answer is on its way."""
        was_free = self.is_free
        self._replies += 1
        self._tell(was_free=was_free)

    def reply_ended(self) -> None:
        """It was heard, or is not coming."""
        was_free = self.is_free
        self._replies -= 1
        self._tell(was_free=was_free)

    def end(self) -> None:
        """The talk is over: nothing is said any more."""
        for listener in tuple(self._listeners):
            listener(FloorChange.ENDED)

    def _tell(self, *, was_free: bool) -> None:
        if was_free == self.is_free:
            return
        change = FloorChange.FREED if self.is_free else FloorChange.TAKEN
        for listener in tuple(self._listeners):
            listener(change)
