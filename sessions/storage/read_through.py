"""Values of the database kept in memory, the recently used ones, in step with the writer's commits.

A load runs beside the writer. When a commit changes the key meanwhile, the loaded value is given to whoever
asked and not kept: it may be the state before. Changes must bear being applied to a value that already has
them, because a load may see a commit before its callback runs.
"""

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

_K = TypeVar("_K", bound=Hashable)
_V = TypeVar("_V")


class _Load:
    spoiled = False


class ReadThrough(Generic[_K, _V]):
    """At most `limit` values; the least recently used one gives way."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held: OrderedDict[_K, _V] = OrderedDict()
        self._loads: dict[_K, list[_Load]] = {}

    def held(self, key: _K) -> _V | None:
        """The value, if it is in memory."""
        value = self._held.get(key)
        if value is not None:
            self._held.move_to_end(key)
        return value

    async def load(self, key: _K, load: Callable[[], Awaitable[_V]]) -> _V:
        """Loads the value, also when it is held, and keeps it."""
        running = _Load()
        loads = self._loads.setdefault(key, [])
        loads.append(running)
        try:
            value = await load()
        finally:
            loads.remove(running)
            if not loads:
                self._loads.pop(key, None)
        if not running.spoiled:
            self.keep(key, value)
        return value

    def keep(self, key: _K, value: _V) -> None:
        """Holds a value that a commit has just written."""
        self._held[key] = value
        self._held.move_to_end(key)
        if len(self._held) > self._limit:
            self._held.popitem(last=False)

    def change(self, key: _K, change: Callable[[_V], None]) -> None:
        """Applies a committed change to the value, if it is held."""
        self._spoil(key)
        value = self._held.get(key)
        if value is not None:
            change(value)

    def forget(self, key: _K) -> None:
        """Lets go of a value that a commit has made invalid."""
        self._spoil(key)
        self._held.pop(key, None)

    def _spoil(self, key: _K) -> None:
        for running in self._loads.get(key, ()):
            running.spoiled = True
