"""A reply on its way to the people of a scene: what a sink is told, and what it tells back.

A sink sees a reply as text, stickers and signs of work, and then exactly one `ReplyEnded`; it never sees a
provider, a tool's arguments or an exception. So each scene decides only how its people read or hear it.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, runtime_checkable


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyTextGrew:
    """The next piece of visible text, markers already taken out; never empty."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StickerChosen:
    """The reply's one sticker (CORE-29)."""

    sticker_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseAsked:
    """A pause in speech; text ignores it (CORE-29)."""

    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class EmotionChosen:
    """The tone from here on; text ignores it (CORE-29)."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolBegan:
    """A tool works now; the people may be told that it takes a moment."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSettled:
    """The tool has a result."""

    name: str
    failed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkTold:
    """What was done for the reply, a few words each: which recipe ran, what was decided (REC-11).

    Comes once, after the text of a reply that is whole, and is no part of it.
    """

    lines: tuple[str, ...]


class Ending(StrEnum):
    """How a reply ended."""

    COMPLETED = "completed"
    SILENT = "silent"
    STOPPED = "stopped"
    SUPERSEDED = "superseded"
    """Nothing was shown and nothing is: a later run answers the same, or the session was reset."""
    WITHDRAWN = "withdrawn"
    """Nobody asks any more: what was shown is taken back (TEXT-6)."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyEnded:
    """Always last. `advice` and `error_id` are for the room when the reply failed (CORE-30)."""

    ending: Ending
    advice: str | None = None
    error_id: str | None = None


ReplyEvent = (
    ReplyTextGrew
    | StickerChosen
    | PauseAsked
    | EmotionChosen
    | ToolBegan
    | ToolSettled
    | WorkTold
    | ReplyEnded
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivered:
    """What really reached the people: the text that they could read, or hear by playback position.

    `cut`: the scene would not take the rest, and has said so.
    """

    text: str
    cut: bool = False


class ReplySink(Protocol):
    """Brings one reply to its scene and nowhere else."""

    async def deliver(self, events: AsyncIterator[ReplyEvent]) -> Delivered:
        """Consume `events` to their `ReplyEnded` and return what was delivered.

        Called once per sink. Raises only what the scene cannot recover from (the channel is gone);
        cancellation means that the process stops: leave everything so that the next start can go on.
        """
        ...


@runtime_checkable
class LastingSink(ReplySink, Protocol):
    """A sink that is still at work when the last event has come: speech takes longer than text."""

    def stop(self) -> bool:
        """End what still goes on, at once; then `deliver` returns. False when nothing goes on."""
        ...


@runtime_checkable
class RevisableSink(ReplySink, Protocol):
    """A sink that is still at work when the last event has come: paced requests take longer than the text."""

    def end_as(self, ending: Ending) -> bool:
        """End now, and as `STOPPED`, `SUPERSEDED` or `WITHDRAWN` instead; then `deliver` returns.

        False when it is over. One that stops returns what stands, as cut.
        """
        ...


@runtime_checkable
class MarkingSink(ReplySink, Protocol):
    """A sink whose reply stays where it is read, while another sense may have missed the end of it."""

    async def mark_stopped(self) -> None:
        """After `deliver`: show that the reply, which stands there whole, was stopped. Raises nothing."""
        ...
