"""What a signal does to the process (SET-3)."""

import asyncio
import os
import signal
from collections.abc import Coroutine, Iterable

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_INTERRUPTED = 130


def stop_on_signals(stopping: asyncio.Event) -> None:
    """The first SIGINT or SIGTERM sets `stopping`; a second one ends the process at once (SET-3)."""

    def stop() -> None:
        if stopping.is_set():
            os._exit(_INTERRUPTED)
        stopping.set()

    loop = asyncio.get_running_loop()
    for number in STOP_SIGNALS:
        loop.add_signal_handler(number, stop)


async def until_signal(work: Coroutine[None, None, None], *, signals: Iterable[signal.Signals]) -> int:
    """Do `work` to its end, or until one of the signals cancels it; returns the exit code."""
    received: list[signal.Signals] = []
    loop = asyncio.get_running_loop()
    async with asyncio.TaskGroup() as tasks:
        working = tasks.create_task(work)

        def stop(number: signal.Signals) -> None:
            received.append(number)
            working.cancel()

        for number in signals:
            loop.add_signal_handler(number, stop, number)
    return _INTERRUPTED if signal.SIGINT in received else 0
