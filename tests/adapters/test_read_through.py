"""Values kept in memory stay in step with commits, however loads and commits interleave."""

import asyncio

from sessions.storage.read_through import ReadThrough


class Slow:
    """A load that ends when it is told to."""

    def __init__(self, value: list[int]) -> None:
        self.go = asyncio.Event()
        self.value = value

    async def __call__(self) -> list[int]:
        await self.go.wait()
        return self.value


async def test_a_loaded_value_is_kept_and_changed() -> None:
    """CORE-28."""
    held = ReadThrough[str, list[int]](2)
    slow = Slow([1])
    slow.go.set()
    assert await held.load("a", slow) == [1]
    held.change("a", lambda value: value.append(2))
    held.change("b", lambda value: value.append(2))
    assert held.held("a") == [1, 2]
    assert held.held("b") is None
    held.forget("a")
    assert held.held("a") is None


async def test_what_is_changed_during_a_load_is_changed_in_what_it_brings() -> None:
    """CORE-28: a run keeps its turns while it reads its window, and the next one finds both in memory."""
    held = ReadThrough[str, list[int]](2)
    slow, other = Slow([1]), Slow([1])
    async with asyncio.TaskGroup() as tasks:
        load = tasks.create_task(held.load("a", slow))
        untouched = tasks.create_task(held.load("b", other))
        await asyncio.sleep(0)
        held.change("a", lambda value: value.append(2))
        held.change("a", lambda value: value.append(3))
        slow.go.set()
        other.go.set()
    assert load.result() == held.held("a") == [1, 2, 3]
    assert untouched.result() == held.held("b") == [1]


async def test_what_is_written_or_forgotten_during_a_load_is_newer_than_what_it_brings() -> None:
    """CORE-28, CORE-18: it may be the state before the commit."""
    held = ReadThrough[str, list[int]](2)
    for overtake, kept in ((lambda: held.keep("a", [5]), [5]), (lambda: held.forget("a"), None)):
        slow = Slow([1])
        async with asyncio.TaskGroup() as tasks:
            load = tasks.create_task(held.load("a", slow))
            await asyncio.sleep(0)
            overtake()
            slow.go.set()
        assert load.result() == [1]
        assert held.held("a") == kept


async def test_the_least_recently_used_gives_way() -> None:
    """CORE-28: bounded."""
    held = ReadThrough[str, int](2)
    held.keep("a", 1)
    held.keep("b", 2)
    assert held.held("a") == 1
    held.keep("c", 3)
    assert [held.held(key) for key in "abc"] == [1, None, 3]


async def test_a_load_that_fails_leaves_nothing_behind() -> None:
    """CORE-28."""
    held = ReadThrough[str, int](2)

    async def broken() -> int:
        raise OSError

    for _ in range(2):
        try:
            await held.load("a", broken)
        except OSError:
            continue
    assert held._loads == {}
    assert held.held("a") is None
