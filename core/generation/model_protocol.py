"""The port that a wire protocol fills: one model request in, its pieces and its answer out (CORE-6)."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Protocol, TypeVar

from core.conversation.continuation import ProjectionIssue
from core.conversation.turns import FinishReason, RoundContent, Usage
from core.generation.events import (
    CitationFound,
    ReasoningDelta,
    RefusalDelta,
    TextDelta,
    ToolCallArguments,
    ToolCallStarted,
)
from core.generation.requests import ChatRequest, ResponsesRequest
from core.tools.execution import ToolCall


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAnswer:
    """What one model request came to. `items_json` is the JSON array of the protocol's own items (CORE-7)."""

    content: tuple[RoundContent, ...]
    calls: tuple[ToolCall, ...]
    usage: Usage
    finish_reason: FinishReason
    items_json: str
    issues: tuple[ProjectionIssue, ...] = ()


RoundPiece = (
    TextDelta
    | ReasoningDelta
    | RefusalDelta
    | ToolCallStarted
    | ToolCallArguments
    | CitationFound
    | ModelAnswer
)


class StatusRefused(Exception):
    """The provider answered with an HTTP error before any event; whether to retry is not decided here.

    `retry_after` is the header as received, `detail` is for the log only. `advice` is set where the provider
    named a cause that people can act on.
    """

    def __init__(
        self, status: int, *, retry_after: str | None, detail: str, advice: str | None = None
    ) -> None:
        super().__init__(f"HTTP {status}: {detail}")
        self.status = status
        self.retry_after = retry_after
        self.advice = advice


RequestT_contra = TypeVar("RequestT_contra", ChatRequest, ResponsesRequest, contravariant=True)


class ModelProtocol(Protocol[RequestT_contra]):
    """A wire protocol."""

    def stream_round(self, request: RequestT_contra) -> AsyncGenerator[tuple[RoundPiece, ...], None]:
        """One batch of pieces for each event of the provider, empty when the event says nothing new.

        The last batch ends with the `ModelAnswer`. Closing or cancelling closes the connection at once.

        Raises:
            StatusRefused: the provider answered with an HTTP error status.
            RequestRefused: the conversation holds what this protocol cannot carry; nothing was sent.
            GenerationFailed: the network or the stream broke, or the provider reported a failure.
        """
        ...
