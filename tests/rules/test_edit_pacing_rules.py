"""TEXT-1, TEXT-10: when a streamed reply sends its requests."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.discord_chat.edit_pacing_rules import (
    BudgetObserved,
    DeadlineReached,
    EditPacing,
    OtherRequestMade,
    Pacing,
    PacingEffect,
    Phase,
    Place,
    ProgressShown,
    RemoveProgress,
    SendUpdate,
    TextCompleted,
    TextGrew,
    UpdateRefused,
    UpdateSent,
    decide,
)


def started(pacing: Pacing | None = None) -> EditPacing:
    return EditPacing(pacing=pacing or Pacing(), started_at=0.0)


def test_the_first_text_goes_out_at_once() -> None:
    """TEXT-1."""
    _, effects = decide(started(), TextGrew(at=0.4))
    assert effects == (SendUpdate(place=Place.NEW_MESSAGE, is_complete=False),)


def test_text_that_grows_meanwhile_goes_out_together_at_growing_intervals() -> None:
    """TEXT-1: intervals in seconds of a reply that grows all the time."""
    sent = [at for at, _ in streamed_sends(grows_until=30.0)]
    gaps = [round(after - before, 2) for before, after in pairwise(sent)]
    assert sent[0] == pytest.approx(0.05)
    assert gaps[0] == pytest.approx(1.0, abs=0.06)
    assert gaps[-2] == pytest.approx(4.0, abs=0.06)
    assert len(sent) < 14


def streamed_sends(*, grows_until: float) -> list[tuple[float, SendUpdate]]:
    """A text that grows every 50 ms; requests take no time."""
    state, sent = started(), list[tuple[float, SendUpdate]]()
    ticks = int(grows_until / 0.05)
    for tick in range(1, ticks + 1):
        at = tick * 0.05
        event = TextCompleted(at=at) if tick == ticks else TextGrew(at=at)
        state, effects = decide(state, event)
        for effect in effects:
            assert isinstance(effect, SendUpdate)
            sent.append((at, effect))
            state, more = decide(state, UpdateSent(at=at))
            assert more == ()
    while (deadline := state.deadline) is not None:
        state, effects = decide(state, DeadlineReached(at=deadline))
        sent += [(deadline, effect) for effect in effects if isinstance(effect, SendUpdate)]
        state, _ = decide(state, UpdateSent(at=deadline))
    assert state.phase is Phase.DONE
    return sent


def test_the_last_update_does_not_wait_for_the_rhythm() -> None:
    state, _ = decide(started(), TextGrew(at=0.0))
    state, _ = decide(state, UpdateSent(at=0.1))
    state, effects = decide(state, TextCompleted(at=0.2))
    assert effects == (SendUpdate(place=Place.REPLY, is_complete=True),)
    state, _ = decide(state, UpdateSent(at=0.3))
    assert state.phase is Phase.DONE
    assert state.deadline is None


def test_text_completed_while_a_request_is_under_way_is_sent_after_it() -> None:
    """TEXT-1: the last edit is always complete."""
    state, _ = decide(started(), TextGrew(at=0.0))
    state, effects = decide(state, TextCompleted(at=0.05))
    assert effects == ()
    state, effects = decide(state, UpdateSent(at=0.1))
    assert effects == (SendUpdate(place=Place.REPLY, is_complete=True),)


def test_a_reply_of_several_messages_is_done_when_all_are_sent() -> None:
    state, _ = decide(started(), TextCompleted(at=0.0))
    for at in (0.1, 0.2):
        state, effects = decide(state, UpdateSent(at=at, has_more=True))
        assert effects == (SendUpdate(place=Place.REPLY, is_complete=True),)
    state, effects = decide(state, UpdateSent(at=0.3))
    assert effects == ()
    assert state.phase is Phase.DONE


def test_a_whole_answer_of_many_messages_keeps_within_the_bucket() -> None:
    """TEXT-1: the last update may use the reserve, never more than the budget."""
    state, effects = decide(started(), TextCompleted(at=0.0))
    at, made = 0.0, [0.0]
    for _ in range(12):
        state, effects = decide(state, UpdateSent(at=at, has_more=True))
        if not effects:
            assert state.deadline is not None
            at = state.deadline
            state, effects = decide(state, DeadlineReached(at=at))
        made += [at] * len(effects)
    assert len(made) == 13
    assert all(len([when for when in made if start <= when < start + 5.0]) <= 5 for start in made)
    assert made[4] == 0.0


def test_text_that_grows_leaves_a_reserve_for_the_end() -> None:
    """TEXT-1: so the last update goes out at once, however long the text grew before it."""
    state, made = started(), 0
    for tick in range(50):
        at = tick / 10
        state, effects = decide(state, TextGrew(at=at))
        made += len(effects)
        if state.is_sending:
            state, effects = decide(state, UpdateSent(at=at))
            made += len(effects)
    assert made == 3
    state, effects = decide(state, TextCompleted(at=5.0))
    assert effects == (SendUpdate(place=Place.REPLY, is_complete=True),)


def test_a_refused_update_is_tried_again_after_the_time_that_discord_names() -> None:
    """TEXT-1, TEXT-8: nothing is lost by a 429."""
    state, _ = decide(started(), TextCompleted(at=0.0))
    state, effects = decide(state, UpdateRefused(at=0.1, retry_after_s=2.5))
    assert effects == ()
    assert state.deadline == pytest.approx(2.6)
    _, effects = decide(state, DeadlineReached(at=2.6))
    assert effects == (SendUpdate(place=Place.NEW_MESSAGE, is_complete=True),)


def test_an_exhausted_bucket_blocks_and_a_low_one_is_left_to_the_last_update() -> None:
    state, _ = decide(started(), TextGrew(at=0.0))
    state, _ = decide(state, UpdateSent(at=0.1))
    state, _ = decide(state, BudgetObserved(at=0.1, remaining=1, reset_after_s=4.0))
    growing, _ = decide(state, TextGrew(at=0.2))
    assert growing.deadline == pytest.approx(4.1)
    _, effects = decide(state, TextCompleted(at=0.2))
    assert effects == (SendUpdate(place=Place.REPLY, is_complete=True),)
    state, _ = decide(state, BudgetObserved(at=0.15, remaining=0, reset_after_s=4.0))
    state, effects = decide(state, TextCompleted(at=0.2))
    assert effects == ()
    assert state.deadline == pytest.approx(4.15)


def test_only_the_finished_text_is_sent_by_setting() -> None:
    """TEXT-1: setting to send only finished messages."""
    state, effects = decide(started(Pacing(streams=False)), TextGrew(at=0.1))
    assert effects == ()
    assert state.deadline is None
    _, effects = decide(state, TextCompleted(at=5.0))
    assert effects == (SendUpdate(place=Place.NEW_MESSAGE, is_complete=True),)


def test_an_answer_soon_after_the_question_takes_the_place_of_the_progress_message() -> None:
    """TEXT-10."""
    state, _ = decide(started(), ProgressShown(at=2.0))
    state, effects = decide(state, TextGrew(at=9.9))
    assert effects == (SendUpdate(place=Place.PROGRESS_MESSAGE, is_complete=False),)
    _, effects = decide(state, UpdateSent(at=10.5))
    assert effects == ()


def test_a_late_answer_is_a_new_message_and_the_progress_message_goes() -> None:
    """TEXT-10: an edit would notify nobody; the progress stays until the answer stands."""
    state, _ = decide(started(), ProgressShown(at=2.0))
    state, effects = decide(state, TextGrew(at=10.1))
    assert effects == (SendUpdate(place=Place.NEW_MESSAGE, is_complete=False),)
    state, effects = decide(state, UpdateSent(at=10.3))
    assert effects == (RemoveProgress(),)
    _, effects = decide(state, TextCompleted(at=30.0))
    assert effects == (SendUpdate(place=Place.REPLY, is_complete=True),)


@pytest.mark.parametrize(
    "events",
    [
        (UpdateSent(at=0.0),),
        (UpdateRefused(at=0.0, retry_after_s=1.0),),
        (TextCompleted(at=0.0), TextGrew(at=0.1)),
        (TextCompleted(at=0.0), TextCompleted(at=0.1)),
        (TextGrew(at=0.0), UpdateSent(at=0.1), ProgressShown(at=0.2)),
    ],
)
def test_what_cannot_happen_raises(events: tuple[TextGrew, ...]) -> None:
    state = started()
    for event in events[:-1]:
        state, _ = decide(state, event)
    with pytest.raises(ValueError, match=r"."):
        decide(state, events[-1])


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["grow", "other", "observe", "answer", "more", "refuse", "wake"]), st.floats(0.0, 3.0)
    ),
    max_size=60,
)


@given(STEPS, st.booleans())
@settings(max_examples=400, deadline=None)
def test_the_bucket_is_never_exceeded_and_the_complete_text_always_arrives(
    steps: list[tuple[str, float]], streams: bool
) -> None:
    """TEXT-1: whatever order things happen in, with others using the channel."""
    state, at = started(Pacing(streams=streams)), 0.0
    made: list[float] = []
    others: list[float] = []
    last: SendUpdate | None = None

    def take(event_effects: tuple[PacingEffect, ...]) -> None:
        nonlocal last
        for effect in event_effects:
            if isinstance(effect, SendUpdate):
                window = [when for when in (*made, *others) if when > at - 5.0]
                assert len(window) < 5
                made.append(at)
                last = effect

    for kind, wait in steps:
        at += wait
        match kind:
            case "grow":
                state, effects = decide(state, TextGrew(at=at))
            case "other":
                others.append(at)
                state, effects = decide(state, OtherRequestMade(at=at))
            case "observe":
                state, effects = decide(state, BudgetObserved(at=at, remaining=int(wait), reset_after_s=wait))
            case "answer" | "more" if state.is_sending:
                state, effects = decide(state, UpdateSent(at=at, has_more=kind == "more"))
            case "refuse" if state.is_sending:
                state, effects = decide(state, UpdateRefused(at=at, retry_after_s=wait))
            case _:
                state, effects = decide(state, DeadlineReached(at=at))
        take(effects)
    state, effects = decide(state, TextCompleted(at=at))
    take(effects)
    for _ in range(10):
        if state.is_sending:
            state, effects = decide(state, UpdateSent(at=at))
            take(effects)
        elif state.deadline is not None:
            at = max(at, state.deadline)
            state, effects = decide(state, DeadlineReached(at=at))
            take(effects)
    assert state.phase is Phase.DONE
    assert last is not None
    assert last.is_complete
