"""The door to the session: bursts in order, speculation adopted by equality (VOX-14, VOX-16)."""

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from voice.input.speech_to_text import SpeechFailed
from voice.input.spoken_turns import SpokenBurst, SpokenTurn, SubmitBurst
from voice.policy.events import SpeculationEnd, SpeculationEnded, SpeculationStarted, VoiceEvent

_MOST_WAITING = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class _Speculation:
    speculation_id: str
    text: str


class Speculations:
    """What was begun on a text before its turn was over; at most one for an input. Counted by their ends."""

    def __init__(self, feed: Callable[[VoiceEvent], None]) -> None:
        self._feed = feed
        self._by_input: dict[str, _Speculation] = {}
        self._count = 0
        self.ends: Counter[SpeculationEnd] = Counter()

    def start(self, *, input_id: str, user_id: int, text: str, language: str | None, at: float) -> None:
        """A request may begin; an earlier one for the input ends."""
        self.end(input_id, SpeculationEnd.TEXT_CHANGED, at)
        self._count += 1
        begun = _Speculation(speculation_id=f"{input_id}:{self._count}", text=text)
        self._by_input[input_id] = begun
        self._feed(
            SpeculationStarted(
                input_id=input_id,
                user_id=user_id,
                speculation_id=begun.speculation_id,
                text=text,
                language=language,
                at=at,
            )
        )

    def end(self, input_id: str, end: SpeculationEnd, at: float) -> None:
        """Tells once that it is over; nothing when there is none."""
        ended = self._by_input.pop(input_id, None)
        if ended is not None:
            self.ends[end] += 1
            self._feed(
                SpeculationEnded(input_id=input_id, speculation_id=ended.speculation_id, end=end, at=at)
            )

    def end_all(self, at: float) -> None:
        """The call is over."""
        for input_id in tuple(self._by_input):
            self.end(input_id, SpeculationEnd.INPUT_ENDED, at)

    def adopted(self, turns: tuple[SpokenTurn, ...], *, answer: bool, at: float) -> str | None:
        """The id of the request that may be adopted: of a lone turn, begun on exactly its text."""
        adopted: str | None = None
        for turn in turns:
            begun = self._by_input.get(turn.input_id)
            if begun is None:
                continue
            end = self._end_of(begun, turn, alone=len(turns) == 1, answer=answer)
            if end is SpeculationEnd.KEPT:
                adopted = begun.speculation_id
            self.end(turn.input_id, end, at)
        return adopted

    @staticmethod
    def _end_of(begun: _Speculation, turn: SpokenTurn, *, alone: bool, answer: bool) -> SpeculationEnd:
        if not answer:
            return SpeculationEnd.NOT_ANSWERED
        if not alone:
            return SpeculationEnd.NOT_ALONE
        same = begun.text == turn.text and not turn.attachments
        return SpeculationEnd.KEPT if same else SpeculationEnd.TEXT_CHANGED


class SubmissionLine:
    """Hands bursts over one after another; `run` belongs into the owner's task group."""

    def __init__(self, submit: SubmitBurst, failed: Callable[[Exception], None]) -> None:
        self._submit = submit
        self._failed = failed
        self._waiting: asyncio.Queue[SpokenBurst] = asyncio.Queue(_MOST_WAITING)

    def put(self, burst: SpokenBurst) -> None:
        """Behind the others. When the session takes nothing for very long, it is reported and left out."""
        try:
            self._waiting.put_nowait(burst)
        except asyncio.QueueFull:
            self._failed(
                SpeechFailed("I can't keep up with what is said. Please wait a moment.", reason="queue full")
            )

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            burst = await self._waiting.get()
            try:
                await self._submit(burst)
            except Exception as error:  # noqa: BLE001 - a burst that fails must not keep back the next
                self._failed(error)
            finally:
                self._waiting.task_done()

    async def empty(self) -> None:
        """Waits until all was handed over."""
        await self._waiting.join()
