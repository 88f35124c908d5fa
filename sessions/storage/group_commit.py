"""Group commit: one writer, and writes that wait at the same time share one transaction.

Writes are carried out in the order in which they were submitted, and each caller goes on after its commit.
When one of a group fails, the group is rolled back and each of its writes is carried out again in a
transaction of its own, so that a failure is its own caller's alone. Savepoints would do the same at the
price of two more statements for every write that succeeds.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar, cast

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from sessions.failures import StorageFailed

_T = TypeVar("_T")

Work = Callable[[Connection], _T]
Settled = Callable[[_T], None]

_NOT_RUN = object()


class ConstraintRefused(StorageFailed):
    """The tables refused the row: something like it is there, or what it belongs to is not."""


class PendingWrite(Generic[_T]):
    """A write on its way; `future` tells its caller how it went."""

    def __init__(self, work: Work[_T], on_commit: Settled[_T] | None, future: asyncio.Future[_T]) -> None:
        self._work = work
        self._on_commit = on_commit
        self._value: _T | object = _NOT_RUN
        self._failure: Exception | None = None
        self.future = future

    def carry_out(self, connection: Connection) -> None:
        """Runs in the transaction, wherever the writer has it run."""
        self._value = self._work(connection)

    def fail(self, failure: Exception) -> None:
        """Nothing of it was kept."""
        self._failure = failure

    def settle(self) -> None:
        """Runs on the loop, in the order of the commits."""
        failure = self._failure
        if failure is None and self._value is _NOT_RUN:
            failure = StorageFailed("the writer stopped before this write")
        if failure is None:
            value = cast("_T", self._value)
            if self._on_commit is not None:
                self._on_commit(value)
            if not self.future.done():
                self.future.set_result(value)
        elif not self.future.done():
            self.future.set_exception(failure)


Group = Sequence[PendingWrite[object]]


def commit_group(connection: Connection, group: Group) -> None:
    """Carries out a group on a connection that has no transaction; blocks for as long as that takes."""
    try:
        with connection.begin():
            for write in group:
                write.carry_out(connection)
    except Exception as failure:  # noqa: BLE001 - whatever it is, it goes to the callers
        if len(group) == 1:
            group[0].fail(translated(failure))
            return
        for write in group:
            commit_group(connection, [write])


def translated(failure: Exception) -> Exception:
    """A failure in the words of `sessions.failures`; our own ones pass."""
    if isinstance(failure, SQLAlchemyError):
        kind = ConstraintRefused if isinstance(failure, IntegrityError) else StorageFailed
        found = kind(described(failure))
        found.__cause__ = failure
        return found
    return failure


def described(failure: Exception) -> str:
    """A foreign failure for the log, without the values of its statement."""
    return f"{type(failure).__name__}: {getattr(failure, 'orig', None) or failure}"


class WriteQueue:
    """The bounded queue of writes before the one writer. Full, it makes callers wait."""

    def __init__(self, *, group_limit: int = 256, queue_limit: int = 4096) -> None:
        self._group_limit = group_limit
        self._room = asyncio.Semaphore(queue_limit)
        self._waiting: deque[PendingWrite[object]] = deque()
        self._arrived = asyncio.Event()
        self._closed = False

    async def submit(self, work: Work[_T], on_commit: Settled[_T] | None = None) -> _T:
        """Queues a write and waits for its commit. Cancelling the wait does not take the write back.

        Raises:
            StorageFailed: the database did not do it, or the queue is closed.
        """
        async with self._room:
            if self._closed:
                raise StorageFailed("the database is closed")
            future: asyncio.Future[_T] = asyncio.get_running_loop().create_future()
            self._waiting.append(cast("PendingWrite[object]", PendingWrite(work, on_commit, future)))
            self._arrived.set()
            return await future

    def close(self) -> None:
        """Refuses further writes; `run` ends when those already queued are settled."""
        self._closed = True
        self._arrived.set()

    async def run(self, commit: Callable[[Group], Awaitable[None]]) -> None:
        """The writer: takes what waits, has it committed, settles it; until the queue is closed."""
        while self._waiting or not self._closed:
            if not self._waiting:
                self._arrived.clear()
                await self._arrived.wait()
                continue
            group = [self._waiting.popleft() for _ in range(min(len(self._waiting), self._group_limit))]
            try:
                await commit(group)
            except Exception as failure:  # noqa: BLE001 - a lost connection fails this group, not the writer
                for write in group:
                    write.fail(translated(failure))
            finally:
                for write in group:
                    write.settle()
