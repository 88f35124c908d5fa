"""The segmenter of speech text (SPEECH-1): where a segment ends, and that chunks do not matter."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from voice.speech_text import MarkdownSegmenter

MARKS = st.sampled_from(
    [
        *"*_`$|[]()\\~<>#-+.!?…。！？」”\"'\n\n\n  aAb1é你い가😀",
        "**",
        "```\n",
        "$$",
        "\\(",
        "\\)",
        "\\[",
        "\\]",
        "||",
        "](",
        "| a ",
        "|--|\n",
        "e.g.",
        "Dr. ",
    ]
)
TEXTS = st.lists(MARKS, max_size=60).map("".join) | st.text(max_size=80)


def segments(*chunks: str) -> list[str]:
    segmenter = MarkdownSegmenter()
    made = [segment for chunk in chunks for segment in segmenter.feed(chunk)]
    return [*made, *segmenter.end()]


@given(TEXTS)
def test_the_segments_joined_are_the_input(text: str) -> None:
    """SPEECH-1: nothing is lost, and no segment is empty."""
    made = segments(text)
    assert "".join(made) == text
    assert all(made)


@given(TEXTS, st.lists(st.integers(0, 80), max_size=6))
def test_chunks_do_not_change_the_segments(text: str, cuts: list[int]) -> None:
    """SPEECH-1: splitting the input at any character gives the same segments."""
    places = sorted({0, len(text), *(min(cut, len(text)) for cut in cuts)})
    chunks = [text[start:end] for start, end in pairwise(places)]
    assert segments(*chunks) == segments(text) == segments(*text)
