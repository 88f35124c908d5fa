"""A run with tools, stopped after each number of steps that it takes: CORE-23, CORE-36."""

import asyncio
from collections.abc import AsyncGenerator

from pydantic import BaseModel

from core.conversation.continuation import ProtocolName
from core.conversation.turns import AssistantTurn, Conversation, FinishReason, ReplyText, ToolReference, Usage
from core.generation.events import TextDelta, ToolCallStarted
from core.generation.model_protocol import ModelAnswer, RoundPiece
from core.generation.requests import (
    ChatRequest,
    GenerationInput,
    ModelEndpoint,
    ResponsesRequest,
    Step,
    one_endpoint,
)
from core.generation.streaming import Generator
from core.orchestration.orchestrator import Orchestrator
from core.orchestration.run_ports import RunPlan
from core.orchestration.runs import Runner
from core.orchestration.sends import Answered, Dropped, Send, Stopped
from core.tools.context import ToolContext
from core.tools.execution import ToolCall
from core.tools.tool import AnyTool, Tool
from tests.orchestration import World


class Nothing(BaseModel):
    """No arguments."""


def answer(text: str, *calls: ToolCall) -> ModelAnswer:
    return ModelAnswer(
        content=(ReplyText(text=text), *(ToolReference(invocation_id=one.invocation_id) for one in calls)),
        calls=calls,
        usage=Usage(input_tokens=1, output_tokens=1),
        finish_reason=FinishReason.TOOL_CALLS if calls else FinishReason.STOP,
        items_json="[]",
    )


class TwoRounds:
    """`ModelProtocol`: words and two calls, then words; counts what is open."""

    def __init__(self) -> None:
        self.open = 0

    async def stream_round(
        self, request: ChatRequest | ResponsesRequest
    ) -> AsyncGenerator[tuple[RoundPiece, ...], None]:
        self.open += 1
        try:
            await asyncio.sleep(0)
            if request.prompt.rounds:
                yield (TextDelta(text="Noon."),)
                await asyncio.sleep(0)
                yield (answer("Noon."),)
                return
            yield (TextDelta(text="Let me look. "),)
            calls = tuple(
                ToolCall(invocation_id=id_, provider_call_id=id_, name="look", arguments="{}") for id_ in "ab"
            )
            yield tuple(ToolCallStarted(invocation_id=call.invocation_id, name=call.name) for call in calls)
            await asyncio.sleep(0)
            yield (answer("Let me look. ", *calls),)
        finally:
            self.open -= 1


class Watched:
    """A tool that takes a few steps, and how its calls came out."""

    def __init__(self) -> None:
        self.running = 0
        self.done = 0

    async def look(self, _arguments: Nothing, _context: ToolContext) -> str:
        self.running += 1
        try:
            for _ in range(3):
                await asyncio.sleep(0)
            self.done += 1
        finally:
            self.running -= 1
        return "12:00"

    @property
    def tool(self) -> AnyTool:
        return Tool(name="look", description="Looks.", arguments=Nothing, handler=self.look)


class WithTool:
    """`RunPlanner`: one endpoint and one tool."""

    def __init__(self, tool: AnyTool) -> None:
        endpoint = ModelEndpoint(protocol=ProtocolName.CHAT, provider="p", base_url="http://m/v1", model="m")
        self._resolve = one_endpoint(Step(endpoint=endpoint, tools=(tool,)))

    async def plan(self, send: Send, conversation: Conversation, run_id: str) -> RunPlan:
        return RunPlan(
            request=GenerationInput(conversation=conversation, run_id=run_id, resolve_step=self._resolve)
        )


async def test_stopping_anywhere_in_a_run_with_tools_leaves_nothing_behind() -> None:
    """CORE-23, CORE-36: no request, no handler, no task; what was told is kept, whole or as interrupted."""
    outcomes: list[str] = []
    cut_in_a_tool = False
    for steps in range(300):
        world, model, watched = World(), TwoRounds(), Watched()
        generator = Generator(chat=model, responses=model, clock=world.clock, new_id=world.new_id)
        runner = Runner(
            generation=generator,
            planner=WithTool(watched.tool),
            journal=world.journal,
            hooks=world.hooks,
            clock=world.clock,
            new_id=world.new_id,
        )
        before = len(asyncio.all_tasks())
        async with Orchestrator(runner) as orchestrator:
            ticket = orchestrator.submit(world.send("When?"))
            for _ in range(steps):
                await asyncio.sleep(0)
            cut_in_a_tool = cut_in_a_tool or bool(watched.running)
            if not orchestrator.stop("room"):
                orchestrator.cancel_pending("room")
            outcome = await ticket.outcome()
            assert (model.open, watched.running) == (0, 0)
        assert len(asyncio.all_tasks()) == before
        history = world.journal.history.get("room", [])
        replies = [turn for turn in history if isinstance(turn, AssistantTurn)]
        told = world.sink("When?").text if world.place.sinks else ""
        outcomes.append(type(outcome).__name__)
        if outcome == Answered():
            (reply,) = replies
            assert (reply.text, len(reply.rounds), watched.done) == ("Let me look. Noon.", 2, 2)
            assert not reply.interrupted
        else:
            assert outcome in {Stopped(), Dropped(reason="cancelled")}
            assert [reply.text for reply in replies] == ([told] if told else [])
            assert all(reply.interrupted for reply in replies)
        if outcomes.count("Answered") > 5:
            break
    assert cut_in_a_tool
    assert outcomes.index("Answered") > 10
    assert outcomes == sorted(outcomes, key=["Dropped", "Stopped", "Answered"].index), "it ends once"
