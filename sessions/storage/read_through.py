"""Values of the database kept in memory, the recently used ones, in step with the writer's commits.

A load runs beside the writer and may have seen the state before or after what is committed meanwhile. So
changes are applied to the loaded value once more, in their order, and must bear being applied to a value that
already has them. A value that was written whole or forgotten meanwhile is newer than the loaded one.
"""

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

_K = TypeVar("_K", bound=Hashable)
_V = TypeVar("_V")


@dataclass(slots=True, eq=False)
class _Load(Generic[_V]):
    """`changes` were committed since it began; `overtaken`: what it brings is out of date."""

    changes: list[Callable[[_V], None]] = field(default_factory=list[Callable[[_V], None]])
    overtaken: bool = False


class ReadThrough(Generic[_K, _V]):
    """Values of at most `limit` weight in all; the least recently used one gives way.

    `weigh` tells what a value weighs now, 1 when it is not given; it is asked again after each change.
    """

    def __init__(self, limit: int, weigh: Callable[[_V], int] = lambda _: 1) -> None:
        self._limit = limit
        self._weigh = weigh
        self._weight = 0
        self._weights: dict[_K, int] = {}
        self._held: OrderedDict[_K, _V] = OrderedDict()
        self._loads: dict[_K, list[_Load[_V]]] = {}

    def held(self, key: _K) -> _V | None:
        """The value, if it is in memory."""
        value = self._held.get(key)
        if value is not None:
            self._held.move_to_end(key)
        return value

    async def load(self, key: _K, load: Callable[[], Awaitable[_V]]) -> _V:
        """Loads the value, also when it is held, and keeps it."""
        running = _Load[_V]()
        loads = self._loads.setdefault(key, [])
        loads.append(running)
        try:
            value = await load()
        finally:
            loads.remove(running)
            if not loads:
                self._loads.pop(key, None)
        if not running.overtaken:
            for change in running.changes:
                change(value)
            self._hold(key, value)
        return value

    def keep(self, key: _K, value: _V) -> None:
        """Holds a value that a commit has just written."""
        self._overtake(key)
        self._hold(key, value)

    def change(self, key: _K, change: Callable[[_V], None]) -> None:
        """Applies a committed change to the value, if it is held or being loaded."""
        for running in self._loads.get(key, ()):
            running.changes.append(change)
        value = self._held.get(key)
        if value is not None:
            change(value)
            self._weighed(key, self._weigh(value))

    def forget(self, key: _K) -> None:
        """Lets go of a value that a commit has made invalid."""
        self._overtake(key)
        self._held.pop(key, None)
        self._weighed(key, 0)

    def _hold(self, key: _K, value: _V) -> None:
        self._held[key] = value
        self._held.move_to_end(key)
        self._weighed(key, self._weigh(value))

    def _weighed(self, key: _K, weight: int) -> None:
        self._weight += weight - self._weights.pop(key, 0)
        if weight:
            self._weights[key] = weight
        while self._weight > self._limit and self._held:
            least_used, _ = self._held.popitem(last=False)
            self._weight -= self._weights.pop(least_used, 0)

    def _overtake(self, key: _K) -> None:
        for running in self._loads.get(key, ()):
            running.overtaken = True
