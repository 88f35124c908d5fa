"""Which list and item is meant, and what counts as wanting it gone (MEM-7)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recipes.memory.note_rules import Found, Missing, Unclear, resolve, wants_destruction

LISTS = ["Shopping", "shopping for Sam", "Guests", "ideas", "买菜清单"]


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("shopping", Found(one="Shopping")),
        ("GUESTS", Found(one="Guests")),
        ("guest", Found(one="Guests")),
        ("for sam", Found(one="shopping for Sam")),
        ("shop", Unclear(candidates=("Shopping", "shopping for Sam"))),
        ("买菜", Found(one="买菜清单")),
        ("films", Missing(candidates=tuple(LISTS))),
        ("", Missing(candidates=tuple(LISTS))),
    ],
)
def test_exact_then_the_only_part_then_candidates(said: str, meant: object) -> None:
    """MEM-7."""
    assert resolve(said, LISTS, str) == meant


@given(st.lists(st.text(max_size=5), max_size=12), st.text(max_size=5))
def test_what_is_found_holds_what_was_said(names: list[str], said: str) -> None:
    """MEM-7: and never one of several."""
    result = resolve(said, names, str)
    if isinstance(result, Found):
        assert result.one in names
    else:
        assert len(result.candidates) <= 8


@pytest.mark.parametrize(
    ("text", "wants"),
    [
        ("Please clear the shopping list", True),
        ("throw away my guests list", True),
        ("leere die Einkaufsliste", True),
        ("把购物清单清空", True),
        ("買い物リストを消して", True),
        ("쇼핑 목록 지워줘", True),
        ("What is on the shopping list?", False),
        ("That is clearly wrong", False),
        ("don't clear the shopping list", False),
        ("lösche sie nicht", False),
        ("不要删除清单", False),
        ("リストを消さないで", False),
        ("add milk", False),
    ],
)
def test_only_the_persons_own_words_destroy(text: str, wants: bool) -> None:
    """MEM-7."""
    assert wants_destruction(text) is wants
