"""A small world for tests of the orchestrator: scripted generations, sinks that keep what they were told."""

import asyncio
import itertools
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from core.conversation.content import Text
from core.conversation.continuation import ProtocolName
from core.conversation.turns import AssistantTurn, Conversation, Notice, ReplyText, Round, UserTurn
from core.generation.events import StreamEvent, TextDelta, TurnFinished
from core.generation.requests import GenerationInput, ModelEndpoint, Step, one_endpoint
from core.identifiers import NewId
from core.orchestration.hooks import HookEvent, Hooks
from core.orchestration.orchestrator import Orchestrator
from core.orchestration.replies import Delivered, ReplyEnded, ReplyEvent, ReplySink, ReplyTextGrew
from core.orchestration.run_ports import RunPlan, RunRecord, StaleSession
from core.orchestration.runs import Runner
from core.orchestration.sends import Send, SendOptions

_numbers = itertools.count()
AT = datetime(2026, 11, 30, 18, 47, tzinfo=UTC)


class StillClock:
    """Time that moves only when somebody sleeps."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> datetime:
        return datetime.fromtimestamp(AT.timestamp() + self.seconds, UTC)

    def monotonic(self) -> float:
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        self.seconds += seconds
        await asyncio.sleep(0)


class CountedIds:
    """`run_1`, `turn_2`, ..."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, prefix: str, now: datetime) -> str:
        self.count += 1
        return f"{prefix}_{self.count}"


def says(*texts: str) -> tuple[StreamEvent, ...]:
    """The events of a plain answer in these pieces."""
    turn = AssistantTurn(
        id=f"turn_{next(_numbers)}",
        run_id="run",
        created_at=AT,
        completed_at=AT,
        rounds=(Round(content=(ReplyText(text="".join(texts)),)),),
    )
    return (*(TextDelta(text=text) for text in texts), TurnFinished(turn=turn))


Scripted = StreamEvent | Exception | asyncio.Event | Callable[[], Awaitable[None]]


class ScriptedGeneration:
    """Plays one script a run, in order: events, an exception to raise, an event to wait for."""

    def __init__(self, *scripts: tuple[Scripted, ...]) -> None:
        self.scripts = list(scripts)
        self.requests: list[GenerationInput] = []
        self.open_streams = 0
        self.closed = 0

    async def stream_from(self, request: GenerationInput) -> AsyncGenerator[StreamEvent]:
        self.requests.append(request)
        script = self.scripts.pop(0) if self.scripts else says("fine")
        self.open_streams += 1
        try:
            for part in script:
                await asyncio.sleep(0)
                if isinstance(part, Exception):
                    raise part
                if isinstance(part, asyncio.Event):
                    await part.wait()
                elif callable(part):
                    await part()
                else:
                    yield part
        finally:
            self.open_streams -= 1
            self.closed += 1


class PlainPlanner:
    """One endpoint, no prompt."""

    def __init__(self, *, cut_repeats: bool = False) -> None:
        self.cut_repeats = cut_repeats

    async def plan(self, send: Send, conversation: Conversation, run_id: str) -> RunPlan:
        await asyncio.sleep(0)
        endpoint = ModelEndpoint(protocol=ProtocolName.CHAT, provider="p", base_url="http://m/v1", model="m")
        request = GenerationInput(
            conversation=conversation,
            run_id=run_id,
            resolve_step=one_endpoint(Step(endpoint=endpoint)),
            max_tokens=send.options.max_tokens,
        )
        return RunPlan(request=request, cut_repeats=self.cut_repeats)


class ListJournal:
    """Keeps records in lists; `generations` are the sessions' current ones."""

    def __init__(self) -> None:
        self.opened: list[tuple[str, ...]] = []
        self.records: list[RunRecord] = []
        self.history: dict[str, list[UserTurn | AssistantTurn]] = {}
        self.generations: dict[str, int] = {}
        self.open_failure: Exception | None = None
        self.keeping: asyncio.Event | None = None
        self.commit_failure: Exception | None = None
        self.commit_failures: list[Exception] = []

    async def window(self, send: Send) -> Conversation:
        await asyncio.sleep(0)
        said = {turn.id for turn in send.turns}
        earlier = [turn for turn in self.history.get(send.session_id, []) if turn.id not in said]
        return Conversation(id=send.session_id, turns=(*earlier, *send.turns))

    async def keep(self, send: Send, run_id: str) -> None:
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        if self.keeping is not None:
            await self.keeping.wait()
        if self.open_failure is not None:
            raise self.open_failure
        if send.generation != self.generations.get(send.session_id, 0):
            raise StaleSession(send.session_id)
        self.opened.append(tuple(turn.id for turn in send.turns))
        turns = self.history.setdefault(send.session_id, [])
        known = {turn.id for turn in turns}
        turns += [turn for turn in send.turns if turn.id not in known]

    async def commit(self, record: RunRecord) -> None:
        await asyncio.sleep(0)
        if self.commit_failure is not None:
            raise self.commit_failure
        if self.commit_failures:
            raise self.commit_failures.pop()
        self.records.append(record)
        if record.reply is not None:
            self.history[record.session_id].append(record.reply)


@dataclass(slots=True)
class KeptSink:
    """Takes everything that it is told; `hold` keeps it from finishing, `fail` breaks it."""

    told: list[ReplyEvent] = field(default_factory=list)
    hold: asyncio.Event | None = None
    fail: Exception | None = None

    async def deliver(self, events: AsyncIterator[ReplyEvent]) -> Delivered:
        if self.fail is not None:
            raise self.fail
        async for event in events:
            self.told.append(event)
        if self.hold is not None:
            await self.hold.wait()
        return Delivered(text=self.text)

    @property
    def text(self) -> str:
        return "".join(event.text for event in self.told if isinstance(event, ReplyTextGrew))

    @property
    def ended(self) -> ReplyEnded:
        last = self.told[-1]
        assert isinstance(last, ReplyEnded)
        assert not any(isinstance(event, ReplyEnded) for event in self.told[:-1])
        return last


class KeptPlace:
    """One sink for each reply, kept by its id."""

    def __init__(self) -> None:
        self.sinks: dict[str, KeptSink] = {}
        self.next_sink: Callable[[], KeptSink] = KeptSink

    def open_sink(self, send: Send) -> ReplySink:
        self.sinks[send.reply_id] = self.next_sink()
        return self.sinks[send.reply_id]


class World:
    """An orchestrator over all of these."""

    def __init__(self, *scripts: tuple[Scripted, ...], cut_repeats: bool = False) -> None:
        self.generation = ScriptedGeneration(*scripts)
        self.journal = ListJournal()
        self.place = KeptPlace()
        self.clock = StillClock()
        self.new_id: NewId = CountedIds()
        self.hook_failures: list[tuple[HookEvent, BaseException]] = []
        self.hooks = Hooks(lambda event, error: self.hook_failures.append((event, error)))
        self.orchestrator = Orchestrator(
            Runner(
                generation=self.generation,
                planner=PlainPlanner(cut_repeats=cut_repeats),
                journal=self.journal,
                hooks=self.hooks,
                clock=self.clock,
                new_id=self.new_id,
            )
        )

    def send(
        self,
        text: str,
        *,
        session: str = "room",
        generation: int = 0,
        may_join: bool = True,
        options: SendOptions | None = None,
        notice: Notice | None = None,
    ) -> Send:
        turn = UserTurn(id=text, at=AT, content=(Text(text=text),), notice=notice)
        return Send(
            session_id=session,
            generation=generation,
            reply_id=f"reply:{text}",
            turns=(turn,),
            place=self.place,
            options=options or SendOptions(),
            may_join=may_join,
        )

    def sink(self, text: str) -> KeptSink:
        return self.place.sinks[f"reply:{text}"]


async def settled(rounds: int = 50) -> None:
    """Let every task go as far as it can."""
    for _ in range(rounds):
        await asyncio.sleep(0)
