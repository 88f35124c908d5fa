"""A streamed answer as pieces to say (SPEECH-9)."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from core.markers.parser import Delay, Emote
from voice.speech_text import Flushed, Placed, SpeechPiece, SpeechTextStream, Spoken

PAUSE = Delay(seconds=1.0)


def heard(*parts: str | Delay | Emote | None, language: str = "en") -> list[str]:
    """Words as they are, markers as `<...>`, a flush (`None` among the parts) as `|`."""
    stream = SpeechTextStream(language=language)
    pieces: list[SpeechPiece] = []
    for part in parts:
        if part is None:
            pieces += stream.flush()
        elif isinstance(part, str):
            pieces += stream.feed(part)
        else:
            pieces += stream.place(part)
    return [_shown(piece) for piece in (*pieces, *stream.end())]


def _shown(piece: SpeechPiece) -> str:
    match piece:
        case Spoken(text=text):
            return text
        case Placed(marker=Delay()):
            return "<pause>"
        case Placed():
            return "<marker>"
        case Flushed():
            return "|"


def test_sentences_come_out_as_they_are_complete() -> None:
    """SPEECH-1, SPEECH-9: the first sentence does not wait for the second."""
    stream = SpeechTextStream(language="en")
    assert stream.feed("It is 5 km. An") == (Spoken(text="It is five kilometers.", source="It is 5 km. "),)


def test_a_marker_keeps_its_place_between_and_inside_sentences() -> None:
    """SPEECH-9: what stands before a marker is said before it."""
    assert heard("One. ", PAUSE, "Two.") == ["One.", "<pause>", "Two."]
    assert heard("One ", PAUSE, "two.") == ["One", "<pause>", "two."]
    assert heard(Emote(name="happy"), "Hi.") == ["<marker>", "Hi."]


def test_a_flush_keeps_its_place() -> None:
    """SPEECH-9: a flush completes what stands before it."""
    assert heard("Let me check", None, " the list.") == ["Let me check", "|", "the list."]


def test_a_marker_inside_a_formula_waits_for_its_end() -> None:
    """SPEECH-6, SPEECH-9: a formula that later writing completes is still read as one."""
    assert heard("So $x", PAUSE, "^2$ holds.") == ["So x squared", "<pause>", "holds."]


def test_a_formula_in_many_chunks_is_read_as_one() -> None:
    """SPEECH-6: the pieces do not show how the formula was cut."""
    assert heard("We get $$\\frac{", "1}{2", "}$$ here. ", "Yes.") == ["We get one half here.", "Yes."]


def test_a_formula_alone_takes_the_language_of_the_answer() -> None:
    """SPEECH-8: the words before a formula choose its language, not the voice."""
    assert heard("The area is:\n\n$$x^2$$\n", language="zh") == ["The area is:", "x squared"]


def test_code_is_told_only_where_nothing_else_is_said() -> None:
    """SPEECH-2: a notice replaces an answer, never interrupts one."""
    assert heard("```\nx\n```\n") == ["There is code on the screen."]
    assert heard("```\nx\n```\n", "That is it.") == ["That is it."]


def test_an_emoji_at_the_end_is_not_named() -> None:
    """SPEECH-3: a custom emoji is named only where it stands alone in the whole answer."""
    assert heard("Done. ", "<:yay:1>") == ["Done."]
    assert heard("<:yay:1>") == ["yay"]


TEXT = (
    "First **bold. one** costs $5. Then $x^2$ [a. b](c.d) and `e. f` end.\n\n"
    "| a | b |\n|--|--|\n| 1 | 2 |\n\n你好。好！"
)


@given(st.lists(st.integers(0, len(TEXT)), max_size=8), st.integers(0, len(TEXT)))
def test_chunks_do_not_change_what_is_said(cuts: list[int], marker_at: int) -> None:
    """SPEECH-9: words and markers are the same however the answer was cut."""
    chunks: list[str | Delay] = []
    places = sorted({0, len(TEXT), marker_at, *cuts})
    for start, end in pairwise(places):
        if start == marker_at:
            chunks.append(PAUSE)
        chunks.append(TEXT[start:end])
    whole = [TEXT[:marker_at], PAUSE, TEXT[marker_at:]] if marker_at < len(TEXT) else [TEXT]
    assert heard(*chunks) == heard(*whole)
