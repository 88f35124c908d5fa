"""One model request until its answer: tried again before any output, timed by events (CORE-14, CORE-45).

A request waits for a free place first, and its clock starts when it has one: what the process asks at once is
bounded over all sessions (CORE-18), and nobody's model is late because others were asked before.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime
from typing import assert_never

import structlog

from core.clock import Clock
from core.conversation.turns import ModelCall
from core.failures import GenerationFailed
from core.generation import failure_advice
from core.generation.events import (
    CitationFound,
    ReasoningDelta,
    RefusalDelta,
    TextDelta,
    ToolCallArguments,
    ToolCallStarted,
)
from core.generation.model_protocol import ModelAnswer, ModelProtocol, RoundPiece, StatusRefused
from core.generation.requests import ChatRequest, GenerationRequest, ResponsesRequest
from core.generation.retry_rules import GiveUp, TryAgain, after_status
from core.generation.timeout_rules import GenerationTimeouts, Overdue, next_deadline

_log = structlog.get_logger()

_MOST_CHARACTERS = 2_000_000  # of one answer; a few times what the longest answers of models have
_CHARACTERS_OF_A_PART = 500  # what a call or a citation counts as, whatever it holds


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundOutcome:
    """The last element of a round's stream."""

    answer: ModelAnswer
    model_call: ModelCall


RoundDelta = TextDelta | ReasoningDelta | RefusalDelta | ToolCallStarted | ToolCallArguments | CitationFound


class RoundStreams:
    """Streams model requests through the protocol that their class names."""

    def __init__(
        self,
        *,
        chat: ModelProtocol[ChatRequest],
        responses: ModelProtocol[ResponsesRequest],
        clock: Clock,
        timeouts: GenerationTimeouts,
        at_once: int,
    ) -> None:
        self._places = asyncio.Semaphore(at_once)
        self._chat = chat
        self._responses = responses
        self._clock = clock
        self._timeouts = timeouts

    async def stream(
        self, request: GenerationRequest, *, generation_began: float
    ) -> AsyncGenerator[RoundDelta | RoundOutcome, None]:
        """Deltas, then one `RoundOutcome`. `generation_began` is in monotonic seconds.

        Raises:
            GenerationFailed, RequestRefused: see `ModelProtocol`; a refusal that may pass was tried again.
        """
        attempts = 0
        while True:
            attempts += 1
            try:
                async with aclosing(self._attempt(request, attempts, generation_began)) as pieces:
                    async for piece in pieces:
                        yield piece
            except StatusRefused as refusal:
                wait_s = self._wait_after(refusal, attempts, generation_began)
            else:
                return
            await self._clock.sleep(wait_s)

    def _wait_after(self, refusal: StatusRefused, attempts: int, generation_began: float) -> float:
        now = self._clock.now()
        decision = after_status(refusal.status, attempts=attempts, retry_after=refusal.retry_after, now=now)
        match decision:
            case TryAgain(wait_s=wait_s):
                if self._clock.monotonic() + wait_s > generation_began + self._timeouts.total_s:
                    advice = failure_advice.for_overdue(Overdue.TOTAL)
                    raise GenerationFailed(advice, reason=str(refusal), status=refusal.status) from refusal
                _log.info("model request is retried", status=refusal.status, attempts=attempts, wait_s=wait_s)
                return wait_s
            case GiveUp(asked_wait_s=asked_wait_s):
                cause = refusal.advice if asked_wait_s is None else None
                advice = cause or failure_advice.for_status(refusal.status, asked_wait_s=asked_wait_s)
                raise GenerationFailed(advice, reason=str(refusal), status=refusal.status) from refusal
            case _:
                assert_never(decision)

    async def _attempt(
        self, request: GenerationRequest, attempts: int, generation_began: float
    ) -> AsyncGenerator[RoundDelta | RoundOutcome, None]:
        first_token_at: datetime | None = None
        characters = 0
        async with self._places, aclosing(self._open(request)) as batches:
            started_at, request_began = self._clock.now(), self._clock.monotonic()
            while True:
                deadline = next_deadline(
                    self._timeouts,
                    generation_began=generation_began,
                    request_began=request_began,
                    waiting_since=self._clock.monotonic(),
                    has_output=first_token_at is not None,
                )
                try:
                    async with asyncio.timeout(max(0.0, deadline.at - self._clock.monotonic())):
                        batch = await anext(batches)
                except TimeoutError as error:
                    advice = failure_advice.for_overdue(deadline.meaning)
                    raise GenerationFailed(advice, reason=f"timeout: {deadline.meaning}") from error
                for piece in batch:
                    if isinstance(piece, ModelAnswer):
                        yield self._outcome(request, piece, started_at, first_token_at, attempts)
                        return
                    first_token_at = first_token_at or self._clock.now()
                    characters += _characters(piece)
                    if characters > _MOST_CHARACTERS:
                        raise GenerationFailed(failure_advice.ENDLESS, reason="an answer without an end")
                    yield piece

    def _open(self, request: GenerationRequest) -> AsyncGenerator[tuple[RoundPiece, ...], None]:
        match request:
            case ChatRequest():
                return self._chat.stream_round(request)
            case ResponsesRequest():
                return self._responses.stream_round(request)
            case _:
                assert_never(request)

    def _outcome(
        self,
        request: GenerationRequest,
        answer: ModelAnswer,
        started_at: datetime,
        first_token_at: datetime | None,
        attempts: int,
    ) -> RoundOutcome:
        scope = request.prompt.scope
        return RoundOutcome(
            answer=answer,
            model_call=ModelCall(
                provider=scope.provider,
                endpoint=scope.endpoint,
                model=scope.model,
                started_at=started_at,
                first_token_at=first_token_at,
                finished_at=self._clock.now(),
                attempts=attempts,
            ),
        )


def _characters(piece: RoundDelta) -> int:
    match piece:
        case TextDelta() | ReasoningDelta() | RefusalDelta():
            return len(piece.text)
        case ToolCallArguments():
            return len(piece.delta)
        case ToolCallStarted() | CitationFound():
            return _CHARACTERS_OF_A_PART
        case _:
            assert_never(piece)
