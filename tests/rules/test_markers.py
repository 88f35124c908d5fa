"""Markers in a streamed reply: CORE-29, CORE-37 and the prefix of CORE-22."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.markers.parser import (
    LONGEST_DELAY_S,
    MAX_MARKER_LENGTH,
    Delay,
    Emote,
    Literal,
    MarkerParser,
    Piece,
    Silent,
    Sticker,
    Unknown,
)
from core.markers.reply_reader import ReplyReader
from core.markers.self_prefix import SelfPrefixStripper
from core.markers.stickers import StickerCatalog, StickerEntry

FRAGMENTS = st.sampled_from(
    [
        *(
            "<",
            "<|",
            "|>",
            "<{'|'}",
            "{'|'}>",
            "<{",
            "{'|'",
            "|",
            ">",
            "\n",
            " ",
            "STICKER ",
            "wave",
            "SILENT",
        ),
        *(
            "DELAY 1",
            "EMOTE_happy",
            "<|STICKER wave|>",
            "<{'|'}STICKER wave{'|'}>",
            "<|SILENT|>",
            "<|x|>",
            "é猫",
        ),
        *("[2026-11-30 18:47]", "[2026-11-30", " Parley", ":", " (42)", "x" * 60),
    ],
)
TEXTS = st.lists(FRAGMENTS | st.text(max_size=3), max_size=25).map("".join)


@st.composite
def chunked(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A text and one way to cut it."""
    text = draw(TEXTS)
    cuts = sorted(draw(st.sets(st.integers(0, len(text)))) | {0, len(text)})
    return text, [text[start:end] for start, end in pairwise(cuts)]


def parsed(chunks: list[str]) -> list[Piece]:
    parser = MarkerParser()
    pieces = [piece for chunk in chunks for piece in parser.feed(chunk)]
    return joined([*pieces, *parser.end()])


def read(chunks: list[str], reader: ReplyReader) -> list[Piece]:
    pieces: list[Piece] = [piece for chunk in chunks for piece in reader.feed(chunk)]
    return joined([*pieces, *reader.end()])


def stripped(chunks: list[str], *names: str) -> str:
    stripper = SelfPrefixStripper(names)
    return "".join([*(stripper.feed(chunk) for chunk in chunks), stripper.end()])


def joined(pieces: list[Piece]) -> list[Piece]:
    """Neighbouring literals as one: the only thing that may depend on the chunks."""
    result: list[Piece] = []
    for piece in pieces:
        if isinstance(piece, Literal) and result and isinstance(before := result[-1], Literal):
            result[-1] = Literal(text=before.text + piece.text)
        else:
            result.append(piece)
    return result


def text_of(pieces: list[Piece]) -> str:
    return "".join(piece.text for piece in pieces if isinstance(piece, Literal))


CATALOG = StickerCatalog(
    entries=(
        StickerEntry(id="wave", description="a cat waves"),
        StickerEntry(id="sleepy cat", description="yawning"),
    ),
)


@given(chunked())
def test_markers_do_not_depend_on_the_chunks(case: tuple[str, list[str]]) -> None:
    """CORE-29: parsed across any chunk boundary."""
    text, chunks = case
    assert parsed(chunks) == parsed([text]) == parsed(list(text))


@given(TEXTS)
def test_little_text_waits_and_none_is_invented(text: str) -> None:
    """CORE-29: an opener that never closes holds back less than a marker's length."""
    parser = MarkerParser()
    shown = 0
    markers = 0
    for position, character in enumerate(text, 1):
        for piece in parser.feed(character):
            if isinstance(piece, Literal):
                shown += len(piece.text)
            else:
                markers += 1
        assert markers or position - shown < MAX_MARKER_LENGTH
    literal = text_of(parsed([text]))
    remaining = iter(text)
    assert all(character in remaining for character in literal)


@given(st.text(alphabet=st.characters(exclude_characters="<")))
def test_text_without_an_opener_passes_at_once(text: str) -> None:
    assert text_of(list(MarkerParser().feed(text))) == text


@pytest.mark.parametrize(
    ("marker", "expected"),
    [
        ("<|STICKER wave|>", Sticker(id="wave")),
        ("<{'|'}STICKER wave{'|'}>", Sticker(id="wave")),
        ("<{'|'}STICKER wave|>", Sticker(id="wave")),
        ("<|STICKER wave{'|'}>", Sticker(id="wave")),
        ("<|STICKER  sleepy cat |>", Sticker(id="sleepy cat")),
        ("<| sticker 猫 |>", Sticker(id="猫")),
        ("<|SILENT|>", Silent()),
        ("<|DELAY 2.5|>", Delay(seconds=2.5)),
        ("<|DELAY 900|>", Delay(seconds=LONGEST_DELAY_S)),
        ("<|EMOTE_HAPPY|>", Emote(name="happy")),
        ("<|EMOTE_|>", Unknown(name="EMOTE_")),
        ("<|DELAY soon|>", Unknown(name="DELAY")),
        ("<|DELAY inf|>", Unknown(name="DELAY")),
        ("<|STICKER|>", Unknown(name="STICKER")),
        ("<|im_end|>", Unknown(name="im_end")),
        ("<|/think|>", Unknown(name="/think")),
    ],
)
def test_each_marker_becomes_its_value(marker: str, expected: Piece) -> None:
    """CORE-29: stickers, silence, pauses, tones; the escaped form too."""
    assert parsed([f"a{marker}b"]) == [Literal(text="a"), expected, Literal(text="b")]


@pytest.mark.parametrize(
    "text",
    [
        "1 < 2",
        "a <3",
        "p <|> q",
        "f <| g |> h",
        "std::map<{1}>",
        "<||>",
        "| a | b |>",
        "<|no\nmarker|>",
        "<|" + "x" * MAX_MARKER_LENGTH + "|>",
        "ends with <",
    ],
)
def test_what_only_looks_like_a_marker_stays(text: str) -> None:
    assert parsed([text]) == [Literal(text=text)]


@pytest.mark.parametrize(
    "unfinished", ["<|", "<|STICK", "<|STICKER wave|", "<{'|'}SIL", "<{'|", "<|SILENT{'|'"]
)
def test_an_unfinished_marker_is_dropped_at_the_end(unfinished: str) -> None:
    """CORE-29: kept out of speech and of Discord's text."""
    assert parsed(["hello", unfinished]) == [Literal(text="hello")]


def test_an_opener_inside_a_marker_begins_anew() -> None:
    assert parsed(["<|STICK<|SILENT|>"]) == [Literal(text="<|STICK"), Silent()]


def test_the_longest_marker_is_still_one() -> None:
    longest = "<|" + "x" * (MAX_MARKER_LENGTH - 4) + "|>"
    assert parsed([longest]) == [Unknown(name=longest[2:-2])]


@given(chunked(), st.booleans())
def test_a_reply_reads_the_same_in_any_chunks(case: tuple[str, list[str]], offered: bool) -> None:
    """CORE-29: stickers, silence and the prefix hold across chunk boundaries."""
    text, chunks = case

    def reader() -> ReplyReader:
        return ReplyReader(stickers=CATALOG, silence_offered=offered, own_names=("Parley",))

    pieces = read(chunks, reader())
    assert pieces == read([text], reader()) == read(list(text), reader())
    assert len([piece for piece in pieces if isinstance(piece, Sticker)]) <= 1
    assert not any(isinstance(piece, Unknown) for piece in pieces)
    assert offered or Silent() not in pieces
    assert text_of(pieces) == text_of(pieces).lstrip()


def test_one_known_sticker_per_reply() -> None:
    """CORE-29, CORE-37: unknown ids vanish, the first known one counts, text stays."""
    reader = ReplyReader(stickers=CATALOG)
    pieces = read(["Hi <|STICKER nope|> there <|STICKER wave|>!<|STICKER sleepy cat|>"], reader)
    assert pieces == [Literal(text="Hi there "), Sticker(id="wave"), Literal(text="!")]
    assert reader.sticker_id == "wave"


def test_a_reply_may_be_a_sticker_alone() -> None:
    """CORE-29: text, sticker or both."""
    assert read([" <|STICKER wave|> "], ReplyReader(stickers=CATALOG)) == [Sticker(id="wave")]


def test_without_a_catalog_no_sticker_comes_out() -> None:
    """CORE-29: an empty catalog knows no id."""
    assert read(["<|STICKER wave|>"], ReplyReader()) == []


def test_silence_counts_only_where_it_was_offered() -> None:
    """CORE-20, CORE-29."""
    offered = ReplyReader(silence_offered=True)
    assert read(["\n<|SILENT|> nothing to add"], offered) == [Silent()]
    assert offered.silent
    asked = ReplyReader()
    assert read(["<|SILENT|>Well."], asked) == [Literal(text="Well.")]
    assert not asked.silent


def test_silence_after_words_is_too_late() -> None:
    """CORE-20: what was visible cannot be unsaid."""
    reader = ReplyReader(silence_offered=True)
    assert read(["Well.<|SILENT|> Bye."], reader) == [Literal(text="Well. Bye.")]
    assert not reader.silent


def test_the_prefix_is_taken_away_in_every_round() -> None:
    """CORE-22: a model that called a tool begins a new message, and may copy the prefix again."""
    reader = ReplyReader(own_names=("Parley",))
    pieces = [
        *reader.feed("[2026-11-30 18:47] Parley: One mom"),
        *reader.feed("ent. <|EMOTE_"),
        *reader.next_round(),
        *reader.feed("[2026-11-30 18:47] Parley: It rains."),
        *reader.end(),
    ]
    assert text_of(list(pieces)) == "One moment. It rains."


def test_a_reply_that_only_repeats_silence_is_silent_once() -> None:
    assert read(["<|SILENT|><|SILENT|>"], ReplyReader(silence_offered=True)) == [Silent()]


@given(chunked())
def test_the_prefix_does_not_depend_on_the_chunks(case: tuple[str, list[str]]) -> None:
    """CORE-22: the same text remains however it was cut."""
    text, chunks = case
    whole = stripped([text], "Parley")
    assert stripped(chunks, "Parley") == stripped(list(text), "Parley") == whole
    assert text.endswith(whole)


@pytest.mark.parametrize(
    "prefix",
    [
        "[2026-11-30 18:47] Parley:",
        "[2026-11-30 18:47] Parley (1234):",
        "[2026-11-30 18:47] ",
        "[2026-11-30 18:47] Mia (42): ",
        "\n parley: ",
        "Parley (1234): ",
        "[2026-11-30 18:47] Parley: [2026-11-30 18:47] Parley: ",
    ],
)
@pytest.mark.parametrize("reply", ["Hello: there", "[1] is a source", "Parleying is fun", "no: really"])
def test_a_self_written_prefix_is_taken_away(prefix: str, reply: str) -> None:
    """CORE-22: the application alone writes that prefix."""
    assert stripped([prefix + reply], "Parley") == reply


@pytest.mark.parametrize(
    "reply",
    [
        "[2026] was loud",
        "[x] done",
        "Parley is my name",
        "Note: buy milk",
        "Parley (the bot) is me",
        "Mia (42): hi",
        "12:30 [2026-11-30 18:47] Parley: later in the text",
    ],
)
def test_an_ordinary_beginning_stays(reply: str) -> None:
    assert stripped([reply], "Parley") == stripped(list(reply), "Parley") == reply


@given(st.text(min_size=1))
def test_the_start_is_decided_after_little_text(text: str) -> None:
    stripper = SelfPrefixStripper(("Parley",))
    shown = stripper.feed("[2026-11-30 18:47] " + "x" * 120 + text)
    assert shown.startswith("x")
    assert SelfPrefixStripper(("Parley",)).feed("Parley (" + "1" * 120 + text).startswith("Parley (1")


def test_sticker_ids_are_unique_and_fit_a_marker() -> None:
    """CORE-37: an id that a marker cannot carry never enters a catalog."""
    entry = StickerEntry(id="wave", description="a cat waves")
    with pytest.raises(ValueError, match="unique"):
        StickerCatalog(entries=(entry, entry))
    for bad in ("", "a|b", "a>b", " a", "a\nb", "x" * 101, "a{b"):
        with pytest.raises(ValueError, match="sticker id"):
            StickerEntry(id=bad, description="")
