"""What the fake provider is told to do with one request."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Ending(StrEnum):
    """How a streamed answer ends."""

    COMPLETE = "complete"  # finish reason, usage, terminal event, end of the body
    WITHOUT_TERMINAL = "without_terminal"  # the body ends properly, its last events are missing
    CLOSE = "close"  # the connection closes in the middle of the body
    RESET = "reset"  # the same, by a TCP reset
    HANG = "hang"  # nothing more comes, the connection stays open


@dataclass(frozen=True, kw_only=True)
class Call:
    """A tool call that the model makes; without an id it gets `call_N`."""

    name: str
    arguments: str = "{}"
    id: str | None = None


@dataclass(frozen=True, kw_only=True)
class Answer:
    """A model's answer, in either protocol.

    `text` and `reasoning` are streamed piece by piece, arguments of calls in pieces of `argument_size`.
    `usage` is (input, output) tokens, None for a provider that reports none. Delays are seconds: before the
    first byte of the answer, and between its events. Without `streams` it is one document even so.
    """

    text: tuple[str, ...] = ()
    reasoning: tuple[str, ...] = ()
    reasoning_field: str = "reasoning_content"
    refusal: tuple[str, ...] = ()
    calls: tuple[Call, ...] = ()
    citations: tuple[tuple[str, str, int, int], ...] = ()  # url, title, start, end; Responses only
    native_items: tuple[dict[str, object], ...] = ()  # Responses output items in front of the others
    usage: tuple[int, int] | None = (10, 5)
    finish_reason: str | None = None
    incomplete_reason: str | None = None  # Responses only: ends with response.incomplete
    argument_size: int = 8
    delay_s: float = 0.0
    delay_between_s: float = 0.0
    streams: bool = True
    ending: Ending = Ending.COMPLETE


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """An HTTP error status."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: str | None = None
    delay_s: float = 0.0


@dataclass(frozen=True, kw_only=True)
class RawStream:
    """Bytes exactly as they go over the wire, after the head; each chunk is one write.

    With `before_head` the ending comes before any byte. `head` replaces the head of the answer, too.
    """

    chunks: tuple[bytes, ...] = ()
    head: bytes | None = None
    content_type: str = "text/event-stream"
    delay_s: float = 0.0
    delay_between_s: float = 0.0
    before_head: bool = False
    ending: Ending = Ending.COMPLETE


Script = Answer | Refusal | RawStream
