"""How the news of a task reaches people, in virtual time (TASK-11, TASK-31, TASK-32, TASK-34)."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recipes.tasks.deliveries import Deliveries, RoomBusy, RoomGone, VoiceFloor
from recipes.tasks.delivery_rules import (
    LONGEST_WAIT_S,
    MOST_POSTED,
    MOST_SPOKEN,
    SAFE_WINDOW_S,
    DeadlineReached,
    FloorFreed,
    FloorTaken,
    Phase,
    Posted,
    PostFailed,
    Spoken,
    Telling,
    TellingEffect,
    TellingEvent,
    VoiceEnded,
    WrittenDirectly,
    begun,
    decide,
)
from recipes.tasks.in_memory import TasksInMemory
from recipes.tasks.task import NewsState, Task, TaskState
from tests.manual_clock import ManualClock
from tests.task_setup import NOON, task


def test_in_voice_it_waits_for_a_safe_moment_and_counts_only_when_heard() -> None:
    """TASK-11, TASK-32 (7): an interruption postpones the words and cancels nothing; then text."""
    telling, effects = begun(in_voice=True, floor_free=False, at=0.0)
    assert (telling.phase, telling.deadline, effects) == (Phase.AWAITS_FLOOR, None, ())
    telling, _ = decide(telling, FloorFreed(at=1.0))
    telling, _ = decide(telling, FloorTaken(at=1.3))
    telling, effects = decide(telling, DeadlineReached(at=1.7))
    assert effects == ()
    for attempt in range(MOST_SPOKEN):
        telling, _ = decide(telling, FloorFreed(at=float(attempt)))
        assert telling.deadline == attempt + SAFE_WINDOW_S
        telling, effects = decide(telling, DeadlineReached(at=attempt + SAFE_WINDOW_S))
        assert effects == (TellingEffect.SPEAK,)
        telling, effects = decide(telling, Spoken(at=9.0, heard=False))
    assert (telling.phase, effects) == (Phase.POSTING, (TellingEffect.POST,))
    assert decide(telling, Posted(at=10.0))[0].phase is Phase.TOLD


def test_heard_to_the_end_it_is_told_and_not_posted() -> None:
    """TASK-11."""
    telling, _ = begun(in_voice=True, floor_free=True, at=0.0)
    telling, effects = decide(telling, DeadlineReached(at=SAFE_WINDOW_S))
    assert effects == (TellingEffect.SPEAK,)
    telling, effects = decide(telling, Spoken(at=5.0, heard=True))
    assert (telling.phase, effects) == (Phase.TOLD, ())


def test_a_room_that_is_gone_leaves_the_requester_alone_to_tell() -> None:
    """TASK-11: never a more public place."""
    telling, _ = begun(in_voice=False, floor_free=False, at=0.0)
    telling, effects = decide(telling, PostFailed(at=0.0, gone=True))
    assert effects == (TellingEffect.WRITE_DIRECTLY,)
    assert decide(telling, WrittenDirectly(at=1.0, arrived=True))[0].phase is Phase.TOLD
    assert decide(telling, WrittenDirectly(at=1.0, arrived=False))[0].phase is Phase.KEPT


def test_tries_are_bounded() -> None:
    """TASK-11, TASK-32 (8)."""
    telling, effects = begun(in_voice=False, floor_free=False, at=0.0)
    posts = 0
    while telling.phase is not Phase.KEPT:
        posts += effects.count(TellingEffect.POST)
        telling, effects = decide(telling, PostFailed(at=0.0, gone=False))
        if telling.deadline is not None:
            telling, effects = decide(telling, DeadlineReached(at=telling.deadline))
    assert posts == MOST_POSTED


floor_events = st.sampled_from(["free", "taken", "late", "ended", "heard", "unheard"])


@given(st.booleans(), st.lists(floor_events, max_size=40))
def test_whatever_happens_on_the_floor_it_is_said_or_written_at_most_once(
    free: bool, happening: list[str]
) -> None:
    """TASK-11: in any order of events; nothing is spoken after it was heard, nothing is posted then."""
    telling, effects = begun(in_voice=True, floor_free=free, at=0.0)
    heard = 0
    spoken, posted = 0, 0
    for now, what in enumerate(happening):
        event: TellingEvent
        match what:
            case "free":
                event = FloorFreed(at=now)
            case "taken":
                event = FloorTaken(at=now)
            case "late":
                event = DeadlineReached(at=now)
            case "ended":
                event = VoiceEnded(at=now)
            case _:
                event = Spoken(at=now, heard=what == "heard")
                heard += telling.phase is Phase.SPEAKING and what == "heard"
        telling, effects = decide(telling, event)
        spoken += effects.count(TellingEffect.SPEAK)
        posted += effects.count(TellingEffect.POST)
        assert heard + posted <= 1
        assert spoken <= MOST_SPOKEN
        assert isinstance(telling, Telling)


@dataclass
class Room:
    """An announcement that remembers; `posts` says what becomes of each try."""

    posts: list[type[Exception] | None] = field(default_factory=list[type[Exception] | None])
    direct: bool = True
    voice: VoiceFloor | None = None
    done: list[str] = field(default_factory=list[str])

    def floor(self, task: Task) -> VoiceFloor | None:
        return self.voice

    async def post(self, task: Task) -> None:
        failure = self.posts.pop(0) if self.posts else None
        if failure is not None:
            raise failure(task.id)
        self.done.append(f"posted {task.result}")

    async def write_directly(self, task: Task) -> bool:
        self.done.append("direct")
        return self.direct

    async def remember(self, task: Task, *, asks: bool) -> None:
        self.done.append("asks" if asks else "remembers")


@dataclass
class Floor:
    """A voice scene in which each attempt is heard or not."""

    hears: list[bool]
    wakes: list[bool] = field(default_factory=list[bool])
    listeners: list[Callable[[TellingEvent], None]] = field(
        default_factory=list[Callable[[TellingEvent], None]]
    )

    def is_free(self) -> bool:
        return True

    def listen(self, changed: Callable[[TellingEvent], None]) -> Callable[[], None]:
        self.listeners.append(changed)
        return lambda: self.listeners.remove(changed)

    async def may_speak(self) -> bool:
        return self.wakes.pop(0) if self.wakes else True

    async def speak(self, task: Task) -> bool:
        return self.hears.pop(0)


async def kept_with(*tasks: Task) -> TasksInMemory:
    store = TasksInMemory()
    for one in tasks:
        await store.accept(one)
    return store


def over(name: str = "dig", **more: Any) -> Task:
    return replace(task(name, state=TaskState.COMPLETED, result="gold"), **more)


async def told(store: TasksInMemory, room: Room, *fresh: Task, clock: ManualClock | None = None) -> None:
    """Deliver until nothing is untold."""
    async with Deliveries(
        news=store, announcement=room, clock=clock or Blocking(), process="one"
    ) as deliveries:
        for one in fresh:
            deliveries.tell(one)
        async with asyncio.timeout(5):
            while await store.untold():
                await asyncio.sleep(0.001)


class Blocking(ManualClock):
    """Renewals of claims never come due."""

    def __init__(self) -> None:
        super().__init__(NOON)
        self.blocks = True


async def test_news_is_told_once_and_the_conversation_knows() -> None:
    """TASK-11, TASK-31."""
    one = over()
    store, room = TasksInMemory(), Room()
    async with Deliveries(news=store, announcement=room, clock=Blocking(), process="one") as deliveries:
        await store.accept(one)
        for _ in range(3):
            deliveries.tell(one)
        async with asyncio.timeout(5):
            while await store.untold():
                await asyncio.sleep(0.001)
    await told(store, room)
    assert room.done == ["posted gold", "asks"]


async def test_an_earlier_process_posted_it_so_it_is_only_remembered() -> None:
    """TASK-3, TASK-11: nothing is announced twice."""
    store, room = await kept_with(over(news=NewsState.POSTED)), Room()
    await told(store, room)
    assert room.done == ["remembers"]


async def test_one_that_breaks_holds_up_no_other() -> None:
    """TASK-32 (8): a malformed result never blocks later ones; it stays for `/task result`."""

    class Broken(Exception):
        pass

    first, second = over("first"), over("second")
    store, room = await kept_with(first, second), Room(posts=[Broken])
    await told(store, room)
    assert room.done == ["posted gold", "remembers"]
    states = {one.request.title: one.news for one in await store.latest(5)}
    assert states == {"first": NewsState.KEPT, "second": NewsState.TOLD}


async def test_gone_rooms_direct_messages_and_what_is_kept() -> None:
    """TASK-11."""
    store, room = await kept_with(over()), Room(posts=[RoomGone], direct=False)
    await told(store, room)
    assert room.done == ["direct"]
    assert (await store.latest(1))[0].news is NewsState.KEPT


async def test_two_processes_tell_it_once_between_them() -> None:
    """TASK-11, REC-9: a renewable claim; a notification is handled once."""
    store = await kept_with(over())
    now = NOON
    assert await store.claim(over().id, "one", now + timedelta(seconds=60), now)
    assert await store.claim(over().id, "one", now + timedelta(seconds=90), now)
    assert not await store.claim(over().id, "two", now + timedelta(seconds=60), now)
    assert await store.claim(over().id, "two", now + timedelta(seconds=190), now + timedelta(seconds=100))


async def test_in_voice_an_unheard_result_is_said_again_then_written() -> None:
    """TASK-11, TASK-32 (5, 7): by the shell, with the real rules."""
    store = await kept_with(over())
    room = Room(voice=Floor(hears=[False, True]))
    await told(store, room)
    assert room.done == ["remembers"]
    store, room = await kept_with(over()), Room(voice=Floor(hears=[False, False, False]))
    await told(store, room)
    assert room.done == ["posted gold", "remembers"]


@pytest.mark.parametrize("wakes", [[False], [True, False]])
async def test_nothing_is_said_where_the_bot_sleeps(wakes: list[bool]) -> None:
    """TASK-11, TASK-16: quiet hours that begin while it waits count, too; it is written instead."""
    store, room = await kept_with(over()), Room(voice=Floor(hears=[], wakes=wakes))
    await told(store, room)
    assert room.done == ["posted gold", "remembers"]


@dataclass
class Talking(Floor):
    """A floor that is taken while something is said; `at_once`: the most that ever was said together."""

    saying: int = 0
    at_once: int = 0

    def is_free(self) -> bool:
        return self.saying == 0

    async def may_speak(self) -> bool:
        await asyncio.sleep(0.01)
        return True

    async def speak(self, task: Task) -> bool:
        self.saying += 1
        self.at_once = max(self.at_once, self.saying)
        self._tell(FloorTaken(at=0.0))
        await asyncio.sleep(0.05)
        self.saying -= 1
        self._tell(FloorFreed(at=0.0))
        return True

    def _tell(self, event: TellingEvent) -> None:
        for listener in tuple(self.listeners):
            listener(event)


async def test_two_results_are_said_one_after_the_other() -> None:
    """TASK-11: both wait for the same silence."""
    store, floor = await kept_with(over("a"), over("b")), Talking(hears=[])
    room = Room(voice=floor)
    await told(store, room)
    assert floor.at_once == 1
    assert room.done == ["remembers", "remembers"]


def test_where_somebody_always_speaks_it_is_written_after_a_while() -> None:
    """TASK-11: a reminder does not wait for the end of a talk."""
    telling, _ = begun(in_voice=True, floor_free=True, at=0.0)
    telling, _ = decide(telling, FloorTaken(at=0.1))
    assert telling.wakes_at == LONGEST_WAIT_S
    assert decide(telling, DeadlineReached(at=LONGEST_WAIT_S - 1))[1] == ()
    assert decide(telling, DeadlineReached(at=LONGEST_WAIT_S))[1] == (TellingEffect.POST,)
    again, _ = decide(telling, FloorFreed(at=LONGEST_WAIT_S - 0.1))
    assert again.wakes_at == LONGEST_WAIT_S - 0.1 + SAFE_WINDOW_S
    assert decide(again, DeadlineReached(at=LONGEST_WAIT_S + 0.6))[1] == (TellingEffect.SPEAK,)


async def test_a_busy_room_is_tried_again() -> None:
    """TASK-11."""
    store, room = await kept_with(over()), Room(posts=[RoomBusy])
    await told(store, room)
    assert room.done == ["posted gold", "remembers"]
