"""The one writer: groups, order, failures of one's own, cancellation, the end."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest
from sqlalchemy import Column, Connection, Integer, MetaData, Table, insert, select, text

from sessions.failures import StorageFailed
from sessions.storage.database import Database, sqlite_url
from sessions.storage.group_commit import Group, WriteQueue

numbers = Table("numbers", MetaData(), Column("number", Integer, primary_key=True))


class Refused(Exception):
    pass


def put(connection: Connection, number: int) -> int:
    connection.execute(insert(numbers), {"number": number})
    return number


def refuse(connection: Connection) -> int:
    put(connection, 999)
    raise Refused


def all_numbers(connection: Connection) -> list[int]:
    return list(connection.execute(select(numbers.c.number).order_by(text("rowid"))).scalars())


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    async with Database(sqlite_url(tmp_path / "x.db")) as opened:
        await opened.write(numbers.create)
        yield opened


async def test_writes_that_wait_together_are_committed_together(database: Database) -> None:
    """SCENE-7, TEXT-11: many small writes, few commits; each caller goes on after its own."""
    seen: list[int] = []
    transactions: list[object] = []

    def work(connection: Connection, number: int) -> int:
        transactions.append(connection.get_transaction())
        return put(connection, number)

    async def one(number: int) -> None:
        assert await database.write(lambda connection: work(connection, number)) == number
        seen.extend(n for n in await database.read(all_numbers) if n == number)

    async with asyncio.TaskGroup() as writers:
        for number in range(200):
            writers.create_task(one(number))
    assert sorted(seen) == list(range(200))
    assert await database.read(all_numbers) == list(range(200))
    assert len(transactions) == 200
    assert len(set(transactions)) <= 20


async def test_a_failing_write_fails_alone(database: Database) -> None:
    """SCENE-7: its neighbours in the group are committed, in their order, once."""
    works = [
        lambda connection, n=n: refuse(connection) if n % 3 == 1 else put(connection, n) for n in range(30)
    ]
    results = await asyncio.gather(*(database.write(work) for work in works), return_exceptions=True)
    for number, result in enumerate(results):
        assert isinstance(result, Refused) if number % 3 == 1 else result == number
    assert await database.read(all_numbers) == [n for n in range(30) if n % 3 != 1]


async def test_a_refused_statement_fails_alone_and_says_so_without_its_values(database: Database) -> None:
    """CORE-30: what the database says may go to a log, what the room said may not."""
    results = await asyncio.gather(
        database.write(lambda connection: put(connection, 1)),
        database.write(
            lambda connection: connection.execute(text("INSERT INTO nowhere VALUES (:a)"), {"a": "secret"})
        ),
        database.write(lambda connection: put(connection, 1)),
        database.write(lambda connection: put(connection, 2)),
        return_exceptions=True,
    )
    assert [result for result in results if isinstance(result, int)] == [1, 2]
    for failure in (results[1], results[2]):
        assert isinstance(failure, StorageFailed)
        assert "secret" not in failure.reason + str(failure.__cause__)
        assert failure.advice.startswith("I could not save")


async def test_callbacks_come_in_the_order_of_the_commits(database: Database) -> None:
    """CORE-28: what is kept in memory follows what is stored."""
    order: list[int] = []
    await asyncio.gather(
        *(database.write(lambda connection, n=n: put(connection, n), order.append) for n in range(50))
    )
    assert order == await database.read(all_numbers)


async def test_what_a_constraint_refused_is_done_instead(database: Database) -> None:
    """SCENE-7: a message that comes twice is looked at the second time only."""
    for expected in (1, -1):
        assert (await database.write(lambda connection: put(connection, 1), instead=lambda _: -1)) == expected
    with pytest.raises(Refused):
        await database.write(refuse, instead=lambda _: -1)


async def test_a_cancelled_wait_does_not_take_the_write_back(database: Database) -> None:
    """CORE-36: a run is cancelled at any time; what it had handed over is stored."""
    seen: list[int] = []
    async with asyncio.TaskGroup() as tasks:
        waiting = tasks.create_task(database.write(lambda connection: put(connection, 7), seen.append))
        await asyncio.sleep(0)
        waiting.cancel()
        with suppress(asyncio.CancelledError):
            await waiting
    await database.write(lambda connection: put(connection, 8))
    assert await database.read(all_numbers) == [7, 8]
    assert seen == [7]


async def test_the_end_waits_for_what_was_handed_over(tmp_path: Path) -> None:
    """SCENE-7: a clean stop loses nothing."""
    url = sqlite_url(tmp_path / "x.db")
    async with asyncio.TaskGroup() as tasks:
        async with Database(url) as database:
            await database.write(numbers.create)
            writes = [tasks.create_task(database.write(lambda c, n=n: put(c, n))) for n in range(600)]
            await asyncio.sleep(0)
        assert all(write.done() for write in writes)
    with pytest.raises(StorageFailed, match="closed"):
        await database.write(lambda connection: put(connection, 1))
    async with Database(url) as again:
        assert await again.read(all_numbers) == list(range(600))


async def test_a_failure_inside_the_block_comes_out_and_what_was_written_stays(tmp_path: Path) -> None:
    """SCENE-7: the writer ends in order, whatever ended the program."""
    url = sqlite_url(tmp_path / "x.db")
    with pytest.raises(Refused):
        async with Database(url) as database:
            await database.write(numbers.create)
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(database.write(lambda connection: put(connection, 1)))
            raise Refused
    async with Database(url) as again:
        assert await again.read(all_numbers) == [1]


async def test_a_full_queue_makes_callers_wait() -> None:
    """CORE-18: memory is bounded however fast the room talks."""
    queue = WriteQueue(group_limit=2, queue_limit=4)
    groups: list[int] = []
    gate = asyncio.Event()

    async def commit(group: Group) -> None:
        groups.append(len(group))
        await gate.wait()
        for write in group:
            write.fail(Refused())

    async with asyncio.TaskGroup() as tasks:
        callers = [tasks.create_task(expect_refused(queue)) for _ in range(10)]
        writer = tasks.create_task(queue.run(commit))
        await asyncio.sleep(0.02)
        assert groups == [2]
        assert len(queue._waiting) == 2
        gate.set()
        await asyncio.wait(callers)
        queue.close()
        await writer
    assert max(groups) == 2
    assert sum(groups) == 10


async def expect_refused(queue: WriteQueue) -> None:
    with pytest.raises(Refused):
        await queue.submit(lambda _: None)


async def test_a_lost_connection_fails_its_group_and_not_the_writer() -> None:
    """SCENE-7: a database server that restarts is found again."""
    queue = WriteQueue()
    lost = iter([True, False])

    async def commit(group: Group) -> None:
        if next(lost):
            raise ConnectionResetError
        for write in group:
            write.fail(Refused())

    async with asyncio.TaskGroup() as tasks:
        writer = tasks.create_task(queue.run(commit))
        with pytest.raises(ConnectionResetError):
            await queue.submit(lambda _: None)
        await expect_refused(queue)
        queue.close()
        await writer


async def test_the_loop_goes_on_while_the_writer_works(database: Database) -> None:
    """SCENE-7: a slow disk is waited for in the writer's thread."""
    slow = (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000) "
        "SELECT max(i) FROM n"
    )
    turns = 0
    async with asyncio.TaskGroup() as tasks:
        work = tasks.create_task(database.write(lambda connection: connection.execute(text(slow)).scalar()))
        while not work.done():
            turns += 1
            await asyncio.sleep(0)
    assert turns > 50
