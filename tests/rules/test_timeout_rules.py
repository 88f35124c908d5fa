"""CORE-45: which limit of a generation comes first."""

from core.generation.timeout_rules import Deadline, GenerationTimeouts, Overdue, next_deadline

LIMITS = GenerationTimeouts()


def deadline(*, request_began: float = 0, waiting_since: float = 0, has_output: bool = False) -> Deadline:
    return next_deadline(
        LIMITS,
        generation_began=0,
        request_began=request_began,
        waiting_since=waiting_since,
        has_output=has_output,
    )


def test_the_limits_are_those_of_the_specification() -> None:
    assert (LIMITS.connect_s, LIMITS.first_token_s, LIMITS.idle_s, LIMITS.total_s) == (10, 60, 30, 600)


def test_before_any_event_the_first_token_is_waited_for() -> None:
    assert deadline(request_began=5) == Deadline(at=65, meaning=Overdue.FIRST_TOKEN)


def test_an_event_without_output_does_not_move_the_limit_of_the_first_token() -> None:
    assert deadline(request_began=5, waiting_since=40) == Deadline(at=65, meaning=Overdue.FIRST_TOKEN)


def test_after_output_each_event_gives_30_seconds_more() -> None:
    assert deadline(waiting_since=40, has_output=True) == Deadline(at=70, meaning=Overdue.IDLE)
    assert deadline(waiting_since=41, has_output=True) == Deadline(at=71, meaning=Overdue.IDLE)


def test_nothing_goes_beyond_ten_minutes() -> None:
    assert deadline(waiting_since=590, has_output=True) == Deadline(at=600, meaning=Overdue.TOTAL)
    assert deadline(request_began=599) == Deadline(at=600, meaning=Overdue.TOTAL)
