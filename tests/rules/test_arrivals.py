"""CORE-11, CORE-45: what arrives in one piece is passed on in one piece, and an error comes after it."""

from collections.abc import Iterator

import pytest

from core.generation.protocols.arrivals import together


def _broken_after(*items: str) -> Iterator[str]:
    yield from items
    raise ValueError("unreadable")


def test_all_items_come_in_one_tuple_also_when_there_are_none() -> None:
    """CORE-45: an event without output is a sign of life."""
    assert list(together(["a", "b"])) == [("a", "b")]
    assert list(together([])) == [()]


def test_what_came_before_an_error_is_given_before_it() -> None:
    """CORE-30."""
    came = together(_broken_after("a", "b"))
    assert next(came) == ("a", "b")
    with pytest.raises(ValueError, match="unreadable"):
        next(came)
