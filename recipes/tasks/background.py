"""A recipe that runs beside the conversation: rounds of a model and its tools, each a recorded step (REC-8).

    model step   one request; its tools are parked: the model calls them, nothing runs yet
    tool step    one parked call, run once: its intent is in the ledger before, its result after
    ... until the model calls nothing; its last words are the result

The space it runs in is a conversation that no list shows and nobody else writes into. It is not a session:
its turns are the recorded steps.
"""

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, Protocol

from pydantic import BaseModel

from core.clock import Clock
from core.conversation.content import Text
from core.conversation.turns import (
    AssistantTurn,
    Conversation,
    InvocationStatus,
    Round,
    ToolInvocation,
    UserTurn,
)
from core.failures import Failure
from core.generation.events import TurnFinished
from core.generation.requests import GenerationInput, ModelEndpoint, Step, one_endpoint
from core.identifiers import NewId
from core.orchestration.run_ports import Generation
from core.sentences import sentence
from core.tools.context import ToolContext
from core.tools.execution import ToolCall, ToolExecution
from core.tools.policies import ToolPolicy
from core.tools.tool import AnyTool, Tool, TurnOver
from recipes.tasks.steps import Steps
from recipes.tasks.task import Task, TaskResult
from recipes.tasks.task_store import EffectsLedger
from recipes.tasks.work import Activity, TaskWatch
from sessions.turn_decoding import decode_invocation, decode_turn
from sessions.turn_encoding import encode_invocation, encode_turn
from sessions.turn_record import VERSION, TurnKind, TurnRecord

MOST_ROUNDS: Final = 20
"""Rounds with tools; a last one answers without."""

_PARKED: Final = "parked"
_EMPTY: Final = "The task ended without a result. Please ask again."
_CUT: Final = (
    "A restart cut this call off; whether it took effect is not known. Look before you make it again, and "
    "say so in the result when it cannot be seen."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSpace:
    """Where a recipe runs: who the bot is there, what it remembers, and what it may use."""

    endpoint: ModelEndpoint
    system_prompt: str
    tools: tuple[AnyTool, ...] = ()
    max_tokens: int | None = None
    time_prefix: bool = True


class TaskSpaces(Protocol):
    """Knows what the requester and the scene of a task may use, as they stand now."""

    async def of(self, task: Task) -> TaskSpace:
        """Made anew each time a task begins or goes on.

        Raises:
            Failure: there is none any more.
        """
        ...


class RecipeWork:
    """The `TaskWorker` of recipes."""

    def __init__(
        self,
        *,
        generation: Generation,
        spaces: TaskSpaces,
        ledger: EffectsLedger,
        clock: Clock,
        new_id: NewId,
    ) -> None:
        self._generation = generation
        self._spaces = spaces
        self._ledger = ledger
        self._clock = clock
        self._new_id = new_id

    async def result_of(self, task: Task, steps: Steps, watch: TaskWatch) -> TaskResult:
        """See `TaskWorker`."""
        run = _SpaceRun(self, task, await self._spaces.of(task), steps, watch)
        return TaskResult(text=await run.result())

    async def confirm_stop(self, task: Task) -> None:
        """Nothing works on it once its run is cancelled: requests and tools end with it."""

    async def ask(self, task: Task, space: TaskSpace, rounds: Sequence[Round], *, with_tools: bool) -> str:
        """One model step: the rounds that the model made of it, as JSON text."""
        step = Step(
            endpoint=space.endpoint,
            system_prompt=space.system_prompt,
            tools=tuple(_parked(tool) for tool in space.tools) if with_tools else (),
            max_tokens=space.max_tokens,
            time_prefix=space.time_prefix,
        )
        request = GenerationInput(
            conversation=_conversation(task, rounds),
            run_id=task.id,
            resolve_step=one_endpoint(step),
            max_tokens=space.max_tokens,
        )
        async with aclosing(self._generation.stream_from(request)) as events:
            async for event in events:
                if isinstance(event, TurnFinished):
                    return encode_turn(event.turn).body
        raise Failure(_EMPTY, reason="no turn")

    async def call(self, task: Task, space: TaskSpace, execution: ToolExecution, call: ToolInvocation) -> str:
        """One tool step: the call with its result, as JSON text."""
        key = f"tool:{call.id}"
        effect = await self._ledger.intend(task.id, key, self._clock.now())
        if effect.receipt is not None:
            return effect.receipt
        if not effect.is_new:
            return encode_invocation(replace(call, result=_CUT, status=InvocationStatus.FAILED))
        asked = ToolCall(
            invocation_id=call.id,
            provider_call_id=call.provider_call_id,
            name=call.name,
            arguments=call.arguments,
        )
        (done,) = await execution.run((asked,), space.tools)
        receipt = encode_invocation(done)
        await self._ledger.settle(task.id, key, receipt)
        return receipt

    def execution_for(self, task: Task) -> ToolExecution:
        """The tool calls of one run; they are made for whoever asked for the task."""
        context = ToolContext(
            conversation_id=_conversation_id(task), run_id=task.id, speaker=task.request.requester
        )
        return ToolExecution(context=context, clock=self._clock)


class _SpaceRun:
    """One run through the rounds, from the first step or from where a crash left it."""

    def __init__(
        self, work: RecipeWork, task: Task, space: TaskSpace, steps: Steps, watch: TaskWatch
    ) -> None:
        self._work = work
        self._task = task
        self._space = space
        self._steps = steps
        self._watch = watch
        self._execution = work.execution_for(task)
        self._rounds: list[Round] = []

    async def result(self) -> str:
        for number in range(MOST_ROUNDS + 1):
            newest = await self._model_round(number)
            if not any(map(_is_parked, newest.invocations)):
                self._rounds.append(newest)
                break
            settled = [
                await self._tool(number, place, call) if _is_parked(call) else call
                for place, call in enumerate(newest.invocations)
            ]
            self._rounds.append(replace(newest, invocations=tuple(settled)))
        text = self._rounds[-1].text.strip()
        if not text:
            raise Failure(_EMPTY, reason="empty result")
        return text

    async def _model_round(self, number: int) -> Round:
        self._watch.active(self._task.id, Activity(words=sentence("thinking")))
        ask = partial(
            self._work.ask, self._task, self._space, tuple(self._rounds), with_tools=number < MOST_ROUNDS
        )
        *earlier, newest = _rounds_of(await self._steps.run(f"model {number}", ask))
        self._rounds += earlier
        return newest

    async def _tool(self, number: int, place: int, call: ToolInvocation) -> ToolInvocation:
        self._watch.active(self._task.id, Activity(words=sentence("using {tool}", tool=call.name)))
        do = partial(self._work.call, self._task, self._space, self._execution, call)
        return decode_invocation(await self._steps.run(f"tool {number}.{place}", do))


def _parked(tool: AnyTool) -> AnyTool:
    """The same tool to the model; a call of it ends the round, and its handler runs as a step of its own."""

    async def park(_arguments: BaseModel, _context: ToolContext) -> str:
        raise TurnOver(_PARKED)

    return Tool(
        name=tool.name,
        description=tool.description,
        arguments=tool.arguments,
        handler=park,
        policy=ToolPolicy(available=tool.policy.available),
    )


def _is_parked(call: ToolInvocation) -> bool:
    return call.status is InvocationStatus.COMPLETED and call.result == _PARKED


def _conversation(task: Task, rounds: Sequence[Round]) -> Conversation:
    asked = UserTurn(id=f"{task.id}:asked", at=task.created_at, content=(Text(text=task.request.message),))
    if not rounds:
        return Conversation(id=_conversation_id(task), turns=(asked,))
    so_far = AssistantTurn(
        id=f"{task.id}:so-far",
        run_id=task.id,
        created_at=task.created_at,
        completed_at=task.created_at,
        rounds=tuple(rounds),
    )
    return Conversation(id=_conversation_id(task), turns=(asked, so_far))


def _conversation_id(task: Task) -> str:
    return f"task:{task.id}"


def _rounds_of(recorded: str) -> tuple[Round, ...]:
    turn = decode_turn(TurnRecord(kind=TurnKind.ASSISTANT, version=VERSION, body=recorded))
    if not isinstance(turn, AssistantTurn) or not turn.rounds:
        raise Failure(_EMPTY, reason="no rounds")
    return turn.rounds
