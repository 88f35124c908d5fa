"""What the tools of tasks tell where others hear it (TASK-4, TASK-13, TASK-20)."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from core.conversation.content import Text
from core.conversation.turns import Speaker, UserTurn
from core.identifiers import RandomIds
from core.tools.context import ToolContext
from core.tools.tool import ToolFailed
from recipes.run_scene import Place, RunScene, Standing
from recipes.tasks.desk import TaskDesk
from recipes.tasks.in_memory import TasksInMemory
from recipes.tasks.inputs import PendingInputs
from recipes.tasks.permissions import Permissions
from recipes.tasks.task import Task, TaskKind, TaskState
from recipes.tasks.tools import CANCEL, STATUS, TaskTools
from recipes.tasks.visible_tasks import VisibleTasks
from tests.manual_clock import ManualClock
from tests.task_setup import GENERAL, MIA, NOON, PRIVATE, SAM, request, task

DIRECT = Place(session_id="discord:channel:90", channel_id="90", direct_with=MIA.id)


def done(name: str, place: Place, requester: Speaker = MIA) -> Task:
    asked = request(f"title {name}", place=place, requester=requester)
    return task(name, request=asked, state=TaskState.COMPLETED, result=f"secret {name}")


async def answers(
    tasks: Sequence[Task],
    place: Place,
    name: str,
    speaker: Speaker = MIA,
    standing: Standing = Standing.MEMBER,
    *,
    task_id: str = "",
) -> str:
    """What the tool `name` answers there, asked of one task or of all."""
    store, clock = TasksInMemory(), ManualClock(NOON)
    for one in tasks:
        await store.accept(one)
    turn = UserTurn(id="t", at=NOON, content=(Text(text="how far is it?"),), speaker=speaker)
    made = TaskTools(
        desk=TaskDesk(store=store, reader=store, clock=clock, new_id=RandomIds()),
        visible=VisibleTasks(store),
        permissions=Permissions(clock=clock, new_id=RandomIds()),
        inputs=PendingInputs(clock=clock),
        clock=clock,
        scene=RunScene(place=place, persona="p", speaker=speaker, standing=standing),
        turns=(turn,),
        delegates=False,
    )
    tool = next(one for one in made.all() if one.name == name)
    context = ToolContext(conversation_id="c", run_id="r", speaker=speaker)
    return await tool.handler(tool.arguments.model_validate({"task_id": task_id}), context)


async def test_nothing_of_a_private_task_is_said_where_more_people_hear_it() -> None:
    """TASK-11, TASK-13: not even to whoever asked for it, and not to the owner; they are shown it alone."""
    tasks = [done("dm", DIRECT), done("hidden", PRIVATE), done("open", GENERAL)]
    lounge = replace(GENERAL, channel_id="43", session_id="discord:channel:43")
    elsewhere = replace(GENERAL, guild_id="8", channel_id="80", session_id="discord:channel:80")
    for place, told in (
        (GENERAL, {"open"}),
        (lounge, {"open"}),
        (PRIVATE, {"open", "hidden"}),
        (DIRECT, {"open", "hidden", "dm"}),
        (elsewhere, set[str]()),
    ):
        for speaker, standing in ((MIA, Standing.MEMBER), (SAM, Standing.OWNER)):
            said = await answers(tasks, place, STATUS, speaker, standing)
            assert {name for name in ("dm", "hidden", "open") if f"secret {name}" in said} == told
    assert "`/task list`" in await answers(tasks, elsewhere, STATUS)
    with pytest.raises(ToolFailed) as refused:
        await answers([task("dig", request=request("hush", place=DIRECT))], GENERAL, CANCEL)
    assert "hush" not in str(refused.value)


def reminder(name: str, place: Place = GENERAL, requester: Speaker = MIA) -> Task:
    asked = replace(
        request(f"title {name}", place=place, requester=requester), due_at=NOON + timedelta(hours=2)
    )
    return task(name, request=asked, kind=TaskKind.REMINDER, state=TaskState.RUNNING)


async def test_reminders_are_told_and_taken_back_by_asking() -> None:
    """TASK-14: where the person may hear of them, and by nobody else, whoever they are."""
    tasks = [task("dig"), reminder("tea"), reminder("train", DIRECT), reminder("sams", requester=SAM)]
    _, tea, train, sams = tasks
    listed = await answers(tasks, GENERAL, STATUS)
    assert (
        f"Reminder {tea.short_id} (title tea): {NOON + timedelta(hours=2):%A, %Y-%m-%d %H:%M %Z}." in listed
    )
    assert "train" not in listed
    assert "sams" not in listed
    assert "train" in await answers(tasks, DIRECT, STATUS)
    assert "sams" not in await answers(tasks, GENERAL, STATUS, MIA, Standing.OWNER)
    assert "is taken back" in await answers(tasks, GENERAL, CANCEL, task_id=tea.short_id)
    for place, others in ((GENERAL, train), (DIRECT, sams)):
        with pytest.raises(ToolFailed) as refused:
            await answers(tasks, place, CANCEL, task_id=others.short_id)
        assert f"{tea.short_id} (title tea)" in str(refused.value)


async def test_without_an_id_it_is_the_one_task_and_else_the_one_reminder() -> None:
    """TASK-12, TASK-14: "stop that" is no reminder while something is done."""
    dig, tea, train = task("dig"), reminder("tea"), reminder("train")
    assert dig.short_id in await answers([tea, dig], GENERAL, CANCEL)
    assert tea.short_id in await answers([tea], GENERAL, CANCEL)
    for several in ([tea, train], [dig, task("dug"), tea]):
        with pytest.raises(ToolFailed, match="Which one"):
            await answers(several, GENERAL, CANCEL)


async def test_what_is_open_is_found_behind_any_number_that_is_over() -> None:
    """TASK-13, TASK-14: reminders are in no list of tasks, and crowd none out of it."""
    store = TasksInMemory()
    await store.accept(task("first"))
    await store.accept(task("bell", kind=TaskKind.REMINDER))
    for number in range(250):
        kind = TaskKind.REMINDER if number % 2 else TaskKind.RECIPE
        await store.accept(task(f"n{number}", kind=kind, state=TaskState.COMPLETED))
    desk = TaskDesk(store=store, reader=store, clock=ManualClock(NOON), new_id=RandomIds())
    assert [one.key for one in await desk.open_of(MIA.id)] == ["first", "bell"]
    seen = await VisibleTasks(store).seen_by(MIA.id, standing=Standing.MEMBER, place=GENERAL)
    assert len(seen) == 100
    assert seen[0].key == "first"
    assert all(one.kind is TaskKind.RECIPE for one in seen)
