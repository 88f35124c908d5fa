"""The thread that hears one voice session: it owns the reading of the UDP socket and all work on what comes.

One thread serves every speaker. It reads in batches, lets the hearing's deadlines pass between them, and
never ends for a packet: an error is counted and reported once, and the next packet is read (VOX-5). It
does not touch the event loop but for `HeardEvents` and the word that it has ended, so nothing here waits
for anybody's Python.
"""

import asyncio
import socket
import threading
import time
from collections import deque
from collections.abc import Callable

import structlog

from voice.transport.hearing import Hearing
from voice.transport.receiving_pace_rules import ALONE, WORTH_A_SLEEP_S, pace_after
from voice.transport.rtp import MAXIMUM_DATAGRAM
from voice.transport.speaker_log import SpeakerLogs
from voice.transport.wakeable import Wakeable

_log = structlog.stdlib.get_logger(__name__)
_MOST_DATAGRAMS = 128
"""In a round; what came beyond it waits for the next one."""
_MOST_LEFT = 512
"""Users who left since the last round; of whoever falls out, what is heard no more is forgotten by itself."""
_MOST_FAILURES = 100
"""In a row; then the socket itself is broken, and the watchdog renews the session."""


class Receiver:
    """Started by the loop; `stop` asks it to end, `stopped` waits for that. The socket stays open."""

    def __init__(
        self, udp: socket.socket, hearing: Hearing, logs: SpeakerLogs, *, after_batch: Callable[[], None]
    ) -> None:
        self._udp = udp
        self._hearing = hearing
        self._logs = logs
        self._after_batch = after_batch
        self._last_round = 0.0
        self._pace = ALONE
        self._loop = asyncio.get_running_loop()
        self._ended = asyncio.Event()
        self._wakeable = Wakeable()
        self._wakeable.watch(udp)
        self._left: deque[int] = deque(maxlen=_MOST_LEFT)
        self._stopping = self._changed = False
        self._reported: set[str] = set()
        self._thread = threading.Thread(target=self._run, name="voice-receiver", daemon=True)
        self._thread.start()

    def keys_changed(self) -> None:
        """A key or the user of an SSRC became known: held frames are worth another try."""
        self._changed = True
        self._wakeable.wake()

    def user_left(self, user_id: int) -> None:
        """The gateway told that the user is gone."""
        self._left.append(user_id)
        self._wakeable.wake()

    def stop(self) -> None:
        """Ends the thread after its present packet."""
        self._stopping = True
        self._wakeable.wake()

    async def stopped(self) -> None:
        """The thread will not touch the socket any more."""
        await self._ended.wait()

    # the thread

    def _run(self) -> None:
        failures = 0
        try:
            while not self._stopping and failures < _MOST_FAILURES:
                failures = 0 if self._succeeds(self._round) else failures + 1
            self._succeeds(self._hearing.close)
            self._succeeds(self._after_batch)
        finally:
            self._wakeable.close()
            self._tell_loop()

    def _round(self) -> None:
        due = self._hearing.deadline
        if self._pace.asks_first:
            self._wakeable.wait(None if due is None else due - time.monotonic())
        early = self._last_round + self._pace.apart_s - time.monotonic()
        if early > WORTH_A_SLEEP_S:
            time.sleep(early)
        changed = self._changed
        self._changed = False
        now = time.monotonic()
        while self._left:
            self._hearing.user_left(self._left.popleft(), now)
        passed_s, self._last_round = now - self._last_round, now
        try:
            self._pace = pace_after(self._hear_what_came(now), passed_s)
            due = self._hearing.deadline
            if changed or (due is not None and now >= due):
                self._hearing.advance(now, all_ears=changed)
        finally:
            self._after_batch()

    def _hear_what_came(self, now: float) -> int:
        """A batch of datagrams; gives how many."""
        receive, hear = self._udp.recv, self._hearing.feed
        for number in range(_MOST_DATAGRAMS):
            try:
                datagram = receive(MAXIMUM_DATAGRAM + 1)
            except (BlockingIOError, InterruptedError):
                return number
            except ConnectionError as error:  # the port of a server that is gone; the gateway will tell
                self._logs.refuse(type(error).__name__)
                return number
            except OSError:
                if not self._stopping:  # a session that is cut short closes its socket meanwhile
                    raise
                return number
            try:
                hear(datagram, now)
            except Exception as error:  # noqa: BLE001 - no packet costs more than itself, however many come
                self._report(error)
        return _MOST_DATAGRAMS

    def _succeeds(self, step: Callable[[], None]) -> bool:
        try:
            step()
        except Exception as error:  # noqa: BLE001 - the thread goes on
            self._report(error)
            return False
        return True

    def _report(self, error: Exception) -> None:
        kind = type(error).__name__
        self._logs.refuse(f"receiver: {kind}")
        if kind not in self._reported:
            self._reported.add(kind)
            _log.error("a packet broke the receiver's step", kind=kind, exc_info=error)

    def _tell_loop(self) -> None:
        try:
            self._loop.call_soon_threadsafe(self._ended.set)
        except RuntimeError:  # the loop is closed already
            return
