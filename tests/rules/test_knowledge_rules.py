"""How documents are cut, and which pieces answer best (MEM-8)."""

from hypothesis import given
from hypothesis import strategies as st

from recipes.knowledge.chunk_rules import MOST_PIECE, pieces_of
from recipes.knowledge.documents import Piece
from recipes.knowledge.ranking_rules import best_places

GUIDE = """\
Before all headings.

# Harbour ##

## Opening hours

The harbour opens at six.
It closes at ten.

```
# no heading in here
```
## Prices
A berth costs thirty.
# Island
No cars."""

LINES = st.text(alphabet=st.sampled_from("ab#`~ .。\t,é港湾\u3000"), max_size=60) | st.sampled_from(
    ["# One", "## Two", "```", "~~~~", "", "x" * 1_000, "word " * 400, "一。" * 700]
)
TEXTS = st.lists(LINES, max_size=30).map("\n".join)


def without_blanks(text: str) -> str:
    return "".join(text.split())


@given(TEXTS, st.booleans())
def test_nothing_but_blanks_is_lost_and_each_piece_fits_and_knows_its_line(text: str, markdown: bool) -> None:
    """MEM-8: whatever the text."""
    pieces = pieces_of(text, markdown=markdown)
    assert without_blanks("".join(piece.text for piece in pieces)) == without_blanks(text)
    lines = text.split("\n")
    for piece in pieces:
        assert 0 < len(piece.text) <= MOST_PIECE
        assert piece.text.split("\n")[0].strip() in lines[piece.line - 1]
    assert [piece.line for piece in pieces] == sorted(piece.line for piece in pieces)


@given(TEXTS)
def test_only_markdown_has_headings(text: str) -> None:
    assert {piece.heading for piece in pieces_of(text, markdown=False)} <= {""}


def test_a_piece_stands_below_its_headings() -> None:
    """MEM-8: the place for a citation; code holds no headings, and a title stays with what it is about."""
    pieces = pieces_of(GUIDE, markdown=True)
    assert [(piece.heading, piece.line) for piece in pieces] == [
        ("", 1),
        ("Harbour > Opening hours", 3),
        ("Harbour > Prices", 13),
        ("Island", 15),
    ]
    assert pieces[1].text.startswith(
        "# Harbour ##\n\n## Opening hours\n\nThe harbour opens at six.\nIt closes"
    )
    assert pieces[1].place == '"Harbour > Opening hours", line 3'
    assert pieces[0].place == "line 1"
    assert pieces_of("  \n\n", markdown=True) == ()


def test_paragraphs_stay_whole_and_long_ones_are_cut_behind_sentences() -> None:
    """MEM-8."""
    short, long = "A short one. " * 30, "The sea is calm today, they say. " * 60
    pieces = pieces_of(f"{short}\n\n{short}\n\n{short}\n\n{long}", markdown=False)
    assert [piece.line for piece in pieces] == [1, 5, 7, 7, 7]
    assert pieces[0].text == f"{short.strip()}\n\n{short.strip()}"
    assert all(piece.text.endswith(".") for piece in pieces)
    chinese = pieces_of("今天的海很平静，他们说。" * 100, markdown=False)
    assert all(piece.text.endswith("。") for piece in chinese)
    assert pieces_of("x" * 2_000, markdown=False)[0] == Piece(text="x" * MOST_PIECE, line=1)


def test_a_rare_word_tells_more_than_one_that_stands_everywhere() -> None:
    """MEM-8: and what answers much worse than the best is left out."""
    assert best_places({"harbour": [1, 7], "ferry": [7, 9]}, 3) == (7, 1, 9)
    assert best_places({"the": range(1, 40), "ferry": [7, 9]}, 3) == (7, 9)
    assert best_places({"harbour": [3, 1, 2]}, 2) == (1, 2)
    assert best_places({}, 5) == ()
    assert best_places({"ferry": []}, 5) == ()
