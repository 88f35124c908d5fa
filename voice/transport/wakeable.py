"""Lets a thread wait for a socket and for a word from the event loop at once, without a lock.

A byte through a pair of sockets wakes the selector. The loop's side never blocks: when the pair is full,
the thread has a reason to wake already.
"""

import selectors
import socket
from typing import Self


class Wakeable:
    """One waiting thread; `wake` may be called from any other."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._waiting, self._waking = socket.socketpair()
        for end in (self._waiting, self._waking):
            end.settimeout(0)
        self._selector.register(self._waiting, selectors.EVENT_READ)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def watch(self, other: socket.socket) -> None:
        """Also wakes when this socket can be read."""
        self._selector.register(other, selectors.EVENT_READ)

    def wait(self, timeout_s: float | None) -> None:
        """Returns when woken, when a watched socket can be read, or when the time is over."""
        for key, _ in self._selector.select(None if timeout_s is None else max(0.0, timeout_s)):
            if key.fileobj is self._waiting:
                try:
                    while self._waiting.recv(512):
                        pass
                except BlockingIOError:
                    pass

    def wake(self) -> None:
        """Ends the present wait, or the next one."""
        try:
            self._waking.send(b"\0")
        except (BlockingIOError, OSError):
            return

    def close(self) -> None:
        """For the thread, when it waits no more."""
        self._selector.close()
        self._waiting.close()
        self._waking.close()
