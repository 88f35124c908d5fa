"""Durable execution as ports: a run goes on after a crash from its last finished step (TASK-3).

A run is code that asks for steps one after another, always in the same order. A finished step is recorded
and never done again; one that was cut off is done again, so what it does outside goes through the ledger.
"""

import json
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

import structlog

from core.failures import UNEXPECTED, Failure

_log = structlog.get_logger()

Work = Callable[[], Awaitable[str]]


class Steps(Protocol):
    """The steps of one run."""

    async def run(self, name: str, work: Work) -> str:
        """What `work` returned, now or before a crash.

        Raises:
            StepFailed: it failed, now or then; that is recorded, too.
        """
        ...


Body = Callable[[str, Steps], Coroutine[Any, Any, None]]
"""What a run does, given its id; raises nothing."""


class DurableRuns(Protocol):
    """Starts runs and sees to it that they end, whatever happens in between."""

    async def start(self, run_id: str) -> None:
        """Begin the run, or leave it to go on where it is on its way already."""
        ...

    async def forget(self, run_ids: Iterable[str]) -> None:
        """Remove what is recorded of runs that are over."""
        ...


class StepFailed(Failure):
    """A step failed; `advice` is the sentence for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepOutcome:
    """What is recorded of a step: a text, or a sentence that says why there is none."""

    text: str | None = None
    failed: str = ""
    reason: str = ""

    def value(self) -> str:
        """The text.

        Raises:
            StepFailed: there is none.
        """
        if self.text is None:
            raise StepFailed(self.failed or UNEXPECTED, reason=self.reason)
        return self.text


async def outcome_of(work: Work) -> str:
    """Do a step's work; its outcome as JSON text, whatever happens. Only a cancellation comes out."""
    try:
        outcome = StepOutcome(text=await work())
    except Failure as failure:
        outcome = StepOutcome(failed=failure.advice, reason=failure.reason)
    except Exception as error:  # noqa: BLE001 - a defect is an outcome, too, and told the same after a crash
        _log.error("step of a task broke", exc_info=error)
        outcome = StepOutcome(failed=UNEXPECTED, reason=type(error).__name__)
    return json.dumps([outcome.text, outcome.failed, outcome.reason])


def outcome_from(recorded: str) -> StepOutcome:
    """Read what `outcome_of` wrote."""
    text, failed, reason = json.loads(recorded)
    return StepOutcome(text=text, failed=failed, reason=reason)


class StepsInMemory:
    """Steps that a test can look at and cut; `recorded` outlives the run that wrote it."""

    def __init__(self, recorded: dict[str, str] | None = None) -> None:
        self.recorded: dict[str, str] = {} if recorded is None else recorded

    async def run(self, name: str, work: Work) -> str:
        """See `Steps`."""
        if name not in self.recorded:
            self.recorded[name] = await outcome_of(work)
        return outcome_from(self.recorded[name]).value()
