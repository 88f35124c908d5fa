"""TEXT-2: splitting a growing reply."""

import time

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.discord_chat.message_chunks import MessageSplitter, Piece, join_pieces, split_message
from bot.discord_chat.message_length import discord_length

LIMIT = 120

WORDS = st.sampled_from(
    [
        "a",
        "word",
        "Sentence.",
        "Really?",
        "123",
        "e.g.",
        "long" * 40,
        "你好，世界。",
        "こんにちは",
        "안녕하세요",
        "مرحبا",
        "שלום",
        "ไทย",
        "👩‍👩‍👧‍👦",
        "🇯🇵",
        "👍🏽",
        "e\u0301\u0323",
        "\u0301",
        "z" + "\u0335" * 30,
        "\u0600",
        "❤️",
        "\\*",
        "\\",
    ]
)
MARKS = st.sampled_from(
    [
        "*",
        "**",
        "***",
        "_",
        "__",
        "~~",
        "||",
        "`",
        "``",
        "```",
        "````",
        "```py\n",
        "```\n",
        "\n```\n",
        "> ",
        "- ",
        "# ",
        "-# ",
        "1. ",
        "[",
        "](",
        ")",
        "<",
        ">",
        "|",
    ]
)
WHOLE = st.sampled_from(
    [
        "<@123456789012345678>",
        "<@&1>",
        "<#42>",
        "<:wave:123>",
        "<a:dance:456>",
        "<t:1700000000:R>",
        "</play song:77>",
        "[label with words](https://example.org/a_(b)?c=d)",
        "https://example.org/some/path?x=1",
        "<https://e.org/x>",
        "**bold words here**",
        "*slanted text*",
        "__under lined__",
        "~~struck out~~",
        "||hidden thing||",
        "`inline code`",
    ]
)
SPACES = st.sampled_from([" ", " ", " ", "\n", "\n\n", "\t", "  \n", "\r\n", "\u00a0"])
FENCES = st.builds(
    lambda language, lines: f"\n```{language}\n" + "\n".join(lines) + "\n```\n",
    st.sampled_from(["", "py", "c++", "not a language"]),
    st.lists(
        st.sampled_from(["", "    x = 1", "def f():", "y" * 70, "# **no** _markup_ | here"]), max_size=12
    ),
)
MARKDOWN = st.lists(st.one_of(WORDS, SPACES, MARKS, WHOLE, FENCES), max_size=120).map("".join)
WELL_FORMED = st.lists(
    st.one_of(
        st.lists(
            st.one_of(WORDS.filter(lambda word: len(word) < 30 and word[0].isalnum()), WHOLE), min_size=1
        ).map(" ".join),
        FENCES.map(str.strip),
    ),
    max_size=12,
).map("\n\n".join)


def texts(pieces: tuple[Piece, ...]) -> list[str]:
    return [piece.text for piece in pieces]


@given(MARKDOWN)
@settings(max_examples=300, deadline=None)
def test_joined_pieces_give_the_text_back_and_every_piece_can_be_sent(text: str) -> None:
    """TEXT-2: nothing is lost, every piece fits as Discord counts, and code blocks are balanced in each."""
    pieces = split_message(text, LIMIT)
    assert join_pieces(pieces) == text.rstrip()
    for piece in pieces:
        assert discord_length(piece.text) <= LIMIT
        assert piece.text.strip()
        assert piece.text.count("```") % 2 == 0
        assert not piece.dropped.replace("```", "", 1).strip()
        assert not piece.skipped.strip()


@given(MARKDOWN, st.lists(st.integers(1, 60), min_size=1, max_size=40))
@settings(max_examples=300, deadline=None)
def test_the_pieces_do_not_depend_on_how_the_text_was_streamed(text: str, sizes: list[int]) -> None:
    """TEXT-1, TEXT-2: a sealed piece never changes, and what is shown meanwhile can be sent."""
    splitter = MessageSplitter(LIMIT)
    sealed: tuple[Piece, ...] = ()
    position = turn = 0
    while position < len(text):
        size = sizes[turn % len(sizes)]
        splitter.feed(text[position : position + size])
        position, turn = position + size, turn + 1
        assert splitter.sealed[: len(sealed)] == sealed
        sealed = splitter.sealed
        live = splitter.live()
        if live is not None:
            assert discord_length(live.text) <= LIMIT
            assert live.text.strip()
            assert live.text.count("```") % 2 == 0
    whole = splitter.finish()
    assert whole[: len(sealed)] == sealed
    assert whole == split_message(text, LIMIT)


@given(MARKDOWN)
@settings(max_examples=200, deadline=None)
def test_graphemes_stay_whole_unless_one_is_longer_than_a_message(text: str) -> None:
    """TEXT-2: every cut falls between grapheme clusters."""
    boundaries = {match.end() for match in regex.finditer(r"\X", text)} | {0}
    position = 0
    for piece in split_message(text, LIMIT):
        position += len(piece.skipped)
        assert position in boundaries
        position += len(piece.body)
        assert position in boundaries or position == len(text.rstrip())
        position += len(piece.dropped)


def test_an_accent_on_a_space_stays_on_it() -> None:
    """TEXT-2: a gap is no place to cut where it belongs to a reader's character."""
    first, second = texts(split_message("a" * 80 + " \u0301" + "b" * 60, LIMIT))
    assert first.startswith("a" * 80 + " \u0301b")
    assert set(second) == {"b"}


def test_a_code_block_begins_a_message_sooner_than_a_line() -> None:
    """TEXT-2: the block stays with what follows it, as a paragraph would."""
    code = "```\nx = 1\n```\n" + "v" * 60
    assert texts(split_message("w" * 70 + "\n" + code, LIMIT)) == ["w" * 70, code]


@given(WELL_FORMED)
@settings(max_examples=200, deadline=None)
def test_links_mentions_and_short_spans_are_never_broken(text: str) -> None:
    """TEXT-2: what is shorter than a message stands whole in one of them."""
    shown = texts(split_message(text, LIMIT))
    for whole in (
        "<@123456789012345678>",
        "<@&1>",
        "<:wave:123>",
        "<a:dance:456>",
        "<t:1700000000:R>",
        "</play song:77>",
        "[label with words](https://example.org/a_(b)?c=d)",
        "https://example.org/some/path?x=1",
        "**bold words here**",
        "*slanted text*",
        "||hidden thing||",
        "`inline code`",
    ):
        assert sum(part.count(whole) for part in shown) == text.count(whole)


def test_a_short_text_is_one_piece_as_it_is() -> None:
    assert texts(split_message("Hello **there**.")) == ["Hello **there**."]
    assert split_message("  \n ") == ()


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        ("a" * 70 + "\n\n" + "b " * 20 + "\n" + "c" * 60, "a" * 70, "b"),
        ("a" * 70 + "\n" + "b. " * 10 + "c" * 60, "a" * 70, "b."),
        (
            "First sentence is here. " * 3 + "Then comes a longer one " + "d" * 40,
            "First sentence is here. " * 3,
            "Then",
        ),
        ("word " * 20 + "e" * 60, "word " * 20, "e"),
        ("天" * 59 + "。" + "地" * 90, "天" * 59 + "。", "地"),
        ("x" * 200, "x" * 120, "x"),
        ("intro words " * 7 + "\n## Heading\n" + "long " * 20, "intro words " * 7, "## Heading"),
        ("> " + "quoted " * 20, "> " + "quoted " * 17, "> quoted"),
    ],
    ids=[
        "paragraph",
        "line",
        "sentence",
        "word",
        "full-width",
        "no-space",
        "heading-goes-along",
        "quote-goes-on",
    ],
)
def test_the_cut_falls_at_the_best_boundary(text: str, first: str, second: str) -> None:
    """TEXT-2: paragraph, line, sentence, word, and only then inside a word."""
    pieces = split_message(text, LIMIT)
    assert pieces[0].text == first.rstrip()
    assert pieces[1].text.startswith(second)


def test_code_is_closed_and_reopened_with_its_language() -> None:
    """TEXT-2: the fence's glue is inside the budget, lines stay whole, indentation survives."""
    code = "".join(f"    line_{number:03} = {number}\n" for number in range(20))
    pieces = split_message(f"Look:\n```python\n{code}```\nDone.", LIMIT)
    assert len(pieces) > 3
    for piece in pieces[:-1]:
        assert piece.text.endswith("\n```")
    for piece in pieces[1:]:
        assert piece.text.startswith("```python\n    line_")
    assert pieces[-1].text.endswith("```\nDone.")


def test_a_code_block_that_fits_a_message_is_not_split() -> None:
    block = "```py\n" + "x = 1\n" * 8 + "```"
    pieces = split_message("w" * 40 + " " + "v" * 39 + "\n" + block, LIMIT)
    assert texts(pieces)[1] == block


def test_no_empty_code_block_is_left_over_when_the_closing_marker_does_not_fit() -> None:
    """The glue closes the block; the text's own marker is dropped with the white space before it."""
    text = "```\n" + "x" * 112 + "\n\n\n```\nafter"
    pieces = split_message(text, LIMIT)
    assert texts(pieces) == ["```\n" + "x" * 112 + "\n```", "after"]
    assert join_pieces(pieces) == text


def test_emphasis_longer_than_a_message_is_closed_and_reopened() -> None:
    """TEXT-2, and a spoiler's rest stays hidden."""
    for marker in ("**", "||", "~~", "__", "*", "`"):
        pieces = split_message(f"{marker}{'word ' * 60}end{marker} and more", LIMIT)
        assert len(pieces) == 3
        for piece in pieces[:-1]:
            assert piece.text.startswith(marker)
            assert piece.text.endswith(marker)
        assert pieces[-1].text.endswith(f"end{marker} and more")


def test_what_is_hidden_stays_hidden_over_paragraphs() -> None:
    """TEXT-2: a spoiler goes on behind an empty line, in every message."""
    pieces = split_message("||" + ("word " * 20 + "\n\n") * 4 + "- end||", LIMIT)
    assert len(pieces) > 3
    assert all(piece.text.startswith("||") and piece.text.endswith("||") for piece in pieces)


def test_what_never_closes_is_not_opened_again() -> None:
    """TEXT-2: no marker stands alone at the beginning of the last message."""
    pieces = split_message("a **" + "word " * 60, LIMIT)
    assert pieces[-1].text.startswith("word")


def test_a_stray_marker_marks_nothing() -> None:
    pieces = split_message("5 * 3 and 2 ** 3 and snake_case_name " * 10, LIMIT)
    assert all(piece.opening == piece.closing == "" for piece in pieces)


def test_lengths_are_utf_16() -> None:
    """TEXT-2: the count that is never the smaller of the two that Discord uses."""
    assert discord_length("a👍") == 3
    assert all(discord_length(text) <= LIMIT for text in texts(split_message("👍" * 200, LIMIT)))


def test_surrogates_torn_by_the_stream_are_joined_and_lone_ones_replaced() -> None:
    splitter = MessageSplitter()
    for part in ("a\ud83d", "\ude00b", "\ud83d"):
        splitter.feed(part)
    assert texts(splitter.finish()) == ["a😀b\ufffd"]


def test_the_live_piece_hides_an_empty_code_block_and_closes_what_is_open() -> None:
    """TEXT-1: what is shown while writing never flickers as raw Markdown."""
    splitter = MessageSplitter()
    shown: list[str] = []
    for part in ("See **this", " one**:\n```", "py", "\nx = 1", "\n``", "`"):
        splitter.feed(part)
        live = splitter.live()
        shown.append("" if live is None else live.text)
    assert shown == [
        "See **this**",
        "See **this one**:",
        "See **this one**:",
        "See **this one**:\n```py\nx = 1\n```",
        "See **this one**:\n```py\nx = 1\n```",
        "See **this one**:\n```py\nx = 1\n```",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "`" * 100_000,
        "x" * 100_000,
        "*a **b _c __d " * 7_000,
        "[" * 100_000,
        "[a](" * 25_000,
        "<a" * 50_000,
        "https://" * 12_000,
        "`a ``b " * 14_000,
        "||" * 50_000,
        "*a" * 50_000,
        "a" + "\u0301" * 100_000,
        "a" + " " * 100_000 + "b",
        "```\nx" + "\n" * 100_000 + "```y",
        "👩‍👩‍👧‍👦" * 10_000,
        "你好，世界。" * 15_000,
    ],
    ids=lambda text: repr(text[:8]),
)
def test_hostile_texts_take_linear_time(text: str) -> None:
    """Doubling the text about doubles the time; a quadratic step would quadruple it and blow the bound."""
    started = time.process_time()
    pieces = split_message(text)
    assert time.process_time() - started < 2.0
    assert join_pieces(pieces) == text.rstrip()
    assert all(discord_length(piece.text) <= 2_000 for piece in pieces)
