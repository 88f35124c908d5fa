"""Listening in virtual time: a person speaks, a turn reaches the session, the bot gives way."""

import pytest

from tests.virtual_time import run_virtually
from tests.voice_talk import Talk
from voice.policy.events import PlaybackDucked, SpeculationEnd


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
