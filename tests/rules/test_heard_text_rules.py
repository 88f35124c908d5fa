"""From a playback position to the Markdown that was heard."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice.output.heard_text_rules import PlayedSegment, asks_now, heard_text, source_up_to
from voice.output.speech_length_rules import expected_s, in_parts
from voice.output.text_to_speech import SpokenWord
from voice.speech_text import SpeechTextStream, Spoken


def segment(
    text: str, *, source: str | None = None, lasts_s: float, words: tuple[float, ...] = ()
) -> PlayedSegment:
    """`words`: when each word begins."""
    ends, place = [], 0
    for word in text.split():
        place = text.index(word, place) + len(word)
        ends.append(place)
    times = tuple(SpokenWord(start_s=at, end_offset=end) for at, end in zip(words, ends, strict=False))
    return PlayedSegment(
        text=text, source=text if source is None else source, duration_s=lasts_s, words=times
    )


HELLO = segment("Hello there. ", lasts_s=1.0)


def test_whole_segments_count_whole_and_the_present_one_by_its_share() -> None:
    """VOX-17: what was heard, by playback position, cut at a word."""
    both = [HELLO, segment("One two three four.", lasts_s=2.0)]
    assert heard_text(both, played_s=0.0) == ""
    assert heard_text(both, played_s=0.98) == "Hello there."
    assert heard_text(both, played_s=1.9) == "Hello there. One two"
    assert heard_text(both, played_s=2.99) == "Hello there. One two three four."
    assert heard_text([], played_s=5.0) == ""


def test_word_times_are_exact() -> None:
    """VOX-17: a word counts when the next one begins; slow words are not guessed from the text."""
    slow = segment("I extraordinarily agree.", lasts_s=3.0, words=(0.0, 2.0, 2.5))
    assert heard_text([slow], played_s=1.9) == ""
    assert heard_text([slow], played_s=2.1) == "I"
    assert heard_text([slow], played_s=2.6) == "I extraordinarily"


def test_the_history_keeps_markdown_as_it_was_written() -> None:
    """VOX-17: words that are read otherwise than written leave the place to those around them."""
    priced = segment(
        "It costs five dollars at the shop today.",
        source="It **costs** $5 at [the shop](https://a.example/b) today.",
        lasts_s=4.0,
    )
    assert heard_text([priced], played_s=1.4) == "It **costs"
    assert heard_text([priced], played_s=3.3) == "It **costs** $5 at [the shop"
    table = segment("a: one, b: two.", source="| a | b |\n|---|---|\n| 1 | 2 |\n", lasts_s=2.0)
    assert heard_text([table], played_s=2.0) == "| a | b |\n|---|---|\n| 1 | 2 |"


def test_scripts_without_blanks_are_cut_between_characters() -> None:
    chinese = segment("今天天气很好。", lasts_s=1.4)
    assert heard_text([chinese], played_s=0.9) == "今天天气"
    korean = segment("오늘은 날씨가 좋아요.", lasts_s=1.2)
    assert heard_text([korean], played_s=0.9) == "오늘은 날씨가"


def test_a_pause_takes_its_time_and_has_no_words() -> None:
    """SPEECH-9: `<|DELAY 1|>` between two segments."""
    pause = PlayedSegment(text="", source="", duration_s=1.0)
    assert heard_text([HELLO, pause, HELLO], played_s=1.9) == "Hello there."
    assert heard_text([HELLO, pause, HELLO], played_s=2.7) == "Hello there. Hello"


WORDS = st.lists(
    st.sampled_from(["a", "be", "sea", "dough", "ether", "今", "天", "5", "*x*", "$9"]), max_size=12
)
SEGMENTS = st.lists(
    st.builds(
        lambda said, written, lasts: PlayedSegment(
            text=" ".join(said), source=" ".join(written) + " ", duration_s=lasts
        ),
        WORDS,
        WORDS,
        st.floats(0.05, 5.0),
    ),
    max_size=5,
)


@given(SEGMENTS, st.floats(0, 30), st.floats(0, 5))
def test_what_was_heard_only_grows_and_ends_whole(
    segments: list[PlayedSegment], played_s: float, more_s: float
) -> None:
    """VOX-17: a prefix of what was written, longer with time, all of it at the end."""
    whole = "".join(one.source for one in segments)
    earlier, later = heard_text(segments, played_s=played_s), heard_text(segments, played_s=played_s + more_s)
    assert whole.strip().startswith(earlier)
    assert later.startswith(earlier)
    assert heard_text(segments, played_s=sum(one.duration_s for one in segments)) == whole.strip()


@given(WORDS, WORDS, st.integers(0, 80))
def test_a_place_in_speech_is_a_place_in_the_source(said: list[str], written: list[str], offset: int) -> None:
    text, source = " ".join(said), " ".join(written)
    assert 0 <= source_up_to(text, source, offset) <= len(source)
    assert source_up_to(text, source, len(text)) == len(source)


@given(st.text(alphabet="abc ,.!今日、。", max_size=300), st.integers(9, 60), st.none() | st.integers(1, 60))
def test_parts_of_a_long_segment_are_the_whole(text: str, longest: int, first: int | None) -> None:
    """VOX-22: nothing is lost, doubled or longer than the bound."""
    parts = in_parts(Spoken(text=text, source=text), longest=longest, first=first)
    assert "".join(part.text for part in parts) == text
    assert "".join(part.source for part in parts) == text
    assert all(len(part.text) <= longest for part in parts)


def test_a_long_sentence_is_cut_after_a_clause() -> None:
    long = Spoken(text="First this comes, and then that comes; last comes this one.", source="*")
    assert [part.text for part in in_parts(long, longest=25)] == [
        "First this comes, ",
        "and then that comes; ",
        "last comes this one.",
    ]


def test_the_first_part_is_short_as_it_is_waited_for() -> None:
    """VOX-22: first sound as soon as possible, but not at the price of a tail of a few words."""
    long = "One clause of it, and one more clause of it, and the very last clause of all of it."
    spoken = Spoken(text=long, source=long)
    assert [part.text for part in in_parts(spoken, longest=200, first=30)] == [
        "One clause of it, ",
        "and one more clause of it, and the very last clause of all of it.",
    ]
    assert in_parts(spoken, longest=200, first=60) == (spoken,)
    chinese = Spoken(text="今天，" * 30, source="今天，" * 30)
    assert [len(part.text) for part in in_parts(chinese, longest=200)] == [84, 6]


def test_wide_characters_take_longer() -> None:
    """VOX-28: about 15 letters or 5 Han characters a second."""
    assert expected_s("a" * 15) == expected_s("天" * 5) == 1.0


def test_the_pieces_of_the_stream_carry_what_history_needs() -> None:
    stream = SpeechTextStream(language="en")
    pieces = [*stream.feed("It is **so**. "), *stream.feed("Yes."), *stream.end()]
    spoken = [piece for piece in pieces if isinstance(piece, Spoken)]
    played = [PlayedSegment(text=one.text, source=one.source, duration_s=1.0) for one in spoken]
    assert heard_text(played, played_s=1.0) == "It is **so**."


@pytest.mark.parametrize(
    "text", ["Shall I?", "Shall I? ", "删掉吗？", "消しますか。", 'Did she say "now?"', "أحذفه؟"]
)
def test_a_question_is_asked_while_its_own_words_are_heard(text: str) -> None:
    """VOX-17: "yes" into them answers, and before them nods."""
    segments = [HELLO, segment(text, lasts_s=1.0)]
    assert not asks_now(segments, played_s=0.96)
    assert asks_now(segments, played_s=1.0)


def test_what_asks_nothing_at_its_end_is_no_question() -> None:
    assert not asks_now([], played_s=1.0)
    assert not asks_now([segment("Shall I? ", lasts_s=1.0), HELLO], played_s=1.5)
