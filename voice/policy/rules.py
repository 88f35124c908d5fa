"""What a rule is (VOX-13): a pure reducer over voice events, without timers, with a deadline as data.

First-party rules and those of plugins have the same shape; nothing tells them apart but their grants.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from voice.policy.commands import Command
from voice.policy.events import ReadAt, VoiceEvent

Output = VoiceEvent | Command
"""An event joins the end of the queue; a command is carried out if its grant is there."""

State = TypeVar("State")


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleContext:
    """What every rule may read beside its state: how far each open input has come."""

    revisions: Mapping[str, ReadAt]

    def is_current(self, input_id: str, read_at: ReadAt) -> bool:
        """Whether the input is still as it was when `read_at` was taken; False once it has ended."""
        now = self.revisions.get(input_id)
        return (
            now is not None
            and read_at.text in {None, now.text}
            and (read_at.speech is None or read_at.speech == now.speech)
        )

    def read_at(self, input_id: str) -> ReadAt | None:
        """How far the input is now; None when it is not open."""
        return self.revisions.get(input_id)


def no_deadline(_state: object) -> float | None:
    """A rule that never waits."""
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule(Generic[State]):
    """`decide(state, event, context)` returns the next state and what follows.

    `deadline(state)` is when the rule wants a `ClockTicked` at the latest; `at` of that event is then not
    before it.
    """

    name: str
    initial: State
    decide: Callable[[State, VoiceEvent, RuleContext], tuple[State, tuple[Output, ...]]]
    deadline: Callable[[State], float | None] = no_deadline
