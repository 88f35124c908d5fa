"""Looks through a talk that is over, and remembers what was missed, through the same service (MEM-5)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Protocol

import structlog

from core.clock import Clock
from core.conversation.turns import Speaker, Turn, UserTurn
from core.failures import Failure
from recipes.memory.entries import EntryKind
from recipes.memory.extraction_log import Extraction, ExtractionLog
from recipes.memory.extraction_rules import (
    Candidate,
    Outcome,
    candidates_from,
    extraction_request,
    is_worth_asking,
    judged,
)
from recipes.memory.memory import Memory, Telling
from recipes.memory.memory_rules import MemoryRefused
from recipes.run_scene import RunScene

_log = structlog.get_logger()
_COMPARED = 5


class Talks(Protocol):
    """What was said in sessions, and where they are."""

    async def since(self, session_id: str, moment: datetime | None) -> tuple[Turn, ...]:
        """The latest turns after a moment, oldest first."""
        ...

    async def scene(self, session_id: str, speakers: Sequence[Speaker]) -> RunScene:
        """The scene of a session, for these speakers."""
        ...


class Asked(Protocol):
    """A text model."""

    async def answer_to(self, session_id: str, request: str) -> str:
        """Its answer, without tools. Raises `Failure`."""
        ...


class Extractor:
    """One for the process."""

    def __init__(
        self, *, memory: Memory, log: ExtractionLog, talks: Talks, model: Asked, clock: Clock
    ) -> None:
        self._memory = memory
        self._log = log
        self._talks = talks
        self._model = model
        self._clock = clock

    async def look_through(self, session_id: str) -> Extraction | None:
        """Look through what was said since the last time; None when the model failed: then the talk waits."""
        asked_at = self._clock.now()
        earlier = await self._log.finished(session_id)
        turns = await self._talks.since(session_id, earlier[0].asked_at if earlier else None)
        outcomes: Counter[str] = Counter()
        if is_worth_asking(turns):
            try:
                outcomes = await self._remembered(session_id, turns)
            except Failure as failure:
                _log.warning("talk not looked through", session=session_id, reason=failure.reason)
                await self._log.wait(session_id, asked_at)
                return None
        done = Extraction(
            session_id=session_id,
            asked_at=asked_at,
            done_at=self._clock.now(),
            outcomes=dict(outcomes),
        )
        await self._log.finish(done)
        _log.info("talk looked through", session=session_id, **outcomes)
        return done

    async def _remembered(self, session_id: str, turns: tuple[Turn, ...]) -> Counter[str]:
        speakers = {
            turn.speaker.id: turn.speaker
            for turn in turns
            if isinstance(turn, UserTurn) and turn.speaker is not None
        }
        scene = await self._talks.scene(session_id, tuple(speakers.values()))
        known = (await self._memory.listed(scene)).lines
        answer = await self._model.answer_to(session_id, extraction_request(turns, known))
        outcomes: Counter[str] = Counter()
        for candidate in candidates_from(answer):
            outcome = await self._judged(scene, candidate, speakers)
            outcomes[outcome.value] += 1
        return outcomes

    async def _judged(self, scene: RunScene, candidate: Candidate, speakers: dict[str, Speaker]) -> Outcome:
        """Remember a candidate that may stay, in the name of who said it."""
        said_by = replace(scene, speaker=speakers.get(candidate.speaker_id))
        near = await self._memory.search(said_by, candidate.text, _COMPARED)
        known = [f"{entry.title} {entry.summary} {entry.text}" for entry in near]
        outcome = judged(candidate, speakers=speakers.keys(), known=known)
        if outcome is not Outcome.KEPT:
            return outcome
        telling = Telling(
            title=candidate.title,
            summary=candidate.summary,
            text=candidate.text,
            preference=candidate.kind == EntryKind.PREFERENCE.value,
        )
        try:
            await self._memory.remember(said_by, telling)
        except MemoryRefused:
            return Outcome.DUPLICATE
        return Outcome.KEPT
