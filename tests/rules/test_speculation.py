"""Speculation (VOX-16): a guess is adopted by the very same run, invisible before, and closed otherwise."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from pydantic import BaseModel

from core.conversation.turns import AssistantTurn, Conversation, Usage
from core.failures import GenerationFailed
from core.generation.events import TextDelta, UsageReported
from core.generation.requests import ModelEndpoint, Step, one_endpoint
from core.orchestration.orchestrator import Orchestrator
from core.orchestration.run_ports import RunPlan
from core.orchestration.runs import Runner
from core.orchestration.sends import Answered, Failed, Send
from core.orchestration.speculation import Speculation
from core.tools.context import ToolContext
from core.tools.tool import Tool
from tests.orchestration import PlainPlanner, Scripted, World, says, settled


class Speculating(World):
    """The same small world with speculation between the runs and the model."""

    def __init__(self, *scripts: tuple[Scripted, ...]) -> None:
        super().__init__(*scripts)
        self.speculation = Speculation(
            generation=self.generation,
            planner=PlainPlanner(),
            journal=self.journal,
            clock=self.clock,
            new_id=self.new_id,
        )
        self.orchestrator = Orchestrator(
            Runner(
                generation=self.speculation,
                planner=self.speculation,
                journal=self.journal,
                hooks=self.hooks,
                clock=self.clock,
                new_id=self.new_id,
            )
        )

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        async with self.speculation, self.orchestrator:
            yield


async def test_the_same_send_adopts_the_guess() -> None:
    world = Speculating(says("Paris", ", of course."))
    async with world.running():
        send = world.send("capital of France?")
        world.speculation.begin(send)
        await settled()
        assert world.journal.opened == []  # nothing is stored
        assert world.place.sinks == {}  # nothing is shown
        assert isinstance(await world.orchestrator.submit(send).outcome(), Answered)
    assert world.sink("capital of France?").text == "Paris, of course."
    assert len(world.generation.requests) == 1
    assert world.speculation.counts.kept == 1
    reply = world.journal.history["room"][-1]
    assert isinstance(reply, AssistantTurn)
    assert reply.run_id == world.journal.records[-1].run_id


async def test_a_guess_still_streaming_goes_on_into_the_run() -> None:
    more = asyncio.Event()
    world = Speculating((TextDelta(text="Let me "), more, *says("think.")))
    async with world.running():
        send = world.send("well?")
        world.speculation.begin(send)
        await settled()
        ticket = world.orchestrator.submit(send)
        await settled()
        assert world.sink("well?").text == "Let me "
        more.set()
        await ticket.outcome()
    assert world.sink("well?").text == "Let me think."


async def test_other_words_discard_the_guess_and_ask_anew() -> None:
    cost = UsageReported(usage=Usage(input_tokens=100, output_tokens=7))
    world = Speculating((cost, TextDelta(text="wrong"), asyncio.Event()), says("right"))
    async with world.running():
        world.speculation.begin(world.send("turn left"))
        await settled()
        await world.orchestrator.submit(world.send("turn left at the church")).outcome()
        await settled()
        assert world.generation.open_streams == 0
    assert world.sink("turn left at the church").text == "right"
    assert world.speculation.counts.discarded == 1
    assert world.speculation.counts.tokens_lost == 107


async def test_what_was_said_meanwhile_makes_the_guess_stale() -> None:
    world = Speculating(says("guessed"), says("first"), says("second"))
    async with world.running():
        second = world.send("and you?")
        world.speculation.begin(second)
        await settled()
        await world.orchestrator.submit(world.send("hello")).outcome()
        await world.orchestrator.submit(second).outcome()
    assert world.sink("and you?").text == "second"


async def test_what_the_plan_stands_on_changed_so_the_guess_is_not_adopted() -> None:
    """Another persona, another model, something remembered: all of it is in the plan's basis."""
    world = Speculating(says("as the old persona"), says("as the new one"))
    persona = ["old"]

    class OfPersona(PlainPlanner):
        async def plan(self, send: Send, conversation: Conversation, run_id: str) -> RunPlan:
            return replace(await super().plan(send, conversation, run_id), basis=tuple(persona))

    world.speculation._planner = OfPersona()
    async with world.running():
        send = world.send("who are you?")
        world.speculation.begin(send)
        await settled()
        persona[0] = "new"
        await world.orchestrator.submit(send).outcome()
    assert world.sink("who are you?").text == "as the new one"
    assert (world.speculation.counts.kept, world.speculation.counts.discarded) == (0, 1)


async def test_only_a_run_begins_what_its_plan_begins() -> None:
    """VOX-16, TASK-1: a background recipe that somebody only seemed to ask for is not begun."""
    world, begun = Speculating(says("wrong"), says("right"), says("and right")), list[str]()

    class Beginning(PlainPlanner):
        async def plan(self, send: Send, conversation: Conversation, run_id: str) -> RunPlan:
            async def begin() -> None:
                begun.append(run_id)

            return replace(await super().plan(send, conversation, run_id), begins=begin)

    world.speculation._planner = Beginning()
    async with world.running():
        world.speculation.begin(world.send("dig"))
        await settled()
        assert begun == []
        await world.orchestrator.submit(world.send("dig up nothing, please")).outcome()
        assert len(begun) == 1
        adopted = world.send("and dig")
        world.speculation.begin(adopted)
        await settled()
        await world.orchestrator.submit(adopted).outcome()
    assert world.speculation.counts.kept == 1
    assert len(begun) == 2


async def test_a_discarded_guess_closes_its_request() -> None:
    world = Speculating((TextDelta(text="..."), asyncio.Event()))
    async with world.running():
        world.speculation.begin(world.send("um"))
        await settled()
        assert world.generation.open_streams == 1
        world.speculation.discard("room")
        await settled()
        assert world.generation.open_streams == 0
    assert world.journal.opened == []


async def test_a_failed_guess_does_not_fail_the_run() -> None:
    world = Speculating((GenerationFailed("busy", reason="503"),), says("fine"))
    async with world.running():
        send = world.send("hi")
        world.speculation.begin(send)
        await settled()
        assert isinstance(await world.orchestrator.submit(send).outcome(), Answered)
    assert world.sink("hi").text == "fine"


async def test_a_guess_that_fails_after_its_adoption_fails_the_run() -> None:
    fails = asyncio.Event()
    world = Speculating((TextDelta(text="be"), fails, GenerationFailed("busy", reason="503")))
    async with world.running():
        send = world.send("hi")
        world.speculation.begin(send)
        await settled()
        ticket = world.orchestrator.submit(send)
        await settled()
        fails.set()
        assert isinstance(await ticket.outcome(), Failed)


async def test_stopping_the_run_closes_the_adopted_request() -> None:
    world = Speculating((TextDelta(text="a long story"), asyncio.Event()))
    async with world.running():
        send = world.send("tell me")
        world.speculation.begin(send)
        await settled()
        ticket = world.orchestrator.submit(send)
        await settled()
        assert world.orchestrator.stop("room")
        await ticket.outcome()
        await settled()
        assert world.generation.open_streams == 0
    assert world.sink("tell me").text == "a long story"


class Nothing(BaseModel):
    """No arguments."""


async def test_a_tool_called_early_waits_for_the_adoption() -> None:
    ran: list[str] = []

    async def handler(_arguments: Nothing, _context: ToolContext) -> str:
        ran.append("ran")
        return "done"

    tool = Tool(name="post", description="Posts.", arguments=Nothing, handler=handler)
    world = Speculating()

    class WithTool(PlainPlanner):
        async def plan(self, send: Send, conversation: Conversation, run_id: str) -> RunPlan:
            plan = await super().plan(send, conversation, run_id)
            endpoint: ModelEndpoint = (await plan.request.resolve_step(0)).endpoint
            step = Step(endpoint=endpoint, tools=(tool,))
            return RunPlan(request=replace(plan.request, resolve_step=one_endpoint(step)))

    world.speculation._planner = WithTool()

    async def calls_it() -> None:
        step = await world.generation.requests[-1].resolve_step(0)
        await step.tools[0].handler(Nothing(), ToolContext(conversation_id="room", run_id="run"))

    world.generation.scripts.append((TextDelta(text="Posting."), calls_it, *says(" Done.")))
    async with world.running():
        send = world.send("post it")
        world.speculation.begin(send)
        await settled()
        assert ran == []
        await world.orchestrator.submit(send).outcome()
        assert ran == ["ran"]
    assert world.sink("post it").text == "Posting. Done."
