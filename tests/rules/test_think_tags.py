"""CORE-11: reasoning inside the text, found across any chunk boundary."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from core.generation.protocols.surrogates import SurrogateJoiner
from core.generation.protocols.think_tags import ThinkTagSplitter

pieces = st.text(alphabet="<>/thinkg ab\n", max_size=12)
begin = st.sampled_from(["", "<think>", "\n <think>", "<thinking>", "<reasoning>", "<think", "x<think>"])
end = st.sampled_from(["", "</think>", "</thinking>\n", "</think>\n\n", "</reasoning>", "</thi"])


def split(chunks: list[str]) -> tuple[str, str]:
    splitter = ThinkTagSplitter()
    found = [*(splitter.feed(chunk) for chunk in chunks), splitter.end()]
    return "".join(one.reasoning for one in found), "".join(one.text for one in found)


@given(begin, pieces, end, pieces, st.lists(st.integers(0, 40), max_size=12))
def test_no_cut_changes_what_is_reasoning(
    opening: str, inside: str, closing: str, after: str, places: list[int]
) -> None:
    whole = opening + inside + closing + after
    borders = sorted({0, len(whole), *(place % (len(whole) + 1) for place in places)})
    chunks = [whole[start:stop] for start, stop in pairwise(borders)]
    assert split(chunks) == split([whole])


@given(pieces, pieces)
def test_a_block_at_the_beginning_is_reasoning_and_the_rest_is_text(inside: str, after: str) -> None:
    if "</think>" not in inside:
        assert split(["<think>" + inside + "</think>" + after]) == (inside, after.lstrip())


def test_text_before_the_tag_makes_it_text() -> None:
    assert split(["I write <think>x</think>"]) == ("", "I write <think>x</think>")


def test_space_before_text_stays() -> None:
    assert split([" ", "\n", "a"]) == ("", " \na")
    assert split([" "]) == ("", " ")


@given(st.text(max_size=20), st.lists(st.integers(0, 60), max_size=10))
def test_halves_of_characters_are_joined(text: str, places: list[int]) -> None:
    """CORE-11: as JSON escapes in different deltas."""
    units = text.encode("utf-16-le")
    halves = [units[at : at + 2].decode("utf-16-le", "surrogatepass") for at in range(0, len(units), 2)]
    borders = sorted({0, len(halves), *(place % (len(halves) + 1) for place in places)})
    joiner = SurrogateJoiner()
    joined = [joiner.feed("".join(halves[a:b])) for a, b in pairwise(borders)]
    assert "".join(joined) + joiner.end() == text


@given(st.text(st.characters(), max_size=10), st.text(st.characters(categories=["Cs"]), max_size=3))
def test_a_lone_half_becomes_a_replacement_character(text: str, lone: str) -> None:
    joiner = SurrogateJoiner()
    (joiner.feed(text + lone) + joiner.feed(text) + joiner.end()).encode()
