"""How tasks are told is one thing that a deployment may replace as a whole (TASK-31)."""

import inspect
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

from bot.wiring.discord_bot import running_discord
from bot.wiring.tasks import TaskFront, TaskRooms, announcing_tasks, task_announcement_factory
from recipes.tasks.permission_rules import PermissionRequest
from recipes.tasks.task import Task
from tests.rules.test_task_deliveries import Room
from tests.task_setup import GENERAL, request, task


@dataclass
class Display:
    shown: list[str] = field(default_factory=list[str])

    def changed(self, task: Task) -> None:
        self.shown.append(task.id)

    def active(self, task_id: str) -> None:
        self.shown.append(task_id)


class WatchedTasks:
    """What the bot has of tasks, as far as telling them goes."""

    def __init__(self) -> None:
        self.permissions = self
        self.asks: list[object] = []
        self.announced: list[object] = []

    def show_by(self, shows: object) -> None:
        self.asks.append(shows)

    @asynccontextmanager
    async def announcing(
        self, news: object, display: object, *, tells: Callable[[Task], bool]
    ) -> AsyncIterator[None]:
        self.announced += [news, display, tells(task()), tells(task(request=elsewhere()))]
        yield


def elsewhere() -> Any:
    return request(place=type(GENERAL)(session_id="console:local"))


async def test_one_factory_replaces_how_tasks_are_told() -> None:
    """TASK-31: news, progress and requests together; what belongs to the terminal is left to the terminal."""
    room, display, tasks = Room(), Display(), WatchedTasks()

    async def ask(asked: PermissionRequest, of: Task) -> None:
        """Nothing is shown."""

    @asynccontextmanager
    async def own(rooms: TaskRooms) -> AsyncGenerator[TaskFront]:
        yield TaskFront(news=room, display=display, ask=ask)

    rooms = cast("TaskRooms", SimpleNamespace(core=SimpleNamespace(domains=SimpleNamespace(tasks=tasks))))
    async with announcing_tasks(rooms, own):
        assert tasks.announced == [room, display, True, False]
        assert tasks.asks == [ask]
    assert tasks.asks == [ask, None]
    seam = inspect.signature(running_discord).parameters["task_announcement_factory"]
    assert seam.default is task_announcement_factory
