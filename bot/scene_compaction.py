"""Puts the older turns of a long session into a summary, beside the conversation (CORE-28).

A run that finds its window filling up asks for it; the work starts once that reply is delivered, one session
at a time, and the next run begins from the summary. A failure costs the attempt alone: the window slides on.
"""

import asyncio
from contextlib import aclosing
from dataclasses import dataclass
from types import TracebackType
from typing import Self

import structlog

from bot.token_estimates import ModelTokens
from core.clock import Clock
from core.context.compaction import (
    Summary,
    kept_after_compaction,
    oldest_that_fit,
    summary_request,
    summed_up,
)
from core.context.history_window import split_for_compaction
from core.conversation.content import Text
from core.conversation.turns import Conversation, UserTurn
from core.failures import Failure
from core.generation.events import TextDelta
from core.generation.requests import GenerationInput, ModelEndpoint, Step, one_endpoint
from core.identifiers import NewId
from core.orchestration.hooks import Hooks, ReplyDelivered
from core.orchestration.run_ports import Generation
from sessions.failures import StaleGeneration
from sessions.history import History, StoredTurn
from sessions.summaries import StoredSummary, Summaries

_log = structlog.get_logger()
_MOST_TURNS = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What a run found: its session's generation, the tokens for history, and who answered."""

    generation: int
    budget_tokens: int
    endpoint: ModelEndpoint


class SceneCompaction:
    """Sums up sessions that asked for it; leaving the context gives up what still runs."""

    def __init__(
        self,
        *,
        history: History,
        summaries: Summaries,
        generation: Generation,
        tokens: ModelTokens,
        clock: Clock,
        new_id: NewId,
    ) -> None:
        self._history = history
        self._summaries = summaries
        self._generation = generation
        self._tokens = tokens
        self._clock = clock
        self._new_id = new_id
        self._tasks = asyncio.TaskGroup()
        self._running: set[asyncio.Task[None]] = set()
        self._asked: dict[str, _Asked] = {}
        self._one_at_a_time = asyncio.Semaphore(1)

    async def __aenter__(self) -> Self:
        await self._tasks.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for task in self._running:
            task.cancel()
        await self._tasks.__aexit__(kind, error, trace)

    def listen(self, hooks: Hooks) -> None:
        """Start the work of a session when its reply is delivered."""
        hooks.subscribe(ReplyDelivered, self._delivered)

    def ask(self, session_id: str, *, generation: int, budget_tokens: int, endpoint: ModelEndpoint) -> None:
        """The window of this session fills up; `endpoint` answers there, and is the one to sum it up."""
        self._asked[session_id] = _Asked(
            generation=generation, budget_tokens=budget_tokens, endpoint=endpoint
        )

    async def _delivered(self, event: ReplyDelivered) -> None:
        asked = self._asked.pop(event.session_id, None)
        if asked is not None:
            work = self._compact(event.session_id, asked)
            task = self._tasks.create_task(work, name=f"compaction {event.session_id}")
            self._running.add(task)
            task.add_done_callback(self._running.discard)

    async def _compact(self, session_id: str, asked: _Asked) -> None:
        async with self._one_at_a_time:
            try:
                await self._sum_up(session_id, asked)
            except StaleGeneration:
                return
            except Failure as failure:
                _log.warning("compaction failed", session=session_id, reason=failure.reason)
            except Exception:  # noqa: BLE001 - a defect here must not end the replies beside it
                _log.exception("compaction broke", session=session_id)

    async def _sum_up(self, session_id: str, asked: _Asked) -> None:
        kept = await self._summaries.latest(session_id)
        previous = None if kept is None else Summary(text=kept.text, skills=kept.skills)
        older = await self._older_turns(session_id, kept, previous, asked)
        if not older:
            return
        turns = tuple(stored.turn for stored in older)
        text = await self._answer_to(session_id, summary_request(turns, previous=previous), asked.endpoint)
        summary = summed_up(text, turns, previous=previous)
        await self._summaries.keep(
            session_id,
            asked.generation,
            StoredSummary(position=older[-1].position, text=summary.text, skills=summary.skills),
        )
        _log.info("older turns summed up", session=session_id, turns=len(turns))

    async def _older_turns(
        self, session_id: str, kept: StoredSummary | None, previous: Summary | None, asked: _Asked
    ) -> tuple[StoredTurn, ...]:
        window = await self._history.window(session_id, _MOST_TURNS)
        unsummed = [stored for stored in window.turns if kept is None or stored.position > kept.position]
        estimate = self._tokens.of(asked.endpoint.model)
        older, _ = split_for_compaction(
            [stored.turn for stored in unsummed],
            keep_tokens=kept_after_compaction(asked.budget_tokens),
            estimate=estimate,
        )
        fitting = oldest_that_fit(
            older, budget_tokens=asked.budget_tokens, estimate=estimate, previous=previous
        )
        return tuple(unsummed[: len(fitting)])

    async def _answer_to(self, session_id: str, request: str, endpoint: ModelEndpoint) -> str:
        now = self._clock.now()
        question = UserTurn(id=self._new_id("turn", now), at=now, content=(Text(text=request),))
        asked = GenerationInput(
            # A conversation of its own: nothing native of the session is replayed into it, or comes back.
            conversation=Conversation(id=f"{session_id}:summary", turns=(question,)),
            run_id=self._new_id("run", now),
            resolve_step=one_endpoint(Step(endpoint=endpoint, time_prefix=False)),
        )
        async with aclosing(self._generation.stream_from(asked)) as events:
            pieces = [event.text async for event in events if isinstance(event, TextDelta)]
        text = "".join(pieces).strip()
        if not text:
            raise Failure("The model gave an empty answer.", reason="empty summary")
        return text
