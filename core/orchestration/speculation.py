"""A reply begun before it is certain that it is asked for (VOX-16).

    begin(send)    plans the run and opens the model's stream; events wait here, tools wait for adoption
    plan(send)     a run of the very same send gets that plan,
    stream_from()  and that stream from its first event on; another run makes its own

Speculation stands between the runs and their planner and generation, and looks like both. Nothing of it is
shown, stored or executed before a run adopts it: a tool that the model calls early waits. The run is planned
anew all the same, since persona, model and memory may have changed meanwhile; a guess of another basis is not
adopted. What is not adopted is closed and counted.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Self

import structlog

from core.clock import Clock
from core.conversation.turns import Conversation
from core.generation.events import StreamEvent, TurnFinished, UsageReported
from core.generation.requests import GenerationInput, ResolveStep, Step
from core.identifiers import NewId
from core.orchestration.run_ports import Generation, Journal, RunPlan, RunPlanner
from core.orchestration.sends import Send
from core.tools.context import ToolContext
from core.tools.tool import AnyTool

_log = structlog.get_logger()
_MOST_WAITING = 1_000


@dataclass(slots=True, kw_only=True)
class SpeculationCounts:
    """How often speculation paid. `tokens_lost`: of whole model requests that nobody adopted."""

    begun: int = 0
    kept: int = 0
    discarded: int = 0
    tokens_lost: int = 0


class Speculation:
    """At most one guess a session; an async context that owns their tasks."""

    def __init__(
        self,
        *,
        generation: Generation,
        planner: RunPlanner,
        journal: Journal,
        clock: Clock,
        new_id: NewId,
    ) -> None:
        self._generation = generation
        self._planner = planner
        self._journal = journal
        self._clock = clock
        self._new_id = new_id
        self._guesses: dict[str, _Guess] = {}
        self._adopted: dict[int, _Guess] = {}
        self._tasks = asyncio.TaskGroup()
        self.counts = SpeculationCounts()

    async def __aenter__(self) -> Self:
        await self._tasks.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for guess in (*self._guesses.values(), *self._adopted.values()):
            guess.close()
        await self._tasks.__aexit__(kind, error, trace)

    def begin(self, send: Send) -> None:
        """Guess that `send` will be submitted just so; an earlier guess of its session is given up."""
        self.discard(send.session_id)
        guess = _Guess(send)
        self._guesses[send.session_id] = guess
        self.counts.begun += 1
        guess.task = self._tasks.create_task(self._follow(guess), name=f"speculation {send.session_id}")

    def discard(self, session_id: str) -> None:
        """Whatever was guessed for the session was wrong."""
        guess = self._guesses.pop(session_id, None)
        if guess is not None:
            guess.close()
            self.counts.discarded += 1
            self.counts.tokens_lost += guess.tokens

    async def plan(self, send: Send, conversation: Conversation, run_id: str) -> RunPlan:
        """The guessed plan where the run asks exactly what was guessed. Raises `Failure`."""
        guess = self._guesses.get(send.session_id)
        plan = await self._planner.plan(send, conversation, run_id)
        if guess is None or self._guesses.get(send.session_id) is not guess:
            return plan
        if guess.plan is not None and guess.is_for(send, conversation) and guess.plan.basis == plan.basis:
            del self._guesses[send.session_id]
            guess.run_id = run_id
            self._adopted[id(guess.plan.request)] = guess
            self.counts.kept += 1
            return guess.plan
        self.discard(send.session_id)
        return plan

    async def stream_from(self, request: GenerationInput) -> AsyncGenerator[StreamEvent]:
        """The events of the adopted guess, or of a new generation. Raises `Failure`."""
        guess = self._adopted.pop(id(request), None)
        if guess is None:
            async with aclosing(self._generation.stream_from(request)) as events:
                async for event in events:
                    yield event
            return
        try:
            async for event in guess.events():
                yield event
        finally:
            guess.close()

    async def _follow(self, guess: "_Guess") -> None:
        try:
            conversation = await self._journal.window(guess.send)
            run_id = self._new_id("run", self._clock.now())
            plan = await self._planner.plan(guess.send, conversation, run_id)
            guess.planned(plan, conversation)
            async with aclosing(self._generation.stream_from(guess.request)) as events:
                async for event in events:
                    await guess.put(event)
        except Exception as error:  # noqa: BLE001 - the run that adopts it fails by it; nobody else cares
            _log.info("speculation failed", session=guess.send.session_id, error=type(error).__name__)
            guess.fail(error)
        else:
            guess.end()


class _Guess:
    """One guessed run: its plan, and the events that wait for a reader."""

    def __init__(self, send: Send) -> None:
        self.send = send
        self.plan: RunPlan | None = None
        self.run_id: str | None = None
        self.tokens = 0
        self.task: asyncio.Task[None] | None = None
        self._conversation: Conversation | None = None
        self._waiting: deque[StreamEvent] = deque()
        self._over = False
        self._error: Exception | None = None
        self._changed = asyncio.Event()
        self._space = asyncio.Event()
        self._adoption = asyncio.Event()

    @property
    def request(self) -> GenerationInput:
        """What is generated from; there is one once it is planned."""
        assert self.plan is not None  # noqa: S101 - read after `planned` alone
        return self.plan.request

    def planned(self, plan: RunPlan, conversation: Conversation) -> None:
        self._conversation = conversation
        self.plan = replace(plan, request=replace(plan.request, resolve_step=self._gated(plan.request)))

    def is_for(self, send: Send, conversation: Conversation) -> bool:
        """Whether a run of `send` would ask the very same."""
        alike = (
            send.turns == self.send.turns
            and send.generation == self.send.generation
            and send.options == self.send.options
            and send.retry is None
        )
        return alike and conversation == self._conversation and self._error is None

    async def put(self, event: StreamEvent) -> None:
        """Keep `event` for the reader; waits while very many do."""
        if isinstance(event, UsageReported):
            self.tokens += event.usage.input_tokens + event.usage.output_tokens
        while len(self._waiting) >= _MOST_WAITING:
            self._space.clear()
            await self._space.wait()
        self._waiting.append(event)
        self._changed.set()

    def fail(self, error: Exception) -> None:
        self._error = error
        self.end()

    def end(self) -> None:
        self._over = True
        self._changed.set()

    def close(self) -> None:
        """Give up what still runs."""
        if self.task is not None:
            self.task.cancel()

    async def events(self) -> AsyncGenerator[StreamEvent]:
        """From the first event on, as the run's own; from here on tools run."""
        self._adoption.set()
        while True:
            while self._waiting:
                event = self._waiting.popleft()
                self._space.set()
                if isinstance(event, TurnFinished):
                    event = replace(event, turn=replace(event.turn, run_id=self.run_id))
                yield event
            if self._error is not None:
                raise self._error
            if self._over:
                return
            self._changed.clear()
            await self._changed.wait()

    def _gated(self, request: GenerationInput) -> ResolveStep:
        async def resolve(number: int) -> Step:
            step = await request.resolve_step(number)
            return replace(step, tools=tuple(self._waits(tool) for tool in step.tools))

        return resolve

    def _waits(self, tool: AnyTool) -> AnyTool:
        async def handler(arguments: object, context: ToolContext) -> str:
            await self._adoption.wait()
            return await tool.handler(arguments, context)

        return replace(tool, handler=handler)
