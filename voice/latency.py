"""How long each part of a turn took (VOX-27): a projection of events, for `/voice stats` and for histograms.

A trace begins with an input and is complete when the reply's playback ended. A burst of several turns is
one reply: each turn that wants the answer has a trace. Moments are monotonic seconds; one that never came
stays None.
"""

from bisect import bisect_left
from collections import deque
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

from voice.output.output_events import (
    FirstSoundReady,
    OutputEvent,
    Purpose,
    ResponseEnded,
    ResponseInterrupted,
    SpeechBegan,
)
from voice.policy.events import (
    InputBegan,
    InputCancelled,
    InputDropped,
    InputSealed,
    InputSettled,
    SpeechPaused,
    TurnsSubmitted,
    VoiceEvent,
)

BOUNDS_S: Final = (0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0)
"""Upper bounds of a histogram's buckets; one more bucket holds what is above."""
_MOST_KEPT = 50
_MOST_OPEN = 200


class Stretch(StrEnum):
    """What lies between two moments of a turn."""

    ENDPOINT = "endpoint"
    """From the last voiced frame to the decision that the turn is over."""
    TRANSCRIPT = "transcript"
    """From the decision to the final, finalized text."""
    FLOOR = "floor"
    """From there to the submission: others spoke."""
    FIRST_TOKEN = "first token"  # noqa: S105 - a piece of a model's answer
    FIRST_AUDIO = "first audio"
    """From the first token, or from the submission, to the first sound of the synthesiser."""
    FIRST_PACKET = "first packet"
    RESPONSE = "response"
    """From the last voiced frame to the first packet: what the person waits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnTrace:
    """The moments of one turn."""

    input_id: str
    user_id: int
    first_voiced: float
    last_voiced: float | None = None
    decided: float | None = None
    transcript_final: float | None = None
    submitted: float | None = None
    first_token: float | None = None
    first_audio: float | None = None
    first_packet: float | None = None
    playback_end: float | None = None
    turn_id: str | None = None
    """The reply that answers it."""

    def stretches(self) -> Mapping[Stretch, float]:
        """Seconds between the moments that are known."""
        before_audio = self.first_token if self.first_token is not None else self.submitted
        pairs = {
            Stretch.ENDPOINT: (self.last_voiced, self.decided),
            Stretch.TRANSCRIPT: (self.decided, self.transcript_final),
            Stretch.FLOOR: (self.transcript_final, self.submitted),
            Stretch.FIRST_TOKEN: (self.submitted, self.first_token),
            Stretch.FIRST_AUDIO: (before_audio, self.first_audio),
            Stretch.FIRST_PACKET: (self.first_audio, self.first_packet),
            Stretch.RESPONSE: (self.last_voiced, self.first_packet),
        }
        return {
            stretch: end - begin
            for stretch, (begin, end) in pairs.items()
            if begin is not None and end is not None
        }


@dataclass(slots=True)
class Histogram:
    """`counts[i]` are the values up to `BOUNDS_S[i]`, not cumulated; the last one counts those above."""

    counts: list[int] = field(default_factory=lambda: [0] * (len(BOUNDS_S) + 1))
    total_s: float = 0.0

    @property
    def count(self) -> int:
        """How many values."""
        return sum(self.counts)

    def add(self, seconds: float) -> None:
        """One more value; a moment that a clock set before the other counts as none."""
        seconds = max(0.0, seconds)
        self.counts[bisect_left(BOUNDS_S, seconds)] += 1
        self.total_s += seconds


class LatencyTraces:
    """Fed with both sides' events. `recent` are complete, the newest last."""

    def __init__(self) -> None:
        self.recent: deque[TurnTrace] = deque(maxlen=_MOST_KEPT)
        self.histograms: dict[Stretch, Histogram] = {stretch: Histogram() for stretch in Stretch}
        self._open: dict[str, TurnTrace] = {}
        self._last_voiced: dict[int, float] = {}

    def told(self, event: VoiceEvent) -> None:
        """The listening side."""
        match event:
            case InputBegan():
                self._put(
                    TurnTrace(
                        input_id=event.input_id, user_id=event.user_id, first_voiced=event.speech_began_at
                    )
                )
            case SpeechPaused():
                self._last_voiced[event.user_id] = event.since
            case InputSealed():
                last_voiced = self._last_voiced.get(event.user_id)
                self._change(event.input_id, last_voiced=last_voiced, decided=event.at)
            case InputSettled():
                self._change(event.input_id, transcript_final=event.at)
            case InputCancelled() | InputDropped():
                self._open.pop(event.input_id, None)
            case TurnsSubmitted():
                for input_id in event.input_ids:
                    trace = self._open.get(input_id)
                    if event.answer and trace is not None and trace.user_id in event.user_ids:
                        self._change(input_id, submitted=event.at)
                    else:
                        self._open.pop(input_id, None)
            case _:
                pass

    def reply_opened(self, turn_id: str, answering: Collection[int]) -> None:
        """The reply to what these people submitted last, if nothing else answers it yet."""
        for trace in tuple(self._open.values()):
            if trace.user_id in answering and trace.submitted is not None and trace.turn_id is None:
                self._change(trace.input_id, turn_id=turn_id)

    def first_token(self, turn_id: str, at: float) -> None:
        """The reply's first text came; later ones change nothing."""
        for trace in self._of(turn_id):
            if trace.first_token is None:
                self._change(trace.input_id, first_token=at)

    def output_told(self, event: OutputEvent) -> None:
        """The speaking side; an acknowledgement is no answer."""
        match event:
            case FirstSoundReady(purpose=Purpose.ANSWER):
                for trace in self._of(event.turn_id):
                    if trace.first_audio is None:
                        self._change(trace.input_id, first_audio=event.at)
            case SpeechBegan(purpose=Purpose.ANSWER):
                for trace in self._of(event.turn_id):
                    if trace.first_packet is None:
                        self._change(trace.input_id, first_packet=event.at)
            case ResponseEnded() | ResponseInterrupted():
                for trace in self._of(event.turn_id):
                    self._complete(replace(trace, playback_end=event.at))
            case _:
                pass

    def _of(self, turn_id: str) -> tuple[TurnTrace, ...]:
        return tuple(trace for trace in self._open.values() if trace.turn_id == turn_id)

    def _put(self, trace: TurnTrace) -> None:
        self._open[trace.input_id] = trace
        if len(self._open) > _MOST_OPEN:  # replies that are never spoken leave theirs behind
            del self._open[next(iter(self._open))]

    def _change(self, input_id: str, **moments: float | str | None) -> None:
        trace = self._open.get(input_id)
        if trace is not None:
            self._open[input_id] = replace(trace, **moments)

    def _complete(self, trace: TurnTrace) -> None:
        self._open.pop(trace.input_id, None)
        self.recent.append(trace)
        for stretch, seconds in trace.stretches().items():
            self.histograms[stretch].add(seconds)
