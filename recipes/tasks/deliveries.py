"""Brings the news of tasks to people, each once, whatever crashes (TASK-11, TASK-31).

The phases and their order are `delivery_rules.py`; this wakes it, and does what it asks for. A claim in the
database, renewed while the telling goes on, keeps two processes from telling one result. Each result is told
on its own: one that cannot be told holds up no other.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from types import TracebackType
from typing import Final, Protocol, Self

import structlog

from core.clock import Clock
from recipes.tasks.delivery_rules import (
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
from recipes.tasks.task import NewsState, Task, TaskState
from recipes.tasks.task_rules import FINAL
from recipes.tasks.task_store import TaskNews

_log = structlog.get_logger()
_CLAIMED_FOR: Final = timedelta(seconds=60)
_RENEWED_AFTER_S: Final = 20.0


class RoomGone(Exception):
    """The scene that asked is not there any more, or takes nothing."""


class RoomBusy(Exception):
    """It could not be told now; it may be later."""


class VoiceFloor(Protocol):
    """A voice scene as results see it. None of its calls blocks the talk."""

    def is_free(self) -> bool:
        """Nobody speaks, and no answer is on its way."""
        ...

    def listen(self, changed: Callable[[TellingEvent], None]) -> Callable[[], None]:
        """Tell `changed` of `FloorFreed`, `FloorTaken` and `VoiceEnded`; returns what ends that."""
        ...

    async def may_speak(self) -> bool:
        """Whether anything unasked is said there now: not while the bot sleeps (TASK-16)."""
        ...

    async def speak(self, task: Task) -> bool:
        """Say the result; True once its playback reached the end."""
        ...


class TaskAnnouncement(Protocol):
    """How results and progress look in one kind of scene. Replaceable as a whole (TASK-31)."""

    def floor(self, task: Task) -> VoiceFloor | None:
        """The voice scene of the task's channel; None where nobody talks."""
        ...

    async def post(self, task: Task) -> None:
        """Put it into the room that asked, once, whatever an earlier try left there.

        Raises:
            RoomGone, RoomBusy: it does not stand there.
        """
        ...

    async def write_directly(self, task: Task) -> bool:
        """To the requester alone; False when that is not possible."""
        ...

    async def remember(self, task: Task, *, asks: bool) -> None:
        """Let the conversation know, once. `asks`: it may say something about it."""
        ...


def _everything(_task: Task) -> bool:
    return True


class Deliveries:
    """Used as an async context manager while there are rooms to tell.

    `tells`: which tasks can be told there; the others wait for who can.
    """

    def __init__(
        self,
        *,
        news: TaskNews,
        announcement: TaskAnnouncement,
        clock: Clock,
        process: str,
        tells: Callable[[Task], bool] = _everything,
    ) -> None:
        self._news = news
        self._tells = tells
        self._announcement = announcement
        self._clock = clock
        self._process = process
        self._telling: dict[str, asyncio.Task[None]] = {}
        self._tasks = asyncio.TaskGroup()

    async def __aenter__(self) -> Self:
        """Begin, with what an earlier process left untold."""
        await self._tasks.__aenter__()
        for task in await self._news.untold():
            self.tell(task, is_fresh=False)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for telling in self._telling.values():
            telling.cancel()
        await self._tasks.__aexit__(kind, error, trace)

    def tell(self, task: Task, *, is_fresh: bool = True) -> None:
        """Tell of a task that is over; nothing happens when that goes on already.

        `is_fresh`: it ended just now, in this process, so the conversation may say something about it.
        """
        if task.state in FINAL and task.id not in self._telling and self._tells(task):
            telling = self._tasks.create_task(self._tell(task, is_fresh=is_fresh), name=f"news {task.id}")
            self._telling[task.id] = telling
            telling.add_done_callback(lambda _: self._telling.pop(task.id, None))

    async def _tell(self, task: Task, *, is_fresh: bool) -> None:
        try:
            while not await self._claimed(task):
                await self._clock.sleep(_CLAIMED_FOR.total_seconds())
            async with asyncio.TaskGroup() as tasks:
                renewing = tasks.create_task(self._renew(task))
                try:
                    await self._bring(task, is_fresh=is_fresh)
                finally:
                    renewing.cancel()
        except Exception as error:  # noqa: BLE001 - a result that breaks its telling holds up no other
            _log.error("news not told", task=task.id, exc_info=error)
            with suppress(Exception):
                await self._news.set_news(task.id, NewsState.KEPT, announced=task.announced + 1)

    async def _bring(self, task: Task, *, is_fresh: bool) -> None:
        announced = task.announced
        if task.state is TaskState.CANCELLED:
            await self._news.set_news(task.id, NewsState.TOLD, announced=announced)
            return
        if task.news is NewsState.WAITING:
            announced += 1
            phase = await self._carry(task)
            if phase is Phase.KEPT:
                await self._news.set_news(task.id, NewsState.KEPT, announced=announced)
                return
            await self._news.set_news(task.id, NewsState.POSTED, announced=announced)
        await self._announcement.remember(task, asks=is_fresh)
        await self._news.set_news(task.id, NewsState.TOLD, announced=announced)

    async def _carry(self, task: Task) -> Phase:
        """Through the phases, to `told` or `kept`."""
        floor = self._announcement.floor(task)
        if floor is not None and not await floor.may_speak():
            floor = None
        events: asyncio.Queue[TellingEvent] = asyncio.Queue(64)

        def heard_of(event: TellingEvent) -> None:
            with suppress(asyncio.QueueFull):  # while it speaks; the floor is asked again afterwards
                events.put_nowait(event)

        ends = None if floor is None else floor.listen(heard_of)
        free = floor is not None and floor.is_free()
        telling, effects = begun(in_voice=floor is not None, floor_free=free, at=self._clock.monotonic())
        try:
            while telling.phase not in (Phase.TOLD, Phase.KEPT):
                for effect in effects:
                    await events.put(await self._done(effect, task, floor))
                    if effect is TellingEffect.SPEAK and floor is not None and floor.is_free():
                        heard_of(FloorFreed(at=self._clock.monotonic()))
                event = await self._next(telling, events)
                if floor is not None and telling.phase is Phase.AWAITS_FLOOR:
                    event = await self._looked_at(telling, event, floor)
                telling, effects = decide(telling, event)
        finally:
            if ends is not None:
                ends()
        return telling.phase

    async def _next(self, telling: Telling, events: asyncio.Queue[TellingEvent]) -> TellingEvent:
        if telling.wakes_at is None:
            return await events.get()
        left_s = max(0.0, telling.wakes_at - self._clock.monotonic())
        try:
            async with asyncio.timeout(left_s):
                return await events.get()
        except TimeoutError:
            return DeadlineReached(at=self._clock.monotonic())

    async def _looked_at(self, telling: Telling, event: TellingEvent, floor: VoiceFloor) -> TellingEvent:
        """The moment to speak, looked at: it may be quiet hours by now, and another result may be faster."""
        if not isinstance(event, DeadlineReached):
            return event
        if not await floor.may_speak():
            return VoiceEnded(at=event.at)
        is_taken = telling.deadline is not None and not floor.is_free()
        return FloorTaken(at=event.at) if is_taken else event

    async def _done(self, effect: TellingEffect, task: Task, floor: VoiceFloor | None) -> TellingEvent:
        match effect:
            case TellingEffect.SPEAK if floor is not None:
                return Spoken(heard=await floor.speak(task), at=self._clock.monotonic())
            case TellingEffect.WRITE_DIRECTLY:
                arrived = await self._announcement.write_directly(task)
                return WrittenDirectly(at=self._clock.monotonic(), arrived=arrived)
            case _:
                return await self._posted(task)

    async def _posted(self, task: Task) -> TellingEvent:
        try:
            await self._announcement.post(task)
        except RoomGone:
            return PostFailed(at=self._clock.monotonic(), gone=True)
        except RoomBusy:
            return PostFailed(at=self._clock.monotonic(), gone=False)
        return Posted(at=self._clock.monotonic())

    async def _claimed(self, task: Task) -> bool:
        now = self._clock.now()
        return await self._news.claim(task.id, self._process, now + _CLAIMED_FOR, now)

    async def _renew(self, task: Task) -> None:
        while True:
            await self._clock.sleep(_RENEWED_AFTER_S)
            await self._claimed(task)
