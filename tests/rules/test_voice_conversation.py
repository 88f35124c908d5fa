"""Listening in virtual time: a person speaks, a turn reaches the session, the bot gives way."""

from dataclasses import dataclass

import pytest

from tests.scripted_speech import ScriptedWakeWord
from tests.virtual_time import run_virtually
from tests.voice_talk import Talk
from voice.policy.events import PlaybackDucked, PlaybackStopped, SpeculationEnd


def test_a_spoken_question_is_submitted_once_with_its_speaker_and_its_speculation() -> None:
    """VOX-10, VOX-16."""
    talk = Talk()
    end = talk.timeline.says(1, 1.0, "What is the capital of France?")
    run_virtually(talk.run())
    [(at, burst)] = talk.bursts
    [turn] = burst.turns
    assert (turn.user_id, turn.text, turn.language) == (1, "What is the capital of France?", "en")
    assert burst.answer
    assert burst.speculation_id is not None
    assert at - end == pytest.approx(0.21, abs=0.02)


def test_words_spoken_into_a_reply_pause_it_and_then_stop_it() -> None:
    """VOX-17."""
    talk = Talk(replies_after_s=0.4)
    end = talk.timeline.says(1, 1.0, "What is the capital of France?")
    talk.timeline.says(1, end + 2.0, "Wait, I meant of Spain.")
    run_virtually(talk.run())
    [ducked] = [event for event in talk.events if isinstance(event, PlaybackDucked)]
    assert ducked.at - (end + 2.0) == pytest.approx(0.18, abs=0.001)
    [receipt] = talk.receipts
    assert receipt.heard == "1.57 s"
    assert [burst.turns[0].text for _, burst in talk.bursts] == [
        "What is the capital of France?",
        "Wait, I meant of Spain.",
    ]


def test_what_goes_on_after_a_pause_makes_the_speculation_worthless() -> None:
    """VOX-16: nothing speculative is adopted when the text became another."""
    talk = Talk()
    end = talk.timeline.says(1, 1.0, "Tell me a story.")
    talk.timeline.says(1, end + 0.24, "But a short one.")
    talk.stt.lag_s = 0.02
    talk.turn_model.always = 0.1
    run_virtually(talk.run())
    [(_, burst)] = talk.bursts
    assert burst.turns[0].text == "Tell me a story. But a short one."
    ends = talk.speculation_ends
    assert ends[SpeculationEnd.SPEECH_WENT_ON] == 1
    assert ends[SpeculationEnd.KEPT] == 1


@dataclass(frozen=True, kw_only=True)
class Called:
    """How a talk with a wake word went."""

    answered: list[bool]
    stopped: bool
    asked_s: list[float]


def called_by_sound(*, fails: bool = False, lag_s: float = 0.05) -> Called:
    """Two people; the bot's name is misheard in each utterance of Ben, the second one spoken into a reply."""
    talk = Talk(people={1: "Ann", 2: "Ben"})
    talk.wake_word = ScriptedWakeWord(talk.vocabulary, "Starling", fails=fails, lag_s=lag_s)
    talk.timeline.says(2, 1.0, "Starling what is the time?")
    talk.timeline.says(1, 4.0, "He is not here today, I think.")
    talk.bot_speaks(30.0, 6.0, 1)
    talk.timeline.says(2, 31.0, "That will do for now and for all of today and for tomorrow too, Starling.")
    run_virtually(talk.run())
    return Called(
        answered=[burst.answer for _, burst in talk.bursts],
        stopped=any(isinstance(event, PlaybackStopped) for event in talk.events),
        asked_s=talk.wake_word.asked_s,
    )


def test_a_wake_word_calls_where_the_recogniser_wrote_another_name() -> None:
    """VOX-23, VOX-18: at the start and at the end; only the ends of a long utterance are looked at."""
    called = called_by_sound()
    assert called.answered == [True, False, True]
    assert called.stopped
    assert max(called.asked_s) <= 3.02


@pytest.mark.parametrize(("fails", "lag_s"), [(True, 0.05), (False, 60.0)])
def test_a_wake_word_that_fails_or_hangs_costs_no_words(fails: bool, lag_s: float) -> None:
    """VOX-23, VOX-25: then the text alone tells whether the bot is called."""
    called = called_by_sound(fails=fails, lag_s=lag_s)
    assert called.answered == [False, False, False]
    assert not called.stopped
