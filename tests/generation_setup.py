"""A generator against a provider on loopback, as the tests of generation use it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import PurePath

from pydantic import BaseModel

from core.clock import Clock, SystemClock
from core.conversation.content import Text
from core.conversation.continuation import ProtocolName
from core.conversation.turns import AssistantTurn, Conversation, Speaker, Turn, UserTurn
from core.generation.events import StreamEvent, TextDelta, TurnFinished
from core.generation.protocols.chat import ChatModels
from core.generation.protocols.connections import ProviderConnections
from core.generation.protocols.responses import ResponsesModels
from core.generation.requests import GenerationInput, ModelEndpoint, Step, one_endpoint
from core.generation.streaming import Generator
from core.generation.timeout_rules import GenerationTimeouts
from core.tools.context import ToolContext
from core.tools.policies import ToolPolicy
from core.tools.tool import AnyTool, Tool
from tests.fake_models import FakeModels

MOMENT = datetime(2026, 11, 30, 18, 47, tzinfo=UTC)
BOB = Speaker(id="42", name="Bob")


class CountedIds:
    """`call_1`, `call_2`, ...: ids that a test can write down."""

    def __init__(self) -> None:
        self._count = 0

    def __call__(self, prefix: str, now: datetime) -> str:
        self._count += 1
        return f"{prefix}_{self._count}"


@dataclass
class DictMedia:
    """A `MediaStore` in memory."""

    files: dict[PurePath, bytes] = field(default_factory=dict[PurePath, bytes])

    async def read(self, path: PurePath) -> bytes | None:
        return self.files.get(path)


@asynccontextmanager
async def generator(
    *,
    clock: Clock | None = None,
    timeouts: GenerationTimeouts | None = None,
    media: DictMedia | None = None,
    connect_timeout_s: float = 10.0,
    requests_at_once: int = 8,
) -> AsyncIterator[Generator]:
    """A generator with real connections."""
    clock = clock or SystemClock()
    async with ProviderConnections(connect_timeout_s=connect_timeout_s) as connections:
        new_id = CountedIds()
        shared = {"media": media or DictMedia(), "clock": clock, "new_id": new_id}
        yield Generator(
            chat=ChatModels(connections, **shared),
            responses=ResponsesModels(connections, **shared),
            clock=clock,
            new_id=new_id,
            timeouts=timeouts,
            requests_at_once=requests_at_once,
        )


def said(text: str, *, speaker: Speaker | None = BOB, turn_id: str = "t1") -> UserTurn:
    """A message of Bob at 18:47."""
    return UserTurn(id=turn_id, at=MOMENT, content=(Text(text=text),), speaker=speaker)


def endpoint(
    models: FakeModels, protocol: ProtocolName = ProtocolName.CHAT, model: str = "fake"
) -> ModelEndpoint:
    """The fake provider."""
    return ModelEndpoint(
        protocol=protocol, provider="fake", base_url=models.base_url, model=model, api_key="sk-test"
    )


def asked(
    models: FakeModels,
    *turns: Turn,
    protocol: ProtocolName = ProtocolName.CHAT,
    tools: tuple[AnyTool, ...] = (),
    system_prompt: str = "",
) -> GenerationInput:
    """A generation of an answer to `turns`."""
    step = Step(endpoint=endpoint(models, protocol), tools=tools, system_prompt=system_prompt)
    return GenerationInput(
        conversation=Conversation(id="discord:channel:1", turns=turns or (said("Hi"),)),
        run_id="run_1",
        resolve_step=one_endpoint(step),
    )


async def collected(generator: Generator, request: GenerationInput) -> list[StreamEvent]:
    """Every event of a generation."""
    async with aclosing(generator.stream_from(request)) as events:
        return [event async for event in events]


def turn_of(events: Sequence[StreamEvent]) -> AssistantTurn:
    """The turn that a finished generation tells last."""
    last = events[-1]
    assert isinstance(last, TurnFinished)
    return last.turn


def text_of(events: Sequence[StreamEvent]) -> str:
    """The text as the reader saw it."""
    return "".join(event.text for event in events if isinstance(event, TextDelta))


class NoArguments(BaseModel):
    """A tool without arguments."""


def counting_tool(name: str = "count") -> tuple[AnyTool, Callable[[], int]]:
    """A tool that counts how often it ran, and its count."""
    ran: list[None] = []

    async def handler(_arguments: NoArguments, _context: ToolContext) -> str:
        ran.append(None)
        return f"run {len(ran)}"

    tool = Tool(name=name, description="Counts.", arguments=NoArguments, handler=handler)
    return tool, lambda: len(ran)


def slow_tool(*, seconds: float, left: list[str] | None = None, policy: ToolPolicy | None = None) -> AnyTool:
    """A tool that takes its time and tells `left` when it began and when it was cancelled."""
    told = left if left is not None else []

    async def handler(_arguments: NoArguments, _context: ToolContext) -> str:
        told.append("began")
        try:
            await asyncio.sleep(seconds)
        except asyncio.CancelledError:
            told.append("cancelled")
            raise
        return "done"

    return Tool(
        name="slow",
        description="Waits.",
        arguments=NoArguments,
        handler=handler,
        policy=policy or ToolPolicy(),
    )
