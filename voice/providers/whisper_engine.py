"""One Whisper for all channels: requests wait in the order of their deadlines, one is decoded at a time.

The queue lives on the loop, the decoding on a thread; nothing else crosses. The thread, and those that the
model starts from it, give way to the ones that must send a frame every 20 ms. A request that nobody waits for
any more is passed over. One that is being decoded cannot be stopped, but takes a second or two at most.
"""

import asyncio
import heapq
import os
import sys
import threading
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from itertools import count

from voice.providers.serving_tasks import serving_tasks
from voice.providers.whisper_decoder import Decode, Request
from voice.providers.whisper_rules import Decoded

_MOST_WAITING = 64
_NICENESS = 5


class EngineOverrun(Exception):
    """Too many requests wait already."""


@asynccontextmanager
async def whisper_engine(load: Callable[[], Decode]) -> AsyncGenerator["WhisperEngine"]:
    """An engine until the block ends. `load` blocks; it is called on the thread with the first need."""
    executor = ThreadPoolExecutor(1, thread_name_prefix="whisper", initializer=_yield_to_others)
    engine = WhisperEngine(load, executor)
    try:
        async with serving_tasks() as tasks:
            working = tasks.create_task(engine.run())
            try:
                yield engine
            finally:
                working.cancel()
    finally:
        executor.shutdown(wait=False, cancel_futures=True)


class WhisperEngine:
    """See the module."""

    def __init__(self, load: Callable[[], Decode], executor: ThreadPoolExecutor) -> None:
        self._load = load
        self._executor = executor
        self._decode: Decode | None = None
        self._waiting: list[tuple[float, int, Request | None, asyncio.Future[Decoded | None]]] = []
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
        """Decodes until it is cancelled. A request that fails does not end the others."""
        while True:
            while not self._waiting:
                self._arrived.clear()
                await self._arrived.wait()
            _, _, request, outcome = heapq.heappop(self._waiting)
            if outcome.done():
                continue
            self._is_busy = True
            try:
                decoded = await asyncio.get_running_loop().run_in_executor(self._executor, self._do, request)
            except Exception as error:  # noqa: BLE001 - handed to the one who waits
                if not outcome.done():
                    outcome.set_exception(error)
            else:
                if not outcome.done():
                    outcome.set_result(decoded)
            finally:
                self._is_busy = False

    def _queued(self, request: Request | None, deadline: float) -> asyncio.Future[Decoded | None]:
        self._waiting = [one for one in self._waiting if not one[3].done()]
        heapq.heapify(self._waiting)
        if len(self._waiting) >= _MOST_WAITING:
            raise EngineOverrun(f"{_MOST_WAITING} requests wait")
        outcome: asyncio.Future[Decoded | None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (deadline, next(self._numbers), request, outcome))
        self._arrived.set()
        return outcome

    def _do(self, request: Request | None) -> Decoded | None:
        if self._decode is None:
            self._decode = self._load()
        return None if request is None else self._decode(request)


def _yield_to_others() -> None:
    """Linux counts niceness by thread; elsewhere the thread stays as it is."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)
