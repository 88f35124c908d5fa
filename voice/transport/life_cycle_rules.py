"""What follows when a voice session ends (VOX-7): resume, a new session, wait for the main gateway, or leave.

Pure: how a session ended and what was tried before decide. Source: Discord's list of voice close codes;
`wire/discord-voice.md`, traps 1, 2, 13, 14. Where Discord's behaviour is not known for sure the worse
case is built for: a RESUME that is refused becomes a new session, a server update that does not come is
asked for by leaving and joining again.

    SocketLost, 4015, normal closings    resume; refused or tried twice: new session
    4006, 4009, 4004, 4011 and others    new session: join again through the main gateway
    4014                                 moved or kicked: the voice state that follows tells; none: join again
    4017, 4022, 4021, 4016               leave, with the reason
    ServerChanged                        new session on the server that is known already
    Deaf                                 new session
"""

from dataclasses import dataclass
from typing import assert_never

from voice.calls import EndReason


@dataclass(frozen=True, slots=True)
class SocketClosed:
    """The voice gateway closed, or was lost.

    `code` None. `was_ready` once sound could pass in this session.
    """

    code: int | None
    was_ready: bool


@dataclass(frozen=True, slots=True)
class ResumeRefused:
    """The RESUME was not accepted in time."""


@dataclass(frozen=True, slots=True)
class ServerChanged:
    """The main gateway named another voice server, or a new token."""


@dataclass(frozen=True, slots=True)
class Deaf:
    """The watchdog gave up on this session."""


SessionEnd = SocketClosed | ResumeRefused | ServerChanged | Deaf


@dataclass(frozen=True, slots=True)
class Resume:
    """Connect again with the same session, after `delay_s`."""

    delay_s: float


@dataclass(frozen=True, slots=True)
class Rejoin:
    """Ask the main gateway for a fresh session, after `delay_s`."""

    delay_s: float


@dataclass(frozen=True, slots=True)
class Identify:
    """Begin a fresh session on the server that is known already."""


@dataclass(frozen=True, slots=True)
class AwaitVoiceState:
    """Moved, or kicked, which ends the call: wait for the main gateway's word."""


@dataclass(frozen=True, slots=True)
class Leave:
    """The call is over."""

    reason: EndReason
    code: int | None = None


NextStep = Resume | Rejoin | Identify | AwaitVoiceState | Leave


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempts:
    """What was tried since a session last stood for a while: `failures` fresh sessions, `resumes` of one."""

    failures: int = 0
    resumes: int = 0


MOST_FAILURES = 8
MOST_RESUMES = 2
_DISCONNECTED, _SERVER_CRASHED, _UNKNOWN_MODE = 4014, 4015, 4016
_ENCRYPTION_REQUIRED, _RATE_LIMITED, _CALL_TERMINATED = 4017, 4021, 4022
_FINAL = {
    _UNKNOWN_MODE: EndReason.NO_COMMON_ENCRYPTION,
    _ENCRYPTION_REQUIRED: EndReason.ENCRYPTION_REQUIRED,
    _RATE_LIMITED: EndReason.RATE_LIMITED,
    _CALL_TERMINATED: EndReason.CALL_TERMINATED,
}
_RESUMABLE = {None, 1000, 1001, 1005, 1006, 1011, 1012, 4000, _SERVER_CRASHED}


def next_step(end: SessionEnd, attempts: Attempts, *, jitter: float) -> NextStep:
    """Decides; `jitter` from 0 to 1 spreads the delays of many calls that lost the same server."""
    match end:
        case SocketClosed():
            return _after_close(end, attempts, jitter)
        case ResumeRefused():
            return _again(attempts, jitter)
        case ServerChanged():
            return Identify()
        case Deaf():
            return Rejoin(0.0)
        case _:
            assert_never(end)


def _after_close(end: SocketClosed, attempts: Attempts, jitter: float) -> NextStep:
    if end.code in _FINAL:
        return Leave(_FINAL[end.code], end.code)
    if end.code == _DISCONNECTED:
        return AwaitVoiceState()
    if end.code in _RESUMABLE and end.was_ready and attempts.resumes < MOST_RESUMES:
        return Resume(0.0 if attempts.resumes == 0 else backoff_s(attempts.resumes, jitter))
    return _again(attempts, jitter, end.code)


def _again(attempts: Attempts, jitter: float, code: int | None = None) -> NextStep:
    if attempts.failures >= MOST_FAILURES:
        return Leave(EndReason.UNREACHABLE, code)
    return Rejoin(0.0 if attempts.failures == 0 else backoff_s(attempts.failures, jitter))


def backoff_s(failures: int, jitter: float) -> float:
    """0.5 to 1 s after the first failure, doubling up to 30 s."""
    return min(30.0, 2.0 ** (failures - 1)) * (0.5 + jitter / 2)
