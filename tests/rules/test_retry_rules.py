"""CORE-14: when a refused model request is tried again."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.generation.failure_advice import for_status
from core.generation.retry_rules import GiveUp, TryAgain, after_status, seconds_asked

NOW = datetime(2026, 11, 30, 18, 47, tzinfo=UTC)


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504, 529, 599])
def test_a_status_that_may_pass_is_tried_three_times_after_3_6_and_12_seconds(status: int) -> None:
    decisions = [after_status(status, attempts=n, retry_after=None, now=NOW) for n in (1, 2, 3, 4)]
    assert decisions == [TryAgain(wait_s=3.0), TryAgain(wait_s=6.0), TryAgain(wait_s=12.0), GiveUp()]


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 409, 413, 422, 425, 301, 600])
def test_another_status_fails_at_once_whatever_it_asks_for(status: int) -> None:
    assert after_status(status, attempts=1, retry_after="1", now=NOW) == GiveUp()


@pytest.mark.parametrize(
    ("retry_after", "decision"),
    [
        ("0", TryAgain(wait_s=0.0)),
        ("7", TryAgain(wait_s=7.0)),
        (" 1.5 ", TryAgain(wait_s=1.5)),
        ("30", TryAgain(wait_s=30.0)),
        ("30.1", GiveUp(asked_wait_s=30.1)),
        ("31", GiveUp(asked_wait_s=31.0)),
        ("99999999999999999999", GiveUp(asked_wait_s=1e20)),
        (format_datetime(NOW + timedelta(seconds=9), usegmt=True), TryAgain(wait_s=9.0)),
        (format_datetime(NOW - timedelta(seconds=9), usegmt=True), TryAgain(wait_s=0.0)),
        (format_datetime(NOW + timedelta(seconds=90), usegmt=True), GiveUp(asked_wait_s=90.0)),
        ("Mon, 30 Nov 2026 18:47:04", TryAgain(wait_s=4.0)),
        ("", TryAgain(wait_s=3.0)),
        ("soon", TryAgain(wait_s=3.0)),
        ("-5", TryAgain(wait_s=3.0)),
        ("inf", TryAgain(wait_s=3.0)),
        ("nan", TryAgain(wait_s=3.0)),
        ("1e3", TryAgain(wait_s=3.0)),
        ("Mon, 99 Foo 2026 99:99:99 GMT", TryAgain(wait_s=3.0)),
    ],
)
def test_retry_after_is_waited_for_when_it_is_readable_and_short(
    retry_after: str, decision: TryAgain | GiveUp
) -> None:
    assert after_status(429, attempts=1, retry_after=retry_after, now=NOW) == decision


@pytest.mark.parametrize(
    ("asked_wait_s", "told"),
    [
        (31.0, "in a minute."),
        (90.0, "in 2 minutes."),
        (7_200.0, "in 2 hours."),
        (1e20, "in a few days."),
        (float("inf"), "in a few days."),
    ],
)
def test_a_long_wait_is_told_in_words(asked_wait_s: float, told: str) -> None:
    """CORE-30: whatever number a provider sends."""
    assert for_status(429, asked_wait_s=asked_wait_s).endswith(told)


@given(
    st.text() | st.datetimes().map(str) | st.from_regex(r"[A-Z][a-z]{2}, \d+ [A-Z][a-z]{2} -?\d+ [\d:]+.*")
)
def test_any_header_gives_a_wait_that_is_not_negative_or_none(header: str) -> None:
    seconds = seconds_asked(header, now=NOW)
    assert seconds is None or seconds >= 0
