"""When a talk is over: its channel is idle, the bot left the call, or the process stops (MEM-5).

An idle or spoken talk is looked through at once; at a stop it is noted as waiting and looked through after
the next start, so that stopping stays fast.
"""

import asyncio
from collections.abc import Coroutine, Sequence
from contextlib import aclosing
from dataclasses import replace
from datetime import datetime
from types import TracebackType
from typing import Self

import structlog

from bot.run_extras import RunExtras
from bot.run_planner import Models
from core.clock import Clock
from core.conversation.content import Text
from core.conversation.turns import AssistantTurn, Conversation, Speaker, Turn, UserTurn
from core.generation.events import TextDelta
from core.generation.requests import GenerationInput, ModelEndpoint, Step, one_endpoint
from core.identifiers import NewId
from core.orchestration.hooks import Hooks, ReplyDelivered, TalkEnded
from core.orchestration.run_ports import Generation
from recipes.memory.extraction_log import ExtractionLog
from recipes.memory.extractor import Extractor
from recipes.run_scene import RunScene
from sessions.history import History

_log = structlog.get_logger()
_MOST_TURNS = 200


class SessionTalks:
    """The `Talks` of sessions."""

    def __init__(self, history: History, extras: RunExtras) -> None:
        self._history = history
        self._extras = extras

    async def since(self, session_id: str, moment: datetime | None) -> tuple[Turn, ...]:
        """See `Talks`."""
        window = await self._history.window(session_id, _MOST_TURNS)
        turns = (stored.turn for stored in window.turns)
        return tuple(turn for turn in turns if moment is None or _at(turn, moment) > moment)

    async def scene(self, session_id: str, speakers: Sequence[Speaker]) -> RunScene:
        """See `Talks`."""
        return await self._extras.scene(session_id, speakers)


class TextModel:
    """The `Asked` of the model that answers in the session: nobody else reads what was said there."""

    def __init__(
        self, generation: Generation, endpoint: ModelEndpoint, models: Models, *, clock: Clock, new_id: NewId
    ) -> None:
        self._generation = generation
        self._endpoint = endpoint
        self._models = models
        self._clock = clock
        self._new_id = new_id

    async def answer_to(self, session_id: str, request: str) -> str:
        """See `Asked`."""
        endpoint = replace(self._endpoint, model=await self._models.of(session_id))
        now = self._clock.now()
        question = UserTurn(id=self._new_id("turn", now), at=now, content=(Text(text=request),))
        asked = GenerationInput(
            conversation=Conversation(id=f"{session_id}:memory", turns=(question,)),
            run_id=self._new_id("run", now),
            resolve_step=one_endpoint(Step(endpoint=endpoint, time_prefix=False)),
        )
        async with aclosing(self._generation.stream_from(asked)) as events:
            return "".join([event.text async for event in events if isinstance(event, TextDelta)])


class TalkEnds:
    """Watches which talks go on; used as an async context manager. `idle_s`: seconds without a reply."""

    def __init__(
        self, *, extractor: Extractor, log: ExtractionLog, hooks: Hooks, clock: Clock, idle_s: float
    ) -> None:
        self._extractor = extractor
        self._log = log
        self._clock = clock
        self._idle_s = idle_s
        self._last: dict[str, float] = {}
        self._talked = asyncio.Event()
        self._one_at_a_time = asyncio.Lock()
        self._tasks = asyncio.TaskGroup()
        self._running: set[asyncio.Task[None]] = set()
        hooks.subscribe(ReplyDelivered, self._delivered)
        hooks.subscribe(TalkEnded, self._left)

    async def __aenter__(self) -> Self:
        await self._tasks.__aenter__()
        self._begin(self._watch(), "talk ends")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for task in tuple(self._running):
            task.cancel()
        await self._tasks.__aexit__(kind, error, trace)
        for session_id in self._last:
            await self._log.wait(session_id, self._clock.now())

    async def _delivered(self, event: ReplyDelivered) -> None:
        self._last[event.session_id] = self._clock.monotonic()
        self._talked.set()

    async def _left(self, event: TalkEnded) -> None:
        if event.session_id in self._last:
            self._begin(self._over(event.session_id), f"talk {event.session_id} looked through")

    def _begin(self, work: Coroutine[None, None, None], name: str) -> None:
        task = self._tasks.create_task(work, name=name)
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def _watch(self) -> None:
        for session_id in await self._log.waiting():
            await self._look_through(session_id)
        while True:
            if not self._last:
                self._talked.clear()
                await self._talked.wait()
            session_id, last = min(self._last.items(), key=lambda talk: talk[1])
            await self._clock.sleep(max(0.0, last + self._idle_s - self._clock.monotonic()))
            if self._last.get(session_id) == last:
                await self._over(session_id)

    async def _over(self, session_id: str) -> None:
        last = self._last.get(session_id)
        await self._look_through(session_id)
        if self._last.get(session_id) == last:  # somebody may have gone on meanwhile
            self._last.pop(session_id, None)

    async def _look_through(self, session_id: str) -> None:
        try:
            async with self._one_at_a_time:
                await self._extractor.look_through(session_id)
        except Exception:  # noqa: BLE001 - a defect here must not end what watches the other talks
            _log.exception("talk not looked through", session=session_id)


def _at(turn: Turn, otherwise: datetime) -> datetime:
    match turn:
        case UserTurn(at=at):
            return at
        case AssistantTurn(completed_at=at):
            return at
        case _:
            return otherwise
