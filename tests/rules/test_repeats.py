"""Replies that go round in circles: CORE-46."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.markers.repeats import RepeatCutter, without_repeats

PIECES = st.sampled_from(
    [
        "The capital of France is Paris.",
        " ",
        "\n",
        "Yes. ",
        "and then ",
        "Paris is in France! ",
        "The capital ",
    ]
)


@given(st.lists(PIECES | st.text(max_size=6), max_size=20).map("".join), st.data())
def test_the_cut_does_not_depend_on_the_chunks(text: str, data: st.DataObject) -> None:
    """CORE-46: and what is left is the beginning of the reply."""
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)))) | {0, len(text)})
    cutter = RepeatCutter()
    shown = "".join(cutter.feed(text[start:end]) for start, end in pairwise(cuts)) + cutter.end()
    assert shown == without_repeats(text)
    assert text.startswith(shown)


@pytest.mark.parametrize(
    ("reply", "kept"),
    [
        (
            "The capital of France is Paris. I like it. The capital of France is Paris. I like it.",
            "The capital of France is Paris. I like it.",
        ),
        ("Je ne sais quoi est bien.\nje ne sais quoi, est bien!\nMore.", "Je ne sais quoi est bien.\n"),
        (
            "我今天想去公园散步然后回家吃饭休息。我今天想去公园散步然后回家吃饭休息。",
            "我今天想去公园散步然后回家吃饭休息。",
        ),
        ("I am happy to help you all. I am happy to help yo", "I am happy to help you all."),
        ("I am happy to help you all. I am ha", "I am happy to help you all. I am ha"),
    ],
)
def test_a_sentence_is_said_once(reply: str, kept: str) -> None:
    """CORE-46: repeats cut, also one that the reply's cap broke off."""
    assert without_repeats(reply).rstrip() == kept.rstrip()


def test_a_loop_of_words_ends() -> None:
    """CORE-46: without sentences too."""
    cutter = RepeatCutter()
    shown = cutter.feed("and then we went on " * 100)
    assert cutter.cut
    assert len(shown.split()) == 20
    assert len(without_repeats("no " * 500).split()) == 8


@pytest.mark.parametrize(
    "reply",
    [
        "Yes. No. Yes. No.",
        "Ha ha ha! That is a good one.",
        "The capital of France is Paris. The capital of Italy is Rome.",
        "It is late. It is later than I thought it was.",
        "1. Go home\n2. Go home\n",
    ],
)
def test_ordinary_talk_is_left_alone(reply: str) -> None:
    assert without_repeats(reply) == reply


def test_new_words_do_not_wait() -> None:
    cutter = RepeatCutter()
    assert cutter.feed("The capital of France is Paris. ") == "The capital of France is Paris."
    assert cutter.feed("The capital of ") == ""
    assert cutter.feed("I") == " The capital of I"
    assert cutter.feed("taly") == "taly"
