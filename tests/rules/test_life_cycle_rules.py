"""What follows the end of a voice session, case by case."""

import pytest

from voice.calls import EndReason
from voice.transport.life_cycle_rules import (
    MOST_FAILURES,
    MOST_RESUMES,
    Attempts,
    AwaitVoiceState,
    Deaf,
    Identify,
    Leave,
    Rejoin,
    Resume,
    ResumeRefused,
    ServerChanged,
    SocketClosed,
    backoff_s,
    next_step,
)

FRESH = Attempts()


@pytest.mark.parametrize("code", [None, 1000, 1001, 1006, 4015])
def test_a_lost_socket_is_resumed_twice_then_renewed(code: int | None) -> None:
    """VOX-7: at once, then after a pause, then a new session."""
    lost = SocketClosed(code, was_ready=True)
    assert next_step(lost, FRESH, jitter=0.5) == Resume(0.0)
    second = next_step(lost, Attempts(resumes=1), jitter=0.5)
    assert isinstance(second, Resume)
    assert second.delay_s > 0
    assert isinstance(next_step(lost, Attempts(resumes=MOST_RESUMES), jitter=0.5), Rejoin)


def test_a_session_that_was_never_ready_is_not_resumed() -> None:
    assert next_step(SocketClosed(None, was_ready=False), FRESH, jitter=0.5) == Rejoin(0.0)


@pytest.mark.parametrize("code", [4001, 4002, 4003, 4004, 4005, 4006, 4009, 4011, 4012, 4020, 4999])
def test_other_codes_ask_for_a_new_session(code: int) -> None:
    """VOX-7: 4006, 4009 and whatever Discord may invent."""
    assert next_step(SocketClosed(code, was_ready=True), FRESH, jitter=0.5) == Rejoin(0.0)


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (4016, EndReason.NO_COMMON_ENCRYPTION),
        (4017, EndReason.ENCRYPTION_REQUIRED),
        (4021, EndReason.RATE_LIMITED),
        (4022, EndReason.CALL_TERMINATED),
    ],
)
def test_final_codes_leave(code: int, reason: EndReason) -> None:
    """VOX-7: whatever was tried before."""
    for attempts in (FRESH, Attempts(failures=3, resumes=1)):
        assert next_step(SocketClosed(code, was_ready=True), attempts, jitter=0.5) == Leave(reason, code)


def test_4014_waits_for_the_main_gateway() -> None:
    """VOX-7: moved and kicked look alike here."""
    assert next_step(SocketClosed(4014, was_ready=True), FRESH, jitter=0.5) == AwaitVoiceState()


def test_the_other_ends() -> None:
    assert next_step(ResumeRefused(), FRESH, jitter=0.5) == Rejoin(0.0)
    assert next_step(ServerChanged(), Attempts(failures=7), jitter=0.5) == Identify()
    assert next_step(Deaf(), FRESH, jitter=0.5) == Rejoin(0.0)


def test_failures_back_off_and_end() -> None:
    """VOX-7: growing delays, at most half a minute, spread by chance; then the call is over."""
    lost = SocketClosed(4006, was_ready=False)
    delays: list[float] = []
    for failures in range(1, MOST_FAILURES):
        step = next_step(lost, Attempts(failures=failures), jitter=0.5)
        assert isinstance(step, Rejoin)
        delays.append(step.delay_s)
    assert delays == sorted(delays)
    assert max(delays) <= 30
    assert backoff_s(3, 0.0) < backoff_s(3, 1.0) <= 2 * backoff_s(3, 0.0)
    assert next_step(lost, Attempts(failures=MOST_FAILURES), jitter=0.5) == Leave(EndReason.UNREACHABLE, 4006)
