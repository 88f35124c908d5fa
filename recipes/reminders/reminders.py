"""Sets reminders, and waits for them (TASK-14).

A reminder is a task: accepted at once, kept over restarts, stopped like any other, told once. Its work is to
wait until its moment; the clock of the machine may jump meanwhile, so it looks at it once a minute.
"""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from importlib import import_module
from typing import Any, Final, Protocol
from zoneinfo import ZoneInfo

from pydantic import BaseModel, Field

from core.clock import Clock
from core.conversation.turns import UserTurn
from core.failures import Failure
from core.prompts.plain_line import plain_line
from core.tools.context import ToolContext
from core.tools.policies import RepeatPolicy, ToolPolicy
from core.tools.tool import AnyTool, Tool, ToolFailed
from recipes.run_scene import RunAdditions, RunScene
from recipes.tasks.desk import TaskDesk, TaskRefused
from recipes.tasks.steps import Steps
from recipes.tasks.task import MOST_TITLE, Task, TaskKind, TaskRequest, TaskResult
from recipes.tasks.work import TaskWatch

MOST_ABOUT: Final = 1_000
_LOOKS_EVERY_S: Final = 60.0


class SceneZones(Protocol):
    """Knows which time zone holds in a scene."""

    async def zone(self, scene: RunScene) -> ZoneInfo:
        """That of the direct messages or the server; UTC where nobody said."""
        ...


class ReminderWork:
    """The `TaskWorker` of reminders."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    async def result_of(self, task: Task, steps: Steps, watch: TaskWatch) -> TaskResult:
        """See `TaskWorker`."""
        due = task.request.due_at
        if due is None:
            raise Failure("This reminder has no time.", reason="no due time")
        while (left_s := (due - self._clock.now()).total_seconds()) > 0:
            await self._clock.sleep(min(left_s, _LOOKS_EVERY_S))
        return TaskResult(text=task.request.message)

    async def confirm_stop(self, task: Task) -> None:
        """Nobody waits any more once its run is cancelled."""


class Reminders:
    """Sets them for whoever asks."""

    def __init__(self, *, desk: TaskDesk, zones: SceneZones, clock: Clock) -> None:
        self._desk = desk
        self._zones = zones
        self._clock = clock

    async def set(
        self, scene: RunScene, *, when: str, about: str, key: str, asked_by: str | None, zone: str = ""
    ) -> tuple[Task, datetime]:
        """Accept a reminder; the task, and its moment in the person's zone.

        Raises:
            TaskRefused: the words name no moment, or too many are set.
        """
        if scene.speaker is None:
            raise TaskRefused("A reminder belongs to a person, and nobody asked.")
        holds = _zone(zone) if zone.strip() else await self._zones.zone(scene)
        due = await self._moment(when, holds)
        request = TaskRequest(
            title=plain_line(about, limit=MOST_TITLE),
            message=about.strip()[:MOST_ABOUT],
            place=scene.place,
            requester=scene.speaker,
            asked_by=asked_by,
            due_at=due,
        )
        return await self._desk.accept(TaskKind.REMINDER, key, request), due

    async def _moment(self, when: str, zone: ZoneInfo) -> datetime:
        """Beside the loop: reading dates loads many languages at first."""
        rules: Any = await asyncio.to_thread(import_module, "recipes.reminders.schedule_rules")
        try:
            return await asyncio.to_thread(rules.moment_of, when, now=self._clock.now(), zone=zone)
        except rules.NoMoment as refusal:
            raise TaskRefused(*refusal.args) from refusal


class ReminderArguments(BaseModel):
    """When, and of what."""

    when: str = Field(
        max_length=100,
        description='The time in words: "in 20 minutes", "tomorrow at 8:00", "2026-12-24 18:00".',
    )
    about: str = Field(
        min_length=1, max_length=MOST_ABOUT, description="What to remind of, as it is told then."
    )
    time_zone: str = Field(
        default="", description="The person's IANA time zone, only when they named a place or a zone."
    )


class ReminderRuns:
    """What reminders add to a run: their one tool."""

    def __init__(self, reminders: Reminders) -> None:
        self._reminders = reminders

    async def additions(self, scene: RunScene, turns: Sequence[UserTurn]) -> RunAdditions:
        """The tool, where a person asks."""
        asks = bool(turns) and turns[-1].notice is None and scene.speaker is not None
        return RunAdditions(tools=(self._tool(scene, turns[-1]),) if asks else ())

    def _tool(self, scene: RunScene, turn: UserTurn) -> AnyTool:
        async def schedule(arguments: ReminderArguments, _context: ToolContext) -> str:
            try:
                task, due = await self._reminders.set(
                    scene,
                    when=arguments.when,
                    about=arguments.about,
                    key=f"{turn.id}:{arguments.when}:{arguments.about[:60]}",
                    asked_by=turn.id,
                    zone=arguments.time_zone,
                )
            except TaskRefused as refusal:
                raise ToolFailed(str(refusal)) from refusal
            return f"Reminder {task.short_id} is set for {due:%A, %Y-%m-%d %H:%M %Z}."

        return Tool(
            name="schedule_reminder",
            description="Remind the person of something once, at a time, by a message in this place.",
            arguments=ReminderArguments,
            handler=schedule,
            policy=ToolPolicy(repeat=RepeatPolicy.SAME_RESULT),
        )


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name.strip())
    except (KeyError, ValueError, OSError) as error:
        raise TaskRefused(f'"{name[:40]}" is no time zone; say it like Europe/Berlin.') from error
