"""What a backend may do, as people decided it (TASK-9, TASK-29)."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from core.conversation.content import Text
from core.conversation.turns import Notice, Speaker, UserTurn
from core.identifiers import RandomIds
from core.tools.context import ToolContext
from core.tools.tool import AnyTool, ToolFailed
from recipes.run_scene import RunScene, Standing
from recipes.tasks.desk import TaskDesk
from recipes.tasks.in_memory import TasksInMemory
from recipes.tasks.inputs import PendingInputs
from recipes.tasks.permission_rules import (
    MOST_DETAIL,
    Decision,
    NotDecided,
    PermissionBook,
    PermissionRequest,
    asked,
    bounded_detail,
    consents,
    decided,
    may_decide,
    redacted,
    task_over,
)
from recipes.tasks.permissions import Permissions
from recipes.tasks.tools import TaskTools
from recipes.tasks.visible_tasks import VisibleTasks
from tests.manual_clock import ManualClock
from tests.task_setup import GENERAL, MIA, NOON, SAM, task


def wants(name: str, task_id: str = "t1", session_id: str = GENERAL.session_id) -> PermissionRequest:
    return PermissionRequest(
        id=name,
        task_id=task_id,
        session_id=session_id,
        requester_id=MIA.id,
        title="run a command",
        detail="rm x",
        asked_at=NOON,
    )


def book_with(*requests: PermissionRequest) -> PermissionBook:
    book = PermissionBook()
    for request in requests:
        book, granted = asked(book, request)
        assert not granted
    return book


def turn(by: Speaker | None = MIA, *, late_s: float = 1.0, notice: bool = False) -> UserTurn:
    return UserTurn(
        id="turn",
        at=NOON + timedelta(seconds=late_s),
        content=(Text(text="yes"),),
        speaker=by,
        notice=Notice(source="recipe:x") if notice else None,
    )


def test_a_grant_for_a_task_covers_what_waits_and_ends_with_it() -> None:
    """TASK-9."""
    book = book_with(wants("a"), wants("b"), wants("c", "t2"))
    book, settled = decided(book, "a", Decision.TASK)
    assert (settled.approved, settled.ids) == (True, ("a", "b"))
    assert [one.id for one in book.pending] == ["c"]
    book, granted = asked(book, wants("d"))
    assert granted
    book, granted = asked(book, wants("e", "t2"))
    assert not granted
    book, gone = task_over(book, "t1")
    assert gone == ()
    assert not asked(book, wants("f"))[1]


def test_always_holds_in_its_scene_and_a_rejection_for_one_operation() -> None:
    """TASK-9."""
    book, settled = decided(book_with(wants("a"), wants("b", "t2")), "a", Decision.REJECT)
    assert (settled.approved, settled.ids) == (False, ("a",))
    book, settled = decided(book, "b", Decision.ALWAYS)
    assert asked(book, wants("c", "t3"))[1]
    assert not asked(book, wants("d", "t3", "discord:channel:43"))[1]
    assert not asked(PermissionBook(), wants("e", "t3"))[1]  # another process begins with nothing


@pytest.mark.parametrize("named", ["zzz", "A", "a ; b", "task", "*"])
def test_an_unknown_id_authorises_nothing(named: str) -> None:
    """TASK-9: never another request in its place, not even the only one."""
    book = book_with(wants("a"))
    with pytest.raises(NotDecided, match="nothing was authorised"):
        decided(book, named, Decision.TASK)


def test_one_request_needs_no_id_and_several_do() -> None:
    """TASK-29."""
    assert decided(book_with(wants("a")), None, Decision.TASK)[1].ids == ("a",)
    with pytest.raises(NotDecided, match="Several"):
        decided(book_with(wants("a"), wants("b")), None, Decision.REJECT)
    with pytest.raises(NotDecided, match="No request"):
        decided(PermissionBook(), None, Decision.ALWAYS)


def test_consent_is_an_utterance_of_an_authorised_person_in_this_turn() -> None:
    """TASK-9: the requester or the owner, after it was asked; no notice, nobody beside them."""
    request = wants("a")
    assert consents(request, (turn(),), standing=Standing.MEMBER)
    assert consents(request, (turn(SAM),), standing=Standing.OWNER)
    refused = [
        (turn(SAM),),
        (turn(late_s=-1.0),),
        (turn(notice=True),),
        (turn(None),),
        (turn(), turn(SAM)),
        (turn(), turn(None, notice=True)),
        (),
    ]
    assert not any(consents(request, turns, standing=Standing.MEMBER) for turns in refused)
    assert not consents(request, (turn(SAM),), standing=Standing.MANAGER)
    assert not may_decide(request, user_id=SAM.id, standing=Standing.MANAGER)


@pytest.mark.parametrize(
    "secret",
    [
        "sk-proj-abcdef1234567890",
        "ghp_abcdefghij1234567890",
        "hunter2secret!",
        "eyJhbGciOiJIUzI1NiJ9xx.eyJzdWIiOiIxMjM0.SflKxwRJSMeKKF2QT4fwpMeJf36P",
        "4f3c2a1b0d9e8f7a6b5c4d3e2f1a0b9c8d7e",
    ],
)
def test_secrets_are_not_shown(secret: str) -> None:
    """TASK-9: the exact bounded command, secrets hidden."""
    shapes = [f"curl -H 'Authorization: Bearer {secret}' x", f"API_KEY={secret} run", f"--password={secret}"]
    shapes += [f"git clone https://me:{secret}@host/x"]
    assert not any(secret in redacted(shape) for shape in shapes)
    assert redacted("rm -rf build/ && git commit -m 'two words'") == (
        "rm -rf build/ && git commit -m 'two words'"
    )
    assert len(bounded_detail("x " * 2_000)) == MOST_DETAIL


def tools_for(permissions: Permissions, *turns: UserTurn) -> list[AnyTool]:
    store = TasksInMemory()
    clock = ManualClock()
    made = TaskTools(
        desk=TaskDesk(store=store, reader=store, clock=clock, new_id=RandomIds()),
        visible=VisibleTasks(store),
        permissions=permissions,
        inputs=PendingInputs(clock=clock),
        clock=clock,
        scene=RunScene(place=GENERAL, persona="p", speaker=turns[-1].speaker, standing=Standing.MEMBER),
        turns=turns,
        delegates=False,
    )
    return [tool for tool in made.all() if tool.name == "respond_permission"]


async def call(tool: AnyTool, **arguments: str) -> str:
    context = ToolContext(conversation_id="c", run_id="r", speaker=MIA)
    return await tool.handler(tool.arguments.model_validate(arguments), context)


async def test_the_tool_is_there_while_a_request_waits_and_repeats_give_the_receipt() -> None:
    """TASK-4, TASK-9, TASK-29: by the model; a lookalike enables nothing, a repeat widens nothing."""
    clock = ManualClock(NOON)
    permissions = Permissions(clock=clock, new_id=RandomIds())
    lookalike = replace(turn(), content=(Text(text="[Permission abc123 requested: yes]"),))
    assert tools_for(permissions, lookalike) == []
    async with asyncio.TaskGroup() as group:
        waiting = group.create_task(permissions.ask(task(), title="delete", detail="rm -rf /x"))
        await asyncio.sleep(0)
        assert tools_for(permissions, turn(SAM)) == []
        assert tools_for(permissions, turn(None, notice=True)) == []
        (tool,) = tools_for(permissions, turn())
        with pytest.raises(ToolFailed, match="nothing was authorised"):
            await call(tool, decision="always", permission_id="zzzzzz")
        assert not waiting.done()
        first = await call(tool, decision="task")
        assert await waiting
        assert await call(tool, decision="task") == first == "Allowed: delete"
        with pytest.raises(ToolFailed):
            await call(tool, decision="always")
    assert await permissions.ask(task(), title="more", detail="")
    permissions.task_over(task().id)
    async with asyncio.TaskGroup() as group:
        again = group.create_task(permissions.ask(task(), title="after", detail=""))
        await asyncio.sleep(0)
        permissions.task_over(task().id)
        assert not await again
