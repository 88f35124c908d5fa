"""What voice needs of this machine: libopus, DAVE, ciphers; each is tried, not only looked for (SET-2)."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Protocol

from bot.doctor.findings import Finding, State

_FIX = "`make install`; for libopus the system's own does as well."


class VoiceMachine(Protocol):
    """What was tried. A problem is None where the part works."""

    @property
    def opus(self) -> str | None: ...
    @property
    def dave_version(self) -> int: ...
    @property
    def davey(self) -> str: ...
    @property
    def encryption_modes(self) -> tuple[str, ...]: ...
    @property
    def opus_problem(self) -> str | None: ...
    @property
    def dave_problem(self) -> str | None: ...
    @property
    def encryption_problem(self) -> str | None: ...


class VoiceProbe:
    """A row for each part. `tried` blocks for milliseconds."""

    check = "Voice"

    def __init__(self, tried: Callable[[], VoiceMachine]) -> None:
        self._tried = tried

    async def findings(self) -> Sequence[Finding]:
        """Opus, DAVE (without which Discord lets nobody into a voice channel), the transport's ciphers."""
        machine = await asyncio.to_thread(self._tried)
        dave = f"davey {machine.davey}, protocol version {machine.dave_version}"
        return [
            _finding("Opus", machine.opus or "libopus", machine.opus_problem),
            _finding("DAVE", dave, machine.dave_problem),
            _finding("Voice ciphers", ", ".join(machine.encryption_modes), machine.encryption_problem),
        ]


def _finding(check: str, found: str, problem: str | None) -> Finding:
    if problem is None:
        return Finding(check=check, state=State.FINE, found=found)
    return Finding(check=check, state=State.WARNING, found=f"{problem}: no voice", fix=_FIX)
