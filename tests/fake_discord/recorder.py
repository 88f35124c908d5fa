"""Everything that crossed the sockets, in order and numbered, and ways to wait for it.

An *event* is a REST request received, a REST request answered, or a gateway message sent or received, without
heartbeats and their acknowledgements (they come by the clock; without them the numbering of a run repeats).
`on_event` is called with each number before the event takes effect: before a request is executed, before an
answer or a gateway message is written. A black-box test kills the bot's process there.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, TypeVar

from tests.fake_discord.snowflakes import Clock


class Direction(Enum):
    FROM_BOT = "<-"
    TO_BOT = "->"


@dataclass(slots=True, kw_only=True)
class UploadedFile:
    """One file of a multipart request."""

    field: str
    filename: str
    content: bytes
    content_type: str


@dataclass(slots=True, eq=False, kw_only=True)
class Exchange:
    """A REST request and, once `status` is set, its answer.

    `route` is the path template without the version ("/channels/{channel_id}/messages"), None for a path
    that the fake does not know. `status` 0: the connection was dropped instead of an answer.
    """

    number: int
    method: str
    path: str
    route: str | None
    params: dict[str, str]
    query: dict[str, str]
    json: Any
    files: list[UploadedFile]
    headers: dict[str, str]
    received_at: float
    executed: bool = False
    status: int | None = None
    answer: Any = None
    answered_at: float | None = None
    answered_number: int | None = None

    def __str__(self) -> str:
        return f"{self.number}/{self.answered_number}: {self.method} {self.path} {self.json} -> {self.status}"


@dataclass(slots=True, eq=False, kw_only=True)
class Frame:
    """A gateway message. `number` is None for heartbeats and acknowledgements."""

    number: int | None
    direction: Direction
    at: float
    session_id: str | None
    op: int
    event: str | None = None
    sequence: int | None = None
    data: Any = None

    def __str__(self) -> str:
        return f"{self.number}: gateway {self.direction.value} op {self.op} {self.event or ''}"


Record = Exchange | Frame
T = TypeVar("T")
_LOOK_AGAIN_S = 0.01


@dataclass(slots=True, eq=False)
class _Waiter:
    check: Callable[[Record | None], Any]
    found: asyncio.Future[Any] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


def _try(waiter: _Waiter, record: Record | None) -> None:
    if waiter.found.done():
        return
    try:
        value = waiter.check(record)
    except Exception as wrong:  # noqa: BLE001 - the waiting test gets it
        waiter.found.set_exception(wrong)
    else:
        if value:
            waiter.found.set_result(value)


class Recorder:
    """Keeps the last `keep` records; `enabled=False` keeps none and costs nothing but the counting."""

    def __init__(self, clock: Clock, *, enabled: bool = True, keep: int = 200_000) -> None:
        self._clock = clock
        self.enabled = enabled
        self.count = 0
        self.on_event: Callable[[int, Record], None] | None = None
        self.on_change: Callable[[], None] | None = None
        """Called after every event and change, for a screen that follows along."""
        self.exchanges: deque[Exchange] = deque(maxlen=keep)
        self.frames: deque[Frame] = deque(maxlen=keep)
        self._waiters: list[_Waiter] = []

    # what the fake reports

    def received(self, exchange: Exchange) -> None:
        if self.enabled:
            self.exchanges.append(exchange)
        self._happened(exchange, exchange.number)

    def answered(self, exchange: Exchange) -> None:
        exchange.answered_at = self._clock()
        exchange.answered_number = self.next_number()
        self._happened(exchange, exchange.answered_number)

    def passed(self, frame: Frame) -> None:
        if self.enabled:
            self.frames.append(frame)
        if frame.number is None:
            self._wake(frame)
        else:
            self._happened(frame, frame.number)

    def next_number(self) -> int:
        self.count += 1
        return self.count

    def changed(self) -> None:
        """The world changed without a socket: whoever waits in `until` looks again."""
        if self.on_change is not None:
            self.on_change()
        if self._waiters:
            self._wake(None)

    def _happened(self, record: Record, number: int) -> None:
        if self.on_event is not None:
            self.on_event(number, record)
        if self.on_change is not None:
            self.on_change()
        if self._waiters:
            self._wake(record)

    def _wake(self, record: Record | None) -> None:
        for waiter in self._waiters:
            _try(waiter, record)

    # what a test asks

    def requests(
        self,
        method: str | None = None,
        route: str | None = None,
        where: Callable[[Exchange], bool] | None = None,
    ) -> list[Exchange]:
        """The requests so far that match, the oldest first."""
        return list(self._matching(method, route, where))

    def events(self, name: str | None = None, *, op: int | None = None) -> list[Frame]:
        """The gateway messages so far with this event name or opcode."""
        return [frame for frame in self.frames if name in (None, frame.event) and op in (None, frame.op)]

    def _matching(
        self, method: str | None, route: str | None, where: Callable[[Exchange], bool] | None
    ) -> Iterator[Exchange]:
        for exchange in self.exchanges:
            if method not in (None, exchange.method) or route not in (None, exchange.route):
                continue
            if where is None or where(exchange):
                yield exchange

    async def request(
        self,
        method: str | None = None,
        route: str | None = None,
        where: Callable[[Exchange], bool] | None = None,
        *,
        count: int = 1,
        answered: bool = True,
        within_s: float = 5.0,
    ) -> Exchange:
        """The `count`-th matching request, past or coming; `answered=False` does not wait for its answer.

        Raises TimeoutError with the last events in its text.
        """

        def look() -> Exchange | None:
            seen = 0
            for exchange in self._matching(method, route, where):
                if answered and exchange.status is None:
                    continue
                seen += 1
                if seen == count:
                    return exchange
            return None

        return await self.until(look, within_s=within_s)

    async def frame(self, where: Callable[[Frame], bool], *, count: int = 1, within_s: float = 5.0) -> Frame:
        """The `count`-th matching gateway message, past or coming."""
        past = [frame for frame in self.frames if where(frame)]
        if len(past) >= count:
            return past[count - 1]
        missing = count - len(past)

        def look(record: Record | None) -> Frame | None:
            nonlocal missing
            if not isinstance(record, Frame) or not where(record):
                return None
            missing -= 1
            return record if missing == 0 else None

        return await self._wait(_Waiter(look), within_s, "a gateway message")

    async def wait_for(self, where: Callable[[Record], bool], *, within_s: float = 5.0) -> Record:
        """The first record that matches, past or coming; a request counts when received and when answered."""
        for record in (*self.exchanges, *self.frames):
            if where(record):
                return record
        look = _Waiter(lambda record: record if record is not None and where(record) else None)
        return await self._wait(look, within_s, "a record")

    async def until(self, look: Callable[[], T | None], *, within_s: float = 5.0) -> T:
        """Calls `look` now, after every event and change, and every 10 ms, until it gives something true.

        The last is for conditions beyond the fake: what a client in the same process has handled, a file.
        """
        if value := look():
            return value
        return await self._wait(_Waiter(lambda _record: look()), within_s, "the condition")

    async def _wait(self, waiter: _Waiter, within_s: float, what: str) -> Any:
        self._waiters.append(waiter)
        try:
            async with asyncio.timeout(within_s):
                while not waiter.found.done():
                    await asyncio.wait((waiter.found,), timeout=_LOOK_AGAIN_S)
                    _try(waiter, None)
                return waiter.found.result()
        except TimeoutError:
            raise TimeoutError(
                f"{what} did not come within {within_s} s; the last events:\n{self.tail()}"
            ) from None
        finally:
            self._waiters.remove(waiter)

    def tail(self, length: int = 20) -> str:
        """The last events as text, for messages of failed tests."""
        numbered: list[tuple[int, Record]] = [(one.number, one) for one in list(self.exchanges)[-length:]]
        numbered += [(one.number, one) for one in list(self.frames)[-length:] if one.number is not None]
        numbered.sort(key=lambda pair: pair[0])
        return "\n".join(str(one)[:300] for _, one in numbered[-length:])
