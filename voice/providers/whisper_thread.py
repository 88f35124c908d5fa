"""The thread on which Whisper decodes: one request after another, and nobody waits for one that hangs.

It gives way, with the threads that the model starts from it, to those that must send a frame every 20 ms. It
is a daemon: what hangs on it does not hold back the end of the process.
"""

import asyncio
import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from queue import SimpleQueue

from voice.providers.whisper_decoder import Decode, Request
from voice.providers.whisper_rules import Decoded

_NICENESS = 5
_Job = tuple[Request | None, asyncio.Future[Decoded | None]]


class WhisperThread:
    """`do` from one loop alone. `load` is called on the thread, before the first request."""

    def __init__(self, load: Callable[[], Decode]) -> None:
        self._load = load
        self._decode: Decode | None = None
        self._loop = asyncio.get_running_loop()
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="whisper", daemon=True)
        self._thread.start()

    @property
    def is_busy(self) -> bool:
        """Whether it has not ended yet."""
        return self._thread.is_alive()

    def do(self, request: Request | None) -> asyncio.Future[Decoded | None]:
        """What becomes of the request; of None, once the model is loaded. Cancelled, it is done even so."""
        outcome: asyncio.Future[Decoded | None] = self._loop.create_future()
        self._jobs.put((request, outcome))
        return outcome

    def close(self) -> None:
        """Ends with what it does now."""
        self._jobs.put(None)

    def _work(self) -> None:
        _yield_to_others()
        while (job := self._jobs.get()) is not None:
            request, outcome = job
            try:
                told = partial(_succeed, outcome, self._done(request))
            except Exception as error:  # noqa: BLE001 - handed to the one who waits
                told = partial(_fail, outcome, error)
            with suppress(RuntimeError):  # the loop is closed, and nobody waits
                self._loop.call_soon_threadsafe(told)

    def _done(self, request: Request | None) -> Decoded | None:
        if self._decode is None:
            self._decode = self._load()
        return None if request is None else self._decode(request)


def _succeed(outcome: asyncio.Future[Decoded | None], decoded: Decoded | None) -> None:
    if not outcome.done():
        outcome.set_result(decoded)


def _fail(outcome: asyncio.Future[Decoded | None], error: Exception) -> None:
    if not outcome.done():
        outcome.set_exception(error)


def _yield_to_others() -> None:
    """Linux counts niceness by thread; elsewhere the thread stays as it is."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)
