"""What a probe finds, and how probes run: side by side, each within its time, none able to break another."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

PROBE_TIMEOUT_S = 10.0


class State(StrEnum):
    """How a check came out. Only FAILED means that the bot will not do its work."""

    FINE = "fine"
    WARNING = "warning"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One row: the check, how it came out, what was found, and what to do about it."""

    check: str
    state: State
    found: str
    fix: str = ""


class Probe(Protocol):
    """Looks at one part of the set-up. May raise anything and take any time; `examined` bounds it."""

    @property
    def check(self) -> str:
        """The name of its row when it says nothing itself."""
        ...

    async def findings(self) -> Sequence[Finding]:
        """What was found, in reading order."""
        ...


async def examined(probes: Sequence[Probe], *, timeout_s: float = PROBE_TIMEOUT_S) -> list[Finding]:
    """The findings of all probes, in the order of the probes. Never raises for a probe."""
    async with asyncio.TaskGroup() as tasks:
        running = [tasks.create_task(_bounded(probe, timeout_s)) for probe in probes]
    return [finding for task in running for finding in task.result()]


async def _bounded(probe: Probe, timeout_s: float) -> Sequence[Finding]:
    try:
        async with asyncio.timeout(timeout_s):
            return await probe.findings()
    except TimeoutError:
        found = f"no answer within {timeout_s:g} s"
    except Exception as error:  # noqa: BLE001 - a check that breaks is a finding, not the end of the others
        found = f"the check itself broke ({type(error).__name__}: {error})"
    return [
        Finding(check=probe.check, state=State.FAILED, found=found, fix="Try again; report it if it stays.")
    ]
