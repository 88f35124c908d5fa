"""From calls to results: what a model asked for becomes text that it can read, whatever happens (CORE-17).

Calls of one round run side by side; results keep the order of the calls. An unknown or unavailable tool,
arguments that do not fit, a refusal, a timeout, an exception and an oversized result are all results.
"""

import asyncio
import json
from collections.abc import Awaitable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

import structlog
from pydantic import BaseModel, ValidationError

from core.clock import Clock
from core.conversation.turns import InvocationStatus, ToolInvocation
from core.tools.context import ToolContext
from core.tools.policies import RepeatPolicy
from core.tools.tool import AnyTool, ToolFailed, TurnOver

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A call as the model wrote it; `arguments` is JSON text."""

    invocation_id: str
    provider_call_id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Result:
    text: str
    status: InvocationStatus


class ToolExecution:
    """The tool calls of one turn; remembers them for the repeat policies.

    `turn_is_over`: a tool has ended the turn; its round is the last one.
    """

    def __init__(self, *, context: ToolContext, clock: Clock) -> None:
        self._context = context
        self._clock = clock
        self._earlier: dict[tuple[str, str], asyncio.Future[_Result]] = {}
        self.turn_is_over = False

    async def run(self, calls: Sequence[ToolCall], tools: Iterable[AnyTool]) -> tuple[ToolInvocation, ...]:
        """Run `calls` with the `tools` that were offered. Cancelling cancels every handler."""
        offered = {tool.name: tool for tool in tools}
        async with asyncio.TaskGroup() as group:
            running = [group.create_task(self._settle(call, offered)) for call in calls]
        return tuple(task.result() for task in running)

    async def _settle(self, call: ToolCall, offered: dict[str, AnyTool]) -> ToolInvocation:
        started_at = self._clock.now()
        tool = offered.get(call.name)
        if tool is None or not tool.is_available(self._context):
            result = _refused(f"There is no tool {call.name!r} here now.")
        else:
            result = await self._checked(call, tool)
        return self._invocation(call, result, started_at)

    def _invocation(self, call: ToolCall, result: _Result, started_at: datetime) -> ToolInvocation:
        return ToolInvocation(
            id=call.invocation_id,
            provider_call_id=call.provider_call_id,
            name=call.name,
            arguments=call.arguments,
            result=result.text,
            status=result.status,
            started_at=started_at,
            finished_at=self._clock.now(),
        )

    async def _checked(self, call: ToolCall, tool: AnyTool) -> _Result:
        try:
            arguments = tool.arguments.model_validate_json(call.arguments.strip() or "{}")
        except ValidationError as error:
            return _Result(text=_what_is_wrong(error), status=InvocationStatus.FAILED)
        except Exception as error:  # noqa: BLE001 - a validator of the tool, or text that is no text
            return _internal_error(call, error)
        if tool.policy.repeat is RepeatPolicy.RUN_AGAIN:
            return await self._permitted(call, tool, arguments)
        key = (tool.name, json.dumps(arguments.model_dump(mode="json"), sort_keys=True))
        earlier = self._earlier.get(key)
        if earlier is not None:
            if tool.policy.repeat is RepeatPolicy.REFUSE:
                return _refused("This call was already made with the same arguments; use its result.")
            return await asyncio.shield(earlier)
        settled: asyncio.Future[_Result] = asyncio.get_running_loop().create_future()
        self._earlier[key] = settled
        try:
            result = await self._permitted(call, tool, arguments)
        except BaseException:
            settled.cancel()
            raise
        settled.set_result(result)
        return result

    async def _permitted(self, call: ToolCall, tool: AnyTool, arguments: BaseModel) -> _Result:
        # A check is the tool's own code too: its time and its exceptions count the same.
        try:
            async with asyncio.timeout(tool.policy.timeout_s):
                if tool.policy.permit is not None:
                    objection = await tool.policy.permit(self._context, arguments)
                    if objection is not None:
                        return _refused(objection)
                work: Awaitable[str] = tool.handler(arguments, self._context)
                text = _cut(await work, tool.policy.result_limit)
        except TimeoutError:
            return _Result(
                text=f"The tool did not finish within {tool.policy.timeout_s:g} seconds.",
                status=InvocationStatus.TIMED_OUT,
            )
        except TurnOver as over:
            self.turn_is_over = True
            return _Result(text=_cut(str(over), tool.policy.result_limit), status=InvocationStatus.COMPLETED)
        except ToolFailed as failure:
            return _Result(text=_cut(str(failure), tool.policy.result_limit), status=InvocationStatus.FAILED)
        except Exception as error:  # noqa: BLE001 - whatever a tool raises is a result
            return _internal_error(call, error)
        return _Result(text=text, status=InvocationStatus.COMPLETED)


def _refused(reason: str) -> _Result:
    return _Result(text=reason, status=InvocationStatus.REFUSED)


def _internal_error(call: ToolCall, error: Exception) -> _Result:
    """The words of `error` are for the log alone."""
    _log.error("tool failed", tool=call.name, invocation=call.invocation_id, exc_info=error)
    return _Result(
        text=f"The tool failed with an internal error ({type(error).__name__}).",
        status=InvocationStatus.FAILED,
    )


def _what_is_wrong(error: ValidationError) -> str:
    problems = [
        f"{'.'.join(map(str, detail['loc'])) or 'arguments'}: {detail['msg']}"
        for detail in error.errors(include_url=False, include_input=False, include_context=False)
    ]
    return "The arguments do not fit: " + "; ".join(problems)


def _cut(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    return f"{text[:limit]}\n[The result was cut: {limit} of {len(text)} characters are shown.]"
