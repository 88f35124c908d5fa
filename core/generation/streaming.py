"""One assistant turn, from model request to model request, as a stream of events (CORE-13, CORE-15, CORE-33).

    resolve a step -> choose the protocol -> project and stream a round -> run its tools -> again,
    until a round asks for no tool; after ten rounds with tools a last one answers without.

Nothing is remembered between turns. Closing the stream, or cancelling its reader, closes the provider's
connection and cancels running tools (CORE-36).
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from core.clock import Clock
from core.conversation.continuation import ProjectionIssue, ProviderContinuation
from core.conversation.turns import AssistantTurn, Conversation, Round, Speaker, ToolInvocation, UserTurn
from core.failures import GenerationFailed
from core.generation import failure_advice
from core.generation.events import RoundFinished, StreamEvent, ToolCallFinished, TurnFinished, UsageReported
from core.generation.forced_calls import (
    call_by_code,
    forced_round,
    is_asked,
    is_held_back,
    offered_in,
    was_called,
)
from core.generation.model_protocol import ModelProtocol
from core.generation.native_stream import NativeStream
from core.generation.requests import ChatRequest, GenerationInput, ResponsesRequest, Step
from core.generation.round_stream import RoundOutcome, RoundStreams
from core.generation.timeout_rules import GenerationTimeouts, Overdue
from core.identifiers import NewId
from core.tools.context import ToolContext
from core.tools.execution import ToolCall, ToolExecution
from core.tools.tool import AnyTool

MOST_TOOL_ROUNDS = 10


class Generator:
    """Runs conversations through models; one for the process, any number of streams at once.

    `requests_at_once` bounds the model requests of all streams together; a running tool holds no place.
    """

    def __init__(
        self,
        *,
        chat: ModelProtocol[ChatRequest],
        responses: ModelProtocol[ResponsesRequest],
        clock: Clock,
        new_id: NewId,
        timeouts: GenerationTimeouts | None = None,
        requests_at_once: int = 8,
    ) -> None:
        self._timeouts = timeouts or GenerationTimeouts()
        self._rounds = RoundStreams(
            chat=chat, responses=responses, clock=clock, timeouts=self._timeouts, at_once=requests_at_once
        )
        self._clock = clock
        self._new_id = new_id

    async def stream_from(self, request: GenerationInput) -> AsyncGenerator[StreamEvent, None]:
        """Events up to `TurnFinished`; use under `aclosing`.

        Raises:
            GenerationFailed: the model gave no whole answer.
            RequestRefused: the conversation holds what the model's protocol cannot carry.
        """
        turn = self._new_turn(request)
        while not turn.is_settled:
            step = await request.resolve_step(len(turn.rounds))
            offered = offered_in(step, turn.offered(step.tools))
            outcome: RoundOutcome | None = None
            if is_asked(step):
                model_request = turn.native.request_for(step, offered, turn.rounds)
                stream = self._rounds.stream(model_request, generation_began=turn.began)
                async with aclosing(stream):
                    async for event in stream:
                        if isinstance(event, RoundOutcome):
                            outcome = event
                        elif not is_held_back(step, event):
                            yield event
                if outcome is None:
                    raise RuntimeError("a round's stream ends with its outcome")
            invocations = await self._settled_calls(turn, step, outcome, offered)
            for invocation in invocations:
                yield ToolCallFinished(invocation=invocation)
            finished = turn.finish_round(step, outcome, invocations)
            if finished.usage is not None:
                yield UsageReported(usage=finished.usage)
            yield RoundFinished(round=finished)
        whole = replace(turn.so_far, completed_at=self._clock.now())
        yield TurnFinished(turn=whole, silent=turn.tools.turn_is_over)

    def _new_turn(self, request: GenerationInput) -> "_TurnInProgress":
        now = self._clock.now()
        context = ToolContext(
            conversation_id=request.conversation.id,
            run_id=request.run_id,
            speaker=_last_speaker(request.conversation),
        )
        return _TurnInProgress(
            began=self._clock.monotonic(),
            context=context,
            tools=ToolExecution(context=context, clock=self._clock),
            native=NativeStream(request),
            so_far=AssistantTurn(
                id=self._new_id("turn", now),
                run_id=request.run_id,
                created_at=now,
                completed_at=now,
                rounds=(),
            ),
        )

    async def _settled_calls(
        self,
        turn: "_TurnInProgress",
        step: Step,
        outcome: RoundOutcome | None,
        offered: tuple[AnyTool, ...],
    ) -> tuple[ToolInvocation, ...]:
        """The round's calls with their results; a forced one that the model did not make is among them."""
        calls = () if outcome is None else outcome.answer.calls
        invocations = await self._run_tools(turn, calls, offered)
        if step.forced_call is None or was_called(step.forced_call, invocations):
            return invocations
        made_up = call_by_code(step.forced_call, self._new_id("call", self._clock.now()))
        return (*invocations, *await self._run_tools(turn, (made_up,), offered))

    async def _run_tools(
        self, turn: "_TurnInProgress", calls: tuple[ToolCall, ...], offered: tuple[AnyTool, ...]
    ) -> tuple[ToolInvocation, ...]:
        if not calls:
            return ()
        remaining_s = turn.began + self._timeouts.total_s - self._clock.monotonic()
        try:
            async with asyncio.timeout(max(0.0, remaining_s)):
                return await turn.tools.run(calls, offered)
        except TimeoutError as error:
            advice = failure_advice.for_overdue(Overdue.TOTAL)
            raise GenerationFailed(advice, reason="timeout: total, in a tool") from error


@dataclass(slots=True, kw_only=True)
class _TurnInProgress:
    """What one `stream_from` remembers from round to round. `began` is in monotonic seconds."""

    began: float
    context: ToolContext
    tools: ToolExecution
    native: NativeStream
    so_far: AssistantTurn
    is_settled: bool = False
    issues: dict[ProjectionIssue, None] = field(default_factory=dict[ProjectionIssue, None])

    @property
    def rounds(self) -> tuple[Round, ...]:
        return self.so_far.rounds

    @property
    def is_last_round(self) -> bool:
        return len(self.rounds) >= MOST_TOOL_ROUNDS

    def offered(self, tools: Sequence[AnyTool]) -> tuple[AnyTool, ...]:
        """The tools that this round may call: those that are available, none in the last round."""
        return () if self.is_last_round else tuple(tool for tool in tools if tool.is_available(self.context))

    def finish_round(
        self, step: Step, outcome: RoundOutcome | None, invocations: tuple[ToolInvocation, ...]
    ) -> Round:
        """Put the round's pieces together and begin the next one."""
        if outcome is None or step.forced_call is not None:
            finished = forced_round(outcome, invocations)
        else:
            answer = outcome.answer
            finished = Round(
                content=answer.content,
                invocations=invocations,
                usage=answer.usage,
                finish_reason=answer.finish_reason,
                model_call=outcome.model_call,
                continuation=ProviderContinuation(scope=self.native.scope, items_json=answer.items_json),
            )
        self.is_settled = self.is_last_round or not invocations or self.tools.turn_is_over
        self.issues.update({} if outcome is None else dict.fromkeys(outcome.answer.issues))
        self.so_far = replace(self.so_far, rounds=(*self.rounds, finished), issues=tuple(self.issues))
        return finished


def _last_speaker(conversation: Conversation) -> Speaker | None:
    for turn in reversed(conversation.turns):
        if isinstance(turn, UserTurn):
            return turn.speaker
    return None
