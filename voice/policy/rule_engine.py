"""One ordered queue of events for all rules (VOX-13).

An event is seen by every rule in the order of their installation, then by the watchers; what a rule emits
waits behind what was queued before. Commands are carried out where they stand, with the grants of whoever
brought the rule; what carrying out brings about is queued as well. A rule that raises is left out from
then on and reported: it cannot stop the others.
"""

from collections import deque
from collections.abc import Callable, Collection
from typing import Any

from voice.policy.commands import Command, Grant, needed_grant
from voice.policy.events import (
    InputBegan,
    InputCancelled,
    InputSealed,
    ReadAt,
    SpeechContinued,
    TranscriptCorrected,
    TranscriptGrew,
    VoiceEvent,
)
from voice.policy.rules import Output, Rule, RuleContext

Watcher = Callable[[VoiceEvent], None]
FIRST_PARTY = frozenset(Grant)


class _Installed:
    """`deadline` is worked out once for each state: most events leave most states as they are."""

    __slots__ = ("_deadline", "_deadline_of", "grants", "owner", "rule", "state")

    def __init__(self, rule: Rule[Any], grants: frozenset[Grant], owner: str) -> None:
        self.rule = rule
        self.state: Any = rule.initial
        self.grants = grants
        self.owner = owner
        self._deadline_of: Any = None
        self._deadline: float | None = None

    @property
    def deadline(self) -> float | None:
        """When the rule wants to be told the time."""
        if self._deadline_of is not self.state:
            self._deadline, self._deadline_of = self.rule.deadline(self.state), self.state
        return self._deadline


class RuleEngine:
    """`carry_out` performs a command, with the time of the event behind it; `refused` gets the others."""

    def __init__(
        self,
        *,
        carry_out: Callable[[Command, float], None],
        refused: Callable[[str, Command], None],
        failed: Callable[[str, Exception], None],
    ) -> None:
        self._carry_out = carry_out
        self._refused = refused
        self._failed = failed
        self._installed: list[_Installed] = []
        self._watchers: list[Watcher] = []
        self._queue: deque[VoiceEvent] = deque()
        self._revisions: dict[str, ReadAt] = {}
        self._input_of: dict[int, str] = {}
        self._context = RuleContext(revisions=self._revisions)
        self._draining = False
        self._closed = False

    @property
    def deadline(self) -> float | None:
        """When a `ClockTicked` is due; None while no rule waits."""
        return min(
            (due for one in self._installed if (due := one.deadline) is not None),
            default=None,
        )

    @property
    def context(self) -> RuleContext:
        """How far the open inputs are."""
        return self._context

    def install(
        self, rule: Rule[Any], *, grants: Collection[Grant] = FIRST_PARTY, owner: str = "parley"
    ) -> Callable[[], None]:
        """Adds a rule behind the others; returns what removes it."""
        installed = _Installed(rule, frozenset(grants), owner)
        self._installed.append(installed)
        return lambda: self._installed.remove(installed) if installed in self._installed else None

    def watch(self, watcher: Watcher) -> Callable[[], None]:
        """`watcher` is told of each event after the rules; it never raises. Returns what ends it."""
        self._watchers.append(watcher)
        return lambda: self._watchers.remove(watcher) if watcher in self._watchers else None

    def close(self) -> None:
        """No event and no command from here on."""
        self._closed = True
        self._queue.clear()

    def feed(self, event: VoiceEvent) -> None:
        """Queues the event and works until the queue is empty; from within that work it only queues."""
        if self._closed:
            return
        self._queue.append(event)
        if self._draining:
            return
        self._draining = True
        try:
            while self._queue:
                self._step(self._queue.popleft())
        finally:
            self._draining = False

    def _step(self, event: VoiceEvent) -> None:
        self._count(event)
        for one in tuple(self._installed):
            try:
                one.state, outputs = one.rule.decide(one.state, event, self._context)
            except Exception as error:  # noqa: BLE001 - one bad rule must not end the hearing of a room
                self._installed.remove(one)
                self._failed(one.owner, error)
                continue
            for output in outputs:
                self._follow(output, one, event.at)
        for watcher in tuple(self._watchers):
            watcher(event)

    def _follow(self, output: Output, one: _Installed, at: float) -> None:
        if self._closed:
            return
        if isinstance(output, VoiceEvent):
            self._queue.append(output)
        elif needed_grant(output) in one.grants:
            self._carry_out(output, at)
        else:
            self._refused(one.owner, output)

    def _count(self, event: VoiceEvent) -> None:
        match event:
            case InputBegan():
                self._revisions[event.input_id] = ReadAt(text=0, speech=0)
                self._input_of[event.user_id] = event.input_id
            case TranscriptGrew() | TranscriptCorrected():
                known = self._revisions.get(event.input_id)
                if known is not None:
                    self._revisions[event.input_id] = ReadAt(text=event.revision, speech=known.speech)
            case SpeechContinued():
                input_id = self._input_of.get(event.user_id, "")
                known = self._revisions.get(input_id)
                if known is not None:
                    self._revisions[input_id] = ReadAt(text=known.text, speech=(known.speech or 0) + 1)
            case InputSealed() | InputCancelled():
                self._revisions.pop(event.input_id, None)
            case _:
                pass
