"""When a reminder is due, across zones and changes of the clocks (TASK-14)."""

import asyncio
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from bot.scene_zones import StoredZones
from core.conversation.content import Text
from core.conversation.turns import Speaker, UserTurn
from core.identifiers import RandomIds
from core.tools.context import ToolContext
from core.tools.tool import ToolFailed
from recipes.reminders.reminders import ReminderRuns, Reminders, ReminderWork
from recipes.reminders.schedule_rules import NoMoment, moment_of
from recipes.run_scene import Place, RunScene, Standing
from recipes.tasks.desk import TaskDesk
from recipes.tasks.in_memory import TasksInMemory
from recipes.tasks.task import Task, TaskKind, TaskState
from sessions.in_memory import scenes_in_memory
from tests.manual_clock import ManualClock
from tests.task_setup import GENERAL, MIA, SAM, RunsHere

BERLIN = ZoneInfo("Europe/Berlin")
NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)  # 13:00 in Berlin


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("in 20 minutes", "2026-11-30T13:20:00+01:00"),
        ("in 3 hours", "2026-11-30T16:00:00+01:00"),
        ("tomorrow at 8", "2026-12-01T08:00:00+01:00"),
        ("tomorrow at 8:30 pm", "2026-12-01T20:30:00+01:00"),
        ("morgen um 8 Uhr", "2026-12-01T08:00:00+01:00"),
        ("8:30", "2026-12-01T08:30:00+01:00"),
        ("18:15", "2026-11-30T18:15:00+01:00"),
        ("friday", "2026-12-04T09:00:00+01:00"),
        ("2026-12-24 18:00", "2026-12-24T18:00:00+01:00"),
        ("17 Uhr", "2026-11-30T17:00:00+01:00"),
        ("tonight at 8", "2026-11-30T20:00:00+01:00"),
        ("morgen früh um 8", "2026-12-01T08:00:00+01:00"),
        ("heute Abend um 8", "2026-11-30T20:00:00+01:00"),
        ("half past 8", "2026-12-01T08:30:00+01:00"),
        ("in half an hour", "2026-11-30T13:30:00+01:00"),
        ("明天早上九点", "2026-12-01T09:00:00+01:00"),
        ("3小时后", "2026-11-30T16:00:00+01:00"),
        ("明日の午後3時半", "2026-12-01T15:30:00+01:00"),
        ("내일 오후 3시", "2026-12-01T15:00:00+01:00"),
        ("2027-01-01T08:00Z", "2027-01-01T09:00:00+01:00"),
        ("tomorrow 9:00 EST", "2026-12-01T15:00:00+01:00"),
        ("in 2 months", "2027-01-30T13:00:00+01:00"),
    ],
)
def test_words_are_moments_of_the_persons_zone(words: str, expected: str) -> None:
    """TASK-14."""
    assert moment_of(words, now=NOON, zone=BERLIN) == datetime.fromisoformat(expected)


def test_a_time_on_the_wall_stays_when_the_clocks_change_and_a_span_passes() -> None:
    """TASK-14: spring forward in the night to 2027-03-28; 02:30 does not exist there."""
    eve = datetime(2027, 3, 27, 20, 0, tzinfo=BERLIN)
    assert moment_of("tomorrow at 8:00", now=eve, zone=BERLIN) == datetime(2027, 3, 28, 6, 0, tzinfo=UTC)
    assert moment_of("in 12 hours", now=eve, zone=BERLIN) == eve.astimezone(UTC) + timedelta(hours=12)
    skipped = moment_of("2027-03-28 02:30", now=eve, zone=BERLIN)
    assert skipped.astimezone(UTC) == datetime(2027, 3, 28, 1, 30, tzinfo=UTC)
    assert f"{skipped:%H:%M}" == "03:30"
    twice = datetime(2027, 10, 31, 1, 20, tzinfo=UTC)  # 02:20 in Berlin, for the second time
    for words, now, after in (
        ("2:30", twice, timedelta(minutes=10)),
        ("2:30", twice - timedelta(hours=1), timedelta(minutes=10)),
        ("in 90 minutes", twice - timedelta(hours=1), timedelta(minutes=90)),
    ):
        assert moment_of(words, now=now, zone=BERLIN).astimezone(UTC) == now + after


@pytest.mark.parametrize(
    "words",
    [
        *("banana", "yesterday", "2020-01-01", "in 40 years", "25:99", ""),
        *("30 feb", "2027-02-31 10:00", "december", "8", "90", "tomorrow 9", "monday 9", "tomorrow 25:00"),
    ],
)
def test_what_is_no_moment_to_come_is_refused(words: str) -> None:
    """TASK-14: with a sentence; a number that is not understood is not left out."""
    with pytest.raises(NoMoment):
        moment_of(words, now=NOON, zone=BERLIN)


@pytest.mark.parametrize("words", ["every monday at 9", "daily", "jeden Montag", "每天9点"])
def test_what_comes_again_and_again_is_said_not_to(words: str) -> None:
    """TASK-14: instead of "I do not understand"."""
    with pytest.raises(NoMoment, match="comes once"):
        moment_of(words, now=NOON, zone=BERLIN)


class Berlin:
    async def zone(self, scene: RunScene) -> ZoneInfo:
        return BERLIN


async def test_it_outlives_the_process_fires_once_and_can_be_taken_back() -> None:
    """TASK-14: by the tool, in the scene's zone; the wait is virtual."""
    store, clock = TasksInMemory(), ManualClock(NOON)

    def desk_of() -> TaskDesk:
        return TaskDesk(store=store, reader=store, clock=clock, new_id=RandomIds())

    turn = UserTurn(id="turn", at=NOON, content=(Text(text="remind me"),), speaker=MIA)
    scene = RunScene(place=GENERAL, persona="p", speaker=MIA, standing=Standing.MEMBER)
    ended: list[Task] = []

    async def changed(task: Task) -> None:
        if task.state not in (TaskState.QUEUED, TaskState.RUNNING):
            ended.append(task)

    clock.blocks = True
    desk = desk_of()
    desk.listen(changed)
    async with asyncio.TaskGroup() as tasks:
        runs = RunsHere(desk.perform, tasks)
        desk.use(runs, {TaskKind.REMINDER: ReminderWork(clock)})
        async with desk:
            added = ReminderRuns(Reminders(desk=desk, zones=Berlin(), clock=clock))
            (tool,) = (await added.additions(scene, (turn,))).tools
            context = ToolContext(conversation_id="c", run_id="r", speaker=MIA)
            told = await tool.handler(
                tool.arguments.model_validate({"when": "tomorrow at 8", "about": "the train"}), context
            )
            assert "Tuesday, 2026-12-01 08:00 CET" in told
            with pytest.raises(ToolFailed, match="I do not understand"):
                await tool.handler(tool.arguments.model_validate({"when": "soonish", "about": "x"}), context)
            await tool.handler(tool.arguments.model_validate({"when": "at 20:00", "about": "tea"}), context)
            await clock.is_sleeping.wait()
            tea = next(one for one in await desk.open_of(MIA.id) if one.request.title == "tea")
            await desk.cancel(tea)
        await runs.cut()
    clock.blocks = False
    desk = desk_of()
    desk.listen(changed)
    async with asyncio.TaskGroup() as tasks:
        runs = RunsHere(desk.perform, tasks)
        desk.use(runs, {TaskKind.REMINDER: ReminderWork(clock)})
        async with desk, asyncio.timeout(5):
            while await store.unfinished():
                await asyncio.sleep(0.001)
    train = [one for one in ended if one.state is TaskState.COMPLETED]
    assert [one.result for one in train] == ["the train"]
    assert clock.now() >= datetime(2026, 12, 1, 7, 0, tzinfo=UTC)
    assert [one.request.title for one in ended if one.state is TaskState.CANCELLED] == ["tea"]


async def test_the_persons_own_zone_goes_before_the_servers() -> None:
    """TASK-14: chosen in direct messages, it holds everywhere, and for that person alone."""
    zones = StoredZones(scenes_in_memory().settings)
    direct = Place(session_id="discord:channel:90", channel_id="90", direct_with=MIA.id)

    def scene(place: Place, speaker: Speaker) -> RunScene:
        return RunScene(place=place, persona="p", speaker=speaker, standing=Standing.MEMBER)

    assert (await zones.zone(scene(GENERAL, MIA))).key == "UTC"
    assert await zones.choose(scene(GENERAL, SAM), "Europe/Berlin")
    assert await zones.choose(scene(direct, MIA), " Asia/Tokyo ")
    assert not await zones.choose(scene(direct, MIA), "../etc/passwd")
    for place, speaker, expected in (
        (GENERAL, MIA, "Asia/Tokyo"),
        (direct, MIA, "Asia/Tokyo"),
        (GENERAL, SAM, "Europe/Berlin"),
    ):
        assert (await zones.zone(scene(place, speaker))).key == expected
