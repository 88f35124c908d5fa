"""When Whisper's words are believed."""

import pytest

from voice.providers.whisper_rules import (
    Decoded,
    most_tokens,
    repeats_itself,
    said_once,
    share_a_run,
    suspicion,
)

SAID = Decoded(text="What a day!", seconds=1.5, log_probability=-0.3, no_speech=0.02, language="en")


def decoded(
    text: str, *, seconds: float = 2.0, log_probability: float = -0.3, no_speech: float = 0.02
) -> Decoded:
    return Decoded(
        text=text, seconds=seconds, log_probability=log_probability, no_speech=no_speech, language="en"
    )


@pytest.mark.parametrize(
    ("heard", "reason"),
    [
        (SAID, None),
        (decoded(""), None),
        (decoded("Yes.", seconds=0.3, log_probability=-0.64), None),
        (decoded("Thank you.", no_speech=0.3), None),
        (decoded("I'm going to put the light on.", log_probability=-1.33), "improbable words"),
        (decoded("you", log_probability=-0.66, no_speech=0.92), "no speech"),
        (decoded("Thank you.", log_probability=-0.4, no_speech=0.8), "no speech"),
        (decoded("no " * 40, seconds=30), "repeats itself"),
        (decoded("one two three four five six seven eight nine ten", seconds=0.5), "repeats itself"),
        (decoded("明日の天気はどうですか", seconds=1.5), None),
    ],
)
def test_what_nobody_said_is_found_by_its_probabilities_and_its_length(
    heard: Decoded, reason: str | None
) -> None:
    """VOX-19: thresholds as measured; real utterances pass."""
    assert suspicion(heard) == reason


@pytest.mark.parametrize(
    ("heard", "is_loop"),
    [
        (SAID, False),
        (decoded("I think that we should go to the... I think that we should go to the..."), True),
        (decoded("Knock, knock, knock! Who is there?"), False),
        (decoded("We met on Monday and we met on Friday", seconds=3), True),  # a second look decides
        (decoded("I said that it is good, and I said that it is bad", seconds=12), False),
        (decoded("ご視聴ありがとうございましたご視聴ありがとうございました"), True),
    ],
)
def test_a_loop_is_three_words_twice(heard: Decoded, is_loop: bool) -> None:
    """VOX-19: repeated n-grams; in a long speech people repeat themselves."""
    assert repeats_itself(heard) is is_loop


@pytest.mark.parametrize(
    ("text", "seconds", "once"),
    [
        ("We did not leave. We did not leave. We did not", 1.2, "We did not leave."),
        ("I am here, I am here, I am here, I am here,", 1.0, "I am here,"),
        ("We did not leave. We did not leave.", 3.0, None),  # it may have been said so
        ("one two three four five six seven eight nine ten", 0.5, None),
    ],
)
def test_copies_that_no_sound_can_hold_are_cut_off(text: str, seconds: float, once: str | None) -> None:
    """VOX-19: a second look would take seconds."""
    found = said_once(decoded(text, seconds=seconds))
    assert (found.text if found else None) == once


def test_an_answer_is_no_longer_than_its_sound_can_be() -> None:
    """VOX-19: a loop costs seconds; it is ended early."""
    assert most_tokens(1.0) < 40
    assert most_tokens(28.0) <= 220


def test_utterances_of_about_one_length_share_a_run() -> None:
    """VOX-21: four at most, and no short one waits for a window that is half as long again."""
    assert share_a_run([1.0, 1.2, 2.4])
    assert not share_a_run([1.0, 4.0])
    assert share_a_run([6.0, 9.0])
    assert not share_a_run([1.0] * 5)
