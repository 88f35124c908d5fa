"""The thread on which Whisper decodes: one run after another, and nobody waits for one that hangs.

It gives way, with the threads that the model starts from it, to those that must send a frame every 20 ms. It
is a daemon: what hangs on it does not hold back the end of the process.
"""

import asyncio
import os
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from queue import SimpleQueue

from voice.providers.whisper_decoder import Decode, Request
from voice.providers.whisper_rules import Decoded

_NICENESS = 5
_Outcome = asyncio.Future[list[Decoded]]
_Job = tuple[Sequence[Request], _Outcome]


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

    def do(self, requests: Sequence[Request]) -> _Outcome:
        """What becomes of the requests, in one run; of none, once the model is loaded.

        Cancelled, they are done even so.
        """
        outcome: _Outcome = self._loop.create_future()
        self._jobs.put((requests, outcome))
        return outcome

    def close(self) -> None:
        """Ends with what it does now."""
        self._jobs.put(None)

    def _work(self) -> None:
        _yield_to_others()
        while (job := self._jobs.get()) is not None:
            requests, outcome = job
            try:
                told = partial(_succeed, outcome, self._done(requests))
            except Exception as error:  # noqa: BLE001 - handed to the one who waits
                told = partial(_fail, outcome, error)
            with suppress(RuntimeError):  # the loop is closed, and nobody waits
                self._loop.call_soon_threadsafe(told)

    def _done(self, requests: Sequence[Request]) -> list[Decoded]:
        if self._decode is None:
            self._decode = self._load()
        return self._decode(requests) if requests else []


def _succeed(outcome: _Outcome, decoded: list[Decoded]) -> None:
    if not outcome.done():
        outcome.set_result(decoded)


def _fail(outcome: _Outcome, error: Exception) -> None:
    if not outcome.done():
        outcome.set_exception(error)


def _yield_to_others() -> None:
    """Linux counts niceness by thread; elsewhere the thread stays as it is."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)
