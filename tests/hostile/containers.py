"""How much our containers hold: what grows with the number of messages is not bounded."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator
from typing import Any


def sizes(root: object) -> dict[str, int]:
    """Every container reachable through objects of `voice`, by its way from there: how much is inside."""
    found: dict[str, int] = {}
    for way, one in _containers(root, type(root).__name__, set()):
        found[way] = max(found.get(way, 0), len(one))
    return found


def _containers(value: Any, way: str, seen: set[int]) -> Iterator[tuple[str, Collection[Any]]]:
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, dict | list | tuple | set | frozenset | deque):
        yield way, value
        for inside in [*value.values()] if isinstance(value, dict) else [*value]:
            yield from _containers(inside, f"{way}[]", seen)
    elif type(value).__module__.startswith("voice."):
        for name in _fields(value):
            yield from _containers(getattr(value, name, None), f"{way}.{name}", seen)


def _fields(value: object) -> list[str]:
    slots = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
    return [*slots, *vars(value)] if hasattr(value, "__dict__") else slots
