"""A round that must call one tool (CORE-15, REC-4): held to its word, and answered for when it does not call.

What the model says beside the call is held back. When no call of the tool came to a result, code makes the
call with the arguments that the step declared, so that the turn always goes on from a result.
"""

from collections.abc import Iterable

from core.conversation.turns import (
    FinishReason,
    InvocationStatus,
    ReasoningSummary,
    Round,
    ToolInvocation,
    ToolReference,
)
from core.generation.events import CitationFound, RefusalDelta, TextDelta
from core.generation.requests import ForcedCall, Step
from core.generation.round_stream import RoundDelta, RoundOutcome
from core.tools.execution import ToolCall
from core.tools.tool import AnyTool


def is_held_back(step: Step, delta: RoundDelta) -> bool:
    """Whether the room must not see this piece of the round."""
    return step.forced_call is not None and isinstance(delta, TextDelta | RefusalDelta | CitationFound)


def is_asked(step: Step) -> bool:
    """Whether the model is asked at all: one that takes no tools cannot make the call."""
    return step.forced_call is None or step.endpoint.able_to.tools


def offered_in(step: Step, tools: tuple[AnyTool, ...]) -> tuple[AnyTool, ...]:
    """What the round may call: everything, or the forced tool alone."""
    forced = step.forced_call
    return tools if forced is None else tuple(tool for tool in tools if tool.name == forced.tool)


def forced_round(outcome: RoundOutcome | None, invocations: tuple[ToolInvocation, ...]) -> Round:
    """The round as the room knows it: calls and reasoning; `outcome` None when the model was not asked.

    The provider's own items go: a replay would hold words that nobody has read, or lack the call of code.
    """
    if outcome is None:
        return Round(content=_references(invocations), invocations=invocations)
    answer = outcome.answer
    reasoning = tuple(part for part in answer.content if isinstance(part, ReasoningSummary))
    return Round(
        content=(*reasoning, *_references(invocations)),
        invocations=invocations,
        usage=answer.usage,
        finish_reason=FinishReason.TOOL_CALLS,
        model_call=outcome.model_call,
    )


def was_called(forced: ForcedCall, invocations: Iterable[ToolInvocation]) -> bool:
    """Whether a call of the forced tool came to a result."""
    return any(one.name == forced.tool and one.status is InvocationStatus.COMPLETED for one in invocations)


def call_by_code(forced: ForcedCall, invocation_id: str) -> ToolCall:
    """The call that the model did not make."""
    return ToolCall(
        invocation_id=invocation_id,
        provider_call_id=invocation_id,
        name=forced.tool,
        arguments=forced.arguments,
    )


def _references(invocations: Iterable[ToolInvocation]) -> tuple[ToolReference, ...]:
    return tuple(ToolReference(invocation_id=one.id) for one in invocations)
