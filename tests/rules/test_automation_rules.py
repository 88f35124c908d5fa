"""Automations start what they should, once (AUTO-1)."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recipes.automation import (
    Automation,
    ByRole,
    ChannelIdle,
    Condition,
    DailyAt,
    Every,
    InChannel,
    JoinedVoice,
    LastRunOlderThan,
    MessageMatches,
    MinimumMembers,
    OutsideQuietHours,
    ReactionAdded,
    ScheduledEventStarted,
    Trigger,
    VoiceEmptied,
)
from recipes.automation_rules import (
    AutomationRun,
    AutomationState,
    CalendarEventStarted,
    Happening,
    MessageWritten,
    Reacted,
    VoiceJoined,
    VoiceLeftEmpty,
    What,
    check_automations,
    run_ended,
)
from tests.recipe_values import NOON

MINUTE = timedelta(minutes=1)


def state(**automations: Automation) -> AutomationState:
    return AutomationState(automations=automations, began=dict.fromkeys(automations, NOON), members=3)


def when(
    *triggers: Trigger, conditions: Sequence[Condition] = (), cooldown: timedelta | None = None
) -> Automation:
    return Automation(triggers=triggers, conditions=tuple(conditions), cooldown=cooldown)


def happened(
    number: int, what: What, *, at: datetime = NOON, channel: str = "c1", roles: frozenset[str] = frozenset()
) -> Happening:
    return Happening(number=number, at=at, what=what, channel_id=channel, role_ids=roles)


def said(number: int, text: str = "tea time", *, at: datetime = NOON, channel: str = "c1") -> Happening:
    return happened(number, MessageWritten(text=text), at=at, channel=channel)


def ran(runs: Sequence[AutomationRun]) -> list[tuple[str, int]]:
    return [(run.recipe_id, run.trigger) for run in runs]


TEA = when(MessageMatches(keyword="tea"))


def test_an_event_counts_once() -> None:
    """AUTO-1: handed in again, by itself or with newer ones, it starts nothing."""
    now = state(tea=TEA)
    now, runs = check_automations(now, [said(1)], NOON)
    assert ran(runs) == [("tea", 0)]
    assert runs[0].cause == said(1)
    now = run_ended(now, "tea")
    now, runs = check_automations(now, [said(1)], NOON)
    assert runs == ()
    now, runs = check_automations(now, [said(1), said(2, "no match")], NOON)
    assert runs == ()
    _, runs = check_automations(now, [said(1), said(2), said(3)], NOON)
    assert runs[0].cause == said(3)


def test_while_it_runs_an_event_is_spent_without_a_run() -> None:
    """AUTO-1."""
    now, _ = check_automations(state(tea=TEA), [said(1)], NOON)
    now, runs = check_automations(now, [said(2)], NOON)
    assert runs == ()
    now = run_ended(now, "tea")
    _, runs = check_automations(now, [said(2)], NOON)
    assert runs == ()


def test_in_its_cooldown_an_event_is_spent_without_a_run() -> None:
    """AUTO-1: the cooldown counts from the beginning of the run."""
    now, runs = check_automations(
        state(tea=when(MessageMatches(keyword="tea"), cooldown=10 * MINUTE)), [said(1)], NOON
    )
    assert len(runs) == 1
    now = run_ended(now, "tea")
    now, runs = check_automations(now, [said(2)], NOON + 9 * MINUTE)
    assert runs == ()
    now, runs = check_automations(now, [said(2)], NOON + 11 * MINUTE)
    assert runs == ()
    _, runs = check_automations(now, [said(3)], NOON + 11 * MINUTE)
    assert len(runs) == 1


def test_one_trigger_never_spends_what_another_waits_for() -> None:
    """AUTO-1: neither of the same recipe nor of another; a time and an event stay apart."""
    both = when(Every(interval=10 * MINUTE), MessageMatches(keyword="tea"))
    now, runs = check_automations(state(both=both, tea=TEA), [said(1)], NOON + 5 * MINUTE)
    assert ran(runs) == [("both", 1), ("tea", 0)]
    now = run_ended(run_ended(now, "both"), "tea")
    now, runs = check_automations(now, [], NOON + 10 * MINUTE)
    assert ran(runs) == [("both", 0)]
    now = run_ended(now, "both")
    now, runs = check_automations(now, [said(2)], NOON + 11 * MINUTE)
    assert ran(runs) == [("both", 1), ("tea", 0)]
    now = run_ended(now, "both")
    _, runs = check_automations(now, [], NOON + 20 * MINUTE)
    assert ran(runs) == [("both", 0)]


def test_times_that_were_missed_are_one_run_and_the_rhythm_stays() -> None:
    """AUTO-1."""
    now, runs = check_automations(state(hourly=when(Every(interval=60 * MINUTE))), [], NOON + 59 * MINUTE)
    assert runs == ()
    now, runs = check_automations(now, [], NOON + 200 * MINUTE)
    assert ran(runs) == [("hourly", 0)]
    now = run_ended(now, "hourly")
    now, runs = check_automations(now, [], NOON + 239 * MINUTE)
    assert runs == ()
    _, runs = check_automations(now, [], NOON + 240 * MINUTE)
    assert ran(runs) == [("hourly", 0)]


@pytest.mark.parametrize("change", [datetime(2027, 3, 28, tzinfo=UTC), datetime(2027, 10, 31, tzinfo=UTC)])
def test_an_interval_and_a_cooldown_pass_whatever_the_clocks_on_the_wall_show(change: datetime) -> None:
    """AUTO-1, AUTO-2: moments are handed in as they are in the zone of the server."""
    zone = ZoneInfo("Europe/Berlin")
    began = change.replace(hour=1, minute=30, tzinfo=zone)
    passed = [
        (began.astimezone(UTC) + 60 * minutes * MINUTE).astimezone(zone) for minutes in (0.9, 1, 1.9, 2)
    ]
    automations = {
        "hourly": when(Every(interval=60 * MINUTE)),
        "tea": when(MessageMatches(keyword="tea"), cooldown=60 * MINUTE),
    }
    now = AutomationState(automations=automations, began=dict.fromkeys(automations, began))
    now, _ = check_automations(now, [said(1)], began)
    now = run_ended(now, "tea")
    for number, (moment, expected) in enumerate(
        zip(passed, ([], ["hourly", "tea"], [], ["hourly", "tea"]), strict=True), start=2
    ):
        now, runs = check_automations(now, [said(number)], moment)
        assert [run.recipe_id for run in runs] == expected
        now = run_ended(run_ended(now, "hourly"), "tea")


def test_a_daily_time_fires_once_a_day() -> None:
    """AUTO-1, AUTO-2: one that was before the automation began does not count."""
    now, runs = check_automations(state(morning=when(DailyAt(at=time(8)))), [], NOON + 60 * MINUTE)
    assert runs == ()
    eight = NOON.replace(hour=8) + timedelta(days=1)
    now, runs = check_automations(now, [], eight - MINUTE)
    assert runs == ()
    now, runs = check_automations(now, [], eight)
    assert len(runs) == 1
    now = run_ended(now, "morning")
    now, runs = check_automations(now, [], eight + 600 * MINUTE)
    assert runs == ()
    _, runs = check_automations(now, [], eight + timedelta(days=1))
    assert len(runs) == 1


def test_a_silence_fires_once_until_somebody_writes_again() -> None:
    """AUTO-1, AUTO-2."""
    now, runs = check_automations(state(quiet=when(ChannelIdle(after=30 * MINUTE))), [said(1)], NOON)
    assert runs == ()
    now, runs = check_automations(now, [], NOON + 29 * MINUTE)
    assert runs == ()
    now, runs = check_automations(now, [], NOON + 30 * MINUTE)
    assert len(runs) == 1
    now = run_ended(now, "quiet")
    now, runs = check_automations(now, [], NOON + 300 * MINUTE)
    assert runs == ()
    later = NOON + 301 * MINUTE
    now, runs = check_automations(now, [said(2, at=later)], later)
    assert runs == ()
    _, runs = check_automations(now, [], later + 30 * MINUTE)
    assert len(runs) == 1


@pytest.mark.parametrize(
    ("trigger", "what", "fires"),
    [
        (JoinedVoice(), VoiceJoined(), True),
        (JoinedVoice(channel_id="c1"), VoiceJoined(), True),
        (JoinedVoice(channel_id="c2"), VoiceJoined(), False),
        (JoinedVoice(), VoiceLeftEmpty(), False),
        (VoiceEmptied(channel_id="c1"), VoiceLeftEmpty(), True),
        (ReactionAdded(emoji="🎲"), Reacted(emoji="🎲"), True),
        (ReactionAdded(emoji="🎲"), Reacted(emoji="🎯"), False),
        (ScheduledEventStarted(), CalendarEventStarted(), True),
        (MessageMatches(keyword="tea"), MessageWritten(text="teapot"), False),
    ],
)
def test_each_kind_of_event_fires_its_own_trigger(trigger: Trigger, what: What, fires: bool) -> None:
    """AUTO-2."""
    _, runs = check_automations(state(x=when(trigger)), [happened(1, what)], NOON)
    assert bool(runs) is fires


@pytest.mark.parametrize(
    ("condition", "at", "holds"),
    [
        (OutsideQuietHours(begin=time(22), end=time(7)), NOON, True),
        (OutsideQuietHours(begin=time(22), end=time(7)), NOON.replace(hour=23), False),
        (OutsideQuietHours(begin=time(22), end=time(7)), NOON.replace(hour=6), False),
        (OutsideQuietHours(begin=time(11), end=time(13)), NOON, False),
        (InChannel(channel_id="c1"), NOON, True),
        (InChannel(channel_id="c2"), NOON, False),
        (ByRole(role_id="r1"), NOON, True),
        (ByRole(role_id="r2"), NOON, False),
        (MinimumMembers(count=3), NOON, True),
        (MinimumMembers(count=4), NOON, False),
        (LastRunOlderThan(age=MINUTE), NOON, True),
    ],
)
def test_each_condition_must_hold_and_the_event_is_spent_either_way(
    condition: Condition, at: datetime, holds: bool
) -> None:
    """AUTO-1, AUTO-2."""
    event = happened(1, MessageWritten(text="tea"), at=at, roles=frozenset({"r1"}))
    now, runs = check_automations(
        state(tea=when(MessageMatches(keyword="tea"), conditions=[condition])), [event], at
    )
    assert bool(runs) is holds
    free = replace(run_ended(now, "tea"), automations={"tea": TEA})
    assert check_automations(free, [event], at)[1] == ()


def test_a_run_of_the_last_minutes_holds_the_next_one_back() -> None:
    """AUTO-2."""
    often = when(MessageMatches(keyword="tea"), conditions=[LastRunOlderThan(age=10 * MINUTE)])
    now, _ = check_automations(state(tea=often), [said(1)], NOON)
    now, runs = check_automations(run_ended(now, "tea"), [said(2)], NOON + 9 * MINUTE)
    assert runs == ()
    _, runs = check_automations(now, [said(3)], NOON + 10 * MINUTE)
    assert len(runs) == 1


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans()), max_size=30))
def test_every_event_is_dealt_with_exactly_once_in_any_grouping(steps: list[tuple[int, bool]]) -> None:
    """AUTO-1: however the events are handed in, and again, no event starts two runs."""
    now, number, causes = state(tea=TEA, also=TEA), 0, []
    for count, again in steps:
        new = [said(number + one + 1) for one in range(count)]
        number += count
        handed = [said(one + 1) for one in range(number)] if again else new
        now, runs = check_automations(now, handed, NOON)
        causes += [(run.recipe_id, run.cause.number) for run in runs if run.cause is not None]
        now = run_ended(run_ended(now, "tea"), "also")
    assert len(causes) == len(set(causes))
    batches = sum(1 for count, _ in steps if count)
    assert len(causes) == 2 * batches
