"""TEXT-2: tables that can be read in Discord."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.discord_chat.tables import ReadableTables, display_width


def readable(text: str) -> str:
    tables = ReadableTables()
    return tables.feed(text) + tables.finish()


def test_a_narrow_table_becomes_an_aligned_code_block() -> None:
    """TEXT-2: by display width, right where the table says so, without Markdown that code would show."""
    table = (
        "Prices:\n|Item|Price|\n|:-----|------:|\n| **Tea** | 3 |\n| 寿司 | 12.50 |\n| 🍕 | `8` |\n\nEnjoy."
    )
    assert readable(table) == (
        "Prices:\n```\nItem  Price\n----  -----\nTea       3\n寿司  12.50\n🍕        8\n```\n\nEnjoy."
    )


def test_a_wide_table_becomes_a_list() -> None:
    wide = ("words that go on " * 3).strip()
    table = f"| Name | What | Why |\n|---|---|---|\n| One | {wide} | because |\n| Two |  | {wide} |\n"
    assert readable(table) == (
        f"**Name · What · Why**\n- **One**\n  - What: {wide}\n  - Why: because\n- **Two**\n  - Why: {wide}\n"
    )


def test_two_wide_columns_take_one_line_a_row() -> None:
    table = f"| Name | What |\n|---|---|\n| One | {'w' * 70} |\n"
    assert readable(table) == f"**Name · What**\n- **One**: {'w' * 70}\n"


@pytest.mark.parametrize("cell", ["[docs](https://e.org)", "<@12>", "<:wave:1>", "https://e.org"])
def test_links_and_mentions_stay_alive_in_a_list(cell: str) -> None:
    assert readable(f"| A | B |\n|---|---|\n| x | {cell} |\n") == f"**A · B**\n- **x**: {cell}\n"


@pytest.mark.parametrize(
    "text",
    [
        "no table | here\n",
        "| not a table\nnext line\n",
        "| a | b |\n| c | d |\n",
        "| a | b |\n|---|\n",
        "||spoiler|| stays\n|---|\n",
        "```\n| a | b |\n|---|---|\n| c | d |\n```\n",
        "a\n\n---\n\nb",
        "| unfinished",
    ],
)
def test_what_is_no_table_stays_as_it_is(text: str) -> None:
    assert readable(text) == text


def test_no_cell_is_lost_in_a_ragged_row() -> None:
    shown = readable("| a | b |\n|---|---|\n| 1 | 2 | 3 |\n| only |\nafter")
    assert "2 | 3" in shown
    assert "only\n" in shown
    assert shown.endswith("```\nafter")


def test_a_growing_table_is_shown_before_it_ends() -> None:
    """TEXT-1: rows written so far are provisional text; nothing of them is settled."""
    tables = ReadableTables()
    assert tables.feed("| a | b |\n|---|---|\n| 1 | 2 |\n| 3") == ""
    assert tables.provisional() == "```\na  b\n-  -\n1  2\n```\n"


def test_a_long_table_is_settled_row_by_row() -> None:
    rows = [f"| {number} | value {number} |\n" for number in range(500)]
    tables = ReadableTables()
    settled = tables.feed("| n | v |\n|---|---|\n" + "".join(rows))
    assert settled.startswith("```\nn")
    assert "value 499" in settled
    assert tables.finish() == "```\n"


LINES = st.sampled_from(
    [
        "| a | b |",
        "|---|---|",
        "|:--|--:|",
        "| 1 | 2 |",
        "| 🍕 | [x](https://e.org) |",
        "| long | " + "words " * 20 + "|",
        "plain text",
        "",
        "```",
        "  | indented | row |",
        "||hidden||",
        "|",
    ]
)


@given(st.lists(LINES, max_size=40), st.lists(st.integers(1, 25), min_size=1, max_size=20))
@settings(max_examples=300, deadline=None)
def test_the_result_does_not_depend_on_how_the_text_was_streamed(lines: list[str], sizes: list[int]) -> None:
    """TEXT-2: what was given out is never taken back."""
    text = "\n".join(lines)
    tables = ReadableTables()
    given_out = ""
    position = turn = 0
    while position < len(text):
        size = sizes[turn % len(sizes)]
        given_out += tables.feed(text[position : position + size])
        tables.provisional()
        position, turn = position + size, turn + 1
    assert given_out + tables.finish() == readable(text)


@given(st.lists(LINES, max_size=40))
@settings(max_examples=200, deadline=None)
def test_every_word_of_every_cell_survives(lines: list[str]) -> None:
    shown = readable("\n".join(lines))
    for word in ("🍕", "https://e.org", "plain", "||hidden||"):
        assert shown.count(word) == "\n".join(lines).count(word)


@pytest.mark.parametrize(
    ("text", "width"), [("abc", 3), ("寿司", 4), ("e\u0301", 1), ("👩‍👩‍👧", 2), ("🇯🇵", 2), ("❤️", 2)]
)
def test_width_is_what_a_monospaced_font_takes(text: str, width: int) -> None:
    assert display_width(text) == width


def test_no_cell_opens_a_code_block() -> None:
    """TEXT-2: neither in a list, where Markdown is drawn."""
    wide = "| what it does | command |\n|---|---|\n| " + "removes " * 9 + "| ```rm -rf``` |\n"
    assert "```" not in readable(wide)
