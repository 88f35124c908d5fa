"""One Whisper for all channels: requests wait in the order of their deadlines; those that fit share a run.

Several people who end together are decoded in one run (VOX-21): what waits behind the first deadline, wants
the same language and is about as long goes with it. Nobody waits for company. When a run of several breaks,
each is tried by itself; when it hangs, they share that, too.

The queue lives on the loop, the decoding on a thread; nothing else crosses. A request that nobody waits for
any more is passed over. One that is being decoded cannot be stopped, but takes a second or two at most; one
that takes very long has hung, and its thread is left behind for another one, a few times.
"""

import asyncio
import heapq
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count

from voice.providers.serving_tasks import serving_tasks
from voice.providers.whisper_decoder import Decode, Request
from voice.providers.whisper_rules import MOST_TOGETHER, Decoded, share_a_run
from voice.providers.whisper_thread import WhisperThread

_MOST_WAITING = 64
_MOST_HUNG = 2
"""Each one that hangs may hold a model in memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Waiting:
    """A request and who waits for it; `request` None: the model shall be loaded."""

    request: Request | None
    outcome: asyncio.Future[Decoded | None]


_Queued = tuple[float, int, _Waiting]
"""Deadline, and a number that keeps the order of equal ones."""


class EngineOverrun(Exception):
    """Too many requests wait already."""


class EngineHung(Exception):
    """A request took so long that nothing is expected of it any more."""


@asynccontextmanager
async def whisper_engine(
    load: Callable[[], Decode], *, decodes_within_s: float = 20.0, loads_within_s: float = 120.0
) -> AsyncGenerator["WhisperEngine"]:
    """An engine until the block ends. `load` blocks; it is called on the thread with the first need."""
    engine = WhisperEngine(load, decodes_within_s=decodes_within_s, loads_within_s=loads_within_s)
    try:
        async with serving_tasks() as tasks:
            working = tasks.create_task(engine.run())
            try:
                yield engine
            finally:
                working.cancel()
    finally:
        engine.close()


class WhisperEngine:
    """See the module."""

    def __init__(self, load: Callable[[], Decode], *, decodes_within_s: float, loads_within_s: float) -> None:
        self._load = load
        self._decodes_within_s = decodes_within_s
        self._loads_within_s = loads_within_s
        self._thread: WhisperThread | None = None
        self._hung: list[WhisperThread] = []
        self._waiting: list[_Queued] = []
        self._numbers = count()
        self._arrived = asyncio.Event()
        self._is_busy = False

    @property
    def is_idle(self) -> bool:
        """Whether a request would be decoded at once."""
        return not self._is_busy and not self._waiting

    async def prepare(self) -> None:
        """Loads the model now, so that the first words need not wait for it; raises what loading raises."""
        await self._queued(None, 0.0)

    def decoded(self, request: Request, *, deadline: float) -> asyncio.Future[Decoded | None]:
        """What the request becomes. Of those that wait, the earliest deadline is next; cancel to withdraw.

        Raises:
            EngineOverrun: 64 requests wait already.
        """
        return self._queued(request, deadline)

    async def run(self) -> None:
        """Decodes until it is cancelled. A request that fails or hangs does not end the others."""
        while True:
            while not self._waiting:
                self._arrived.clear()
                await self._arrived.wait()
            together = self._next_together()
            if not together:
                continue
            self._is_busy = True
            try:
                await self._settle(together)
            finally:
                self._is_busy = False

    def close(self) -> None:
        """The threads end with what they do now."""
        for thread in (*self._hung, *([self._thread] if self._thread else [])):
            thread.close()

    def _next_together(self) -> list[_Waiting]:
        """The earliest that somebody waits for, and those that share its run."""
        together: list[_Waiting] = []
        left: list[_Queued] = []
        while self._waiting and len(together) < MOST_TOGETHER:
            queued = heapq.heappop(self._waiting)
            waiting = queued[2]
            if waiting.outcome.done():
                continue
            if not together or _fits(waiting, together):
                together.append(waiting)
            else:
                left.append(queued)
        for queued in left:
            heapq.heappush(self._waiting, queued)
        return together

    async def _settle(self, together: list[_Waiting]) -> None:
        requests = [waiting.request for waiting in together if waiting.request is not None]
        try:
            decoded: list[Decoded | None] = [*await self._done(requests)] or [None]
        except Exception as error:  # noqa: BLE001 - handed to those who wait
            if len(together) > 1 and not isinstance(error, EngineHung):
                for waiting in together:
                    if not waiting.outcome.done():
                        await self._settle([waiting])
                return
            for waiting in together:
                if not waiting.outcome.done():
                    waiting.outcome.set_exception(error)
        else:
            for waiting, text in zip(together, decoded, strict=True):
                if not waiting.outcome.done():
                    waiting.outcome.set_result(text)

    async def _done(self, requests: Sequence[Request]) -> list[Decoded]:
        if self._thread is None:
            self._hung = [thread for thread in self._hung if thread.is_busy]
            if len(self._hung) >= _MOST_HUNG:
                raise EngineHung("the model hangs; a restart helps")
            self._thread = WhisperThread(self._load)
            await self._in_time(self._thread, (), self._loads_within_s)
        return await self._in_time(self._thread, requests, self._decodes_within_s)

    async def _in_time(
        self, thread: WhisperThread, requests: Sequence[Request], within_s: float
    ) -> list[Decoded]:
        try:
            async with asyncio.timeout(within_s):
                return await thread.do(requests)
        except TimeoutError as error:
            thread.close()
            self._hung.append(thread)
            self._thread = None
            raise EngineHung(f"no answer in {within_s:.0f} s") from error

    def _queued(self, request: Request | None, deadline: float) -> asyncio.Future[Decoded | None]:
        self._waiting = [one for one in self._waiting if not one[2].outcome.done()]
        heapq.heapify(self._waiting)
        if len(self._waiting) >= _MOST_WAITING:
            raise EngineOverrun(f"{_MOST_WAITING} requests wait")
        outcome: asyncio.Future[Decoded | None] = asyncio.get_running_loop().create_future()
        waiting = _Waiting(request=request, outcome=outcome)
        heapq.heappush(self._waiting, (deadline, next(self._numbers), waiting))
        self._arrived.set()
        return outcome


def _fits(waiting: _Waiting, together: Sequence[_Waiting]) -> bool:
    """Whether it goes into the run of the others."""
    request = waiting.request
    others = [one.request for one in together]
    return (
        request is not None
        and all(
            other is not None and (other.language, other.thorough) == (request.language, request.thorough)
            for other in others
        )
        and share_a_run([request.seconds, *(other.seconds for other in others if other is not None)])
    )
