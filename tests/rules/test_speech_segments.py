"""Where segments end (SPEECH-1), case by case."""

import pytest

from voice.speech_text import MarkdownSegmenter

CASES = [
    (["Hello there. ", "How are you? ", "Fine!"], "sentences"),
    (
        ["Dr. Smith met e.g. the U.S. Army at 3.14 p.m. today. ", "Then he left."],
        "abbreviations and decimals",
    ),
    (["We came from the U.K. in May. ", "It rained."], "an abbreviation is no end"),
    (["It is v1.2.3 now. ", "Go to https://example.com/a.b?c=d. ", "Done."], "versions and addresses"),
    (["Wait... ", "What? ", "It came... and went. ", "Yes."], "ellipses"),
    (['"Yes." ', "He said (again.) ", "Bye."], "quotes after a full stop"),
    (["1. First. ", "Second.\n", "2. Third."], "list numbers"),
    (["J. R. Smith wrote it. ", "See p. 12 of it. ", "I agree."], "initials and pages"),
    (["你好。", "我很好！？", "“真的。”", "他说。"], "CJK stops need no space"),
    (["真的吗？”", "他问。"], "closers go with their sentence"),
    (["Great! ", "😀 Nice 😀. ", "Ok."], "emoji"),
    (["안녕하세요. ", "반갑습니다!"], "Korean"),
    (["**Bold. Text.** ", "Next *one. two.* ", "Then."], "emphasis"),
    (["See [a. b](http://x.y/z?q=1. ) now. ", "Next."], "links"),
    (["Run `a. b` now. ", "Next."], "code"),
    (["We get $x. y$ so. ", "Next."], "formula"),
    (["We get $$a\n\nb. c$$ so. ", "Next."], "display formula over lines"),
    (["So \\(a. b\\) and \\[c. d\\] hold. ", "Next."], "TeX brackets"),
    (["It costs $5. ", "Then $10 more. ", "Next."], "prices are no formulas"),
    (["Use $HOME as the home directory. ", "Go."], "a lone dollar opens nothing for long"),
    (["```py\nx = 1. \ny\n\nz\n```\n", "After."], "a code block"),
    (["a | b\n--|--\np. x | 2\n\n", "Next."], "a table"),
    (["| a. b | c |\n|--|--|\n| 1 | 2 |\n", "Next."], "a table and its end"),
    (["x | y\n", "no table."], "a line with a pipe"),
    (["- one *item\n", "- two. ", "three"], "a list item ends emphasis"),
    (["# Title\n", "text."], "lines"),
    (["||spoiler. secret|| and more. ", "Next."], "spoilers"),
    (["2 * 3 is 6. ", "4*5 is 20. ", "Next."], "stars that multiply"),
    (["a_b_c is a name. ", "Next."], "underscores inside words"),
    (["One stray * star. ", "Next."], "a stray star"),
]


def segments(text: str) -> list[str]:
    segmenter = MarkdownSegmenter()
    return [*segmenter.feed(text), *segmenter.end()]


@pytest.mark.parametrize(("expected", "name"), CASES, ids=[name for _, name in CASES])
def test_segments(expected: list[str], name: str) -> None:
    """SPEECH-1: a segment ends after a sentence or a line, only where nothing is open."""
    assert segments("".join(expected)) == expected
    one_by_one = MarkdownSegmenter()
    made = [segment for character in "".join(expected) for segment in one_by_one.feed(character)]
    assert [*made, *one_by_one.end()] == expected


def test_the_first_sentence_leaves_as_soon_as_it_is_complete() -> None:
    """SPEECH-1: it needs one character after it, never the whole answer."""
    segmenter = MarkdownSegmenter()
    assert segmenter.feed("Hello there.") == ()
    assert segmenter.feed(" ") == ()
    assert segmenter.feed("H") == ("Hello there. ",)


def test_what_is_never_closed_does_not_keep_an_answer_silent() -> None:
    """SPEECH-1: an open mark is given up at the end of its paragraph, or after a long while."""
    assert segments("A [stray bracket. One.\n\nTwo. Three.") == [
        "A [stray bracket. One.\n\n",
        "Two. ",
        "Three.",
    ]
    long = "An open **mark. " + "It goes on. " * 300
    assert len(segments(long)) > 100


def test_a_flush_ends_the_segment_anywhere() -> None:
    """SPEECH-9: what stands before a flush comes out."""
    segmenter = MarkdownSegmenter()
    assert segmenter.feed("Let me check") == ()
    assert segmenter.flush() == ("Let me check",)
    assert segmenter.feed(" now. ") == ()
    assert segmenter.end() == (" now. ",)
