"""What an interruption leaves behind (VOX-10, VOX-32): silence at once, and a durable receipt for the agent.

Silence and delivery are told apart: playback has stopped when `interrupt` returns; that the session knows
is another matter, and may be waited for. A receipt is an event with an id, not a message: whoever receives
it keeps each id once, and neither a user message nor a reply follows from it.
"""

import asyncio
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from voice.turn import TurnRef


class InterruptionCause(StrEnum):
    """Why a reply was interrupted."""

    BARGE_IN = "barge-in"
    BEGIN_INPUT = "begin input"
    """Somebody began an input by hand."""
    ASKED = "asked"


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnInterrupted:
    """The receipt. `heard` is what people heard of the reply; `by` the user who took the word."""

    event_id: str
    turn: TurnRef
    cause: InterruptionCause
    heard: str
    by: int | None
    at: float


class RecordInterruption(Protocol):
    """Where receipts go."""

    async def __call__(self, event: TurnInterrupted) -> None:
        """Returns once the receipt is durable; the same `event_id` again changes nothing."""
        ...


class Interruption:
    """`silenced` are the turns that were audible or waiting and are no more."""

    def __init__(self, silenced: tuple[TurnRef, ...]) -> None:
        self.silenced = silenced
        self._delivered: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

    async def delivered(self) -> bool:
        """Waits until the session has all receipts; False when one could not be recorded."""
        return await asyncio.shield(self._delivered)

    def settle(self, *, delivered: bool) -> None:
        """Told by whoever records."""
        if not self._delivered.done():
            self._delivered.set_result(delivered)
