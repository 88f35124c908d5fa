"""What arrived at once is passed on at once, so that each step of the way is taken once for all of it."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

_T = TypeVar("_T")


def together(items: Iterable[_T]) -> Iterator[tuple[_T, ...]]:
    """All of `items` in one tuple; where they end in an error, what came before it and then the error."""
    taken: list[_T] = []
    try:
        taken.extend(items)
    finally:
        yield tuple(taken)
