"""Work for a backend agent, a process of its own (TASK-5, TASK-9, TASK-12, TASK-22 to TASK-26, TASK-32)."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath

import pytest

from core.clock import SystemClock
from core.conversation.attached_texts import AttachedText, shown_attachment
from core.conversation.content import File, Image, MediaSource, Text
from core.conversation.turns import UserTurn
from core.generation.media import FolderMedia
from core.identifiers import RandomIds
from core.tools.context import ToolContext
from core.tools.tool import AnyTool, ToolFailed
from recipes.run_scene import RunScene, Standing
from recipes.tasks.delegated import RESTARTED, DelegatedWork
from recipes.tasks.desk import TaskDesk
from recipes.tasks.in_memory import TasksInMemory
from recipes.tasks.inputs import PendingInputs
from recipes.tasks.permission_rules import Decision
from recipes.tasks.permissions import Permissions
from recipes.tasks.personal_data import TaskPersonalData
from recipes.tasks.task import Task, TaskKind, TaskState
from recipes.tasks.task_runs import TaskRuns
from recipes.tasks.visible_tasks import VisibleTasks
from sessions.bindings import ChannelBinding
from sessions.in_memory import scenes_in_memory
from tests.fake_backend.adapter import ScriptedBackend
from tests.task_setup import GENERAL, MIA, SAM, RunsHere, task

CLOCK = SystemClock()


class Nobody:
    async def allowed(self, guild_id: str) -> frozenset[str]:
        return frozenset({SAM.id})


@dataclass(kw_only=True)
class Office:
    """A conversation's tools over a desk that works with the scripted agent."""

    desk: TaskDesk
    store: TasksInMemory
    backend: ScriptedBackend
    permissions: Permissions
    inputs: PendingInputs
    runs: TaskRuns

    async def tools(
        self, said: str = "do it", *, by: Standing = Standing.OWNER, turn_id: str = "turn"
    ) -> dict[str, AnyTool]:
        """The tools of a run that answers Mia, who says that now."""
        turn = UserTurn(id=turn_id, at=CLOCK.now(), content=(Text(text=said),), speaker=MIA)
        scene = RunScene(place=GENERAL, persona="p", speaker=MIA, standing=by)
        return {tool.name: tool for tool in (await self.runs.additions(scene, (turn,))).tools}

    async def use(self, name: str, *, turn_id: str = "turn", **arguments: object) -> str:
        tool = (await self.tools(turn_id=turn_id))[name]
        context = ToolContext(conversation_id="c", run_id="r", speaker=MIA)
        return await tool.handler(tool.arguments.model_validate(arguments), context)

    async def spawn(self, objective: str) -> Task:
        told = await self.use("spawn_thinking", objective=objective, turn_id=f"turn:{objective}")
        (found,) = [one for one in await self.store.latest(50) if one.short_id in told]
        return found

    async def came(self, task: Task, *states: str) -> Task:
        """Wait until the task is in one of these states."""
        async with asyncio.timeout(10):
            while True:
                current = await self.store.find(task.id)
                assert current is not None
                if current.state.value in states:
                    return current
                await asyncio.sleep(0.005)


@asynccontextmanager
async def office(folder: Path, store: TasksInMemory | None = None) -> AsyncIterator[Office]:
    kept, new_id = store or TasksInMemory(), RandomIds()
    desk = TaskDesk(store=kept, reader=kept, clock=CLOCK, new_id=new_id)
    permissions, inputs = Permissions(clock=CLOCK, new_id=new_id), PendingInputs(clock=CLOCK)
    async with ScriptedBackend.running(folder) as backend, asyncio.TaskGroup() as tasks:
        work = DelegatedWork(
            backend=backend,
            permissions=permissions,
            inputs=inputs,
            ledger=kept,
            media=FolderMedia(folder),
            clock=CLOCK,
        )
        durable = RunsHere(desk.perform, tasks)
        desk.use(durable, {TaskKind.DELEGATED: work})
        runs = TaskRuns(
            desk=desk,
            visible=VisibleTasks(kept),
            permissions=permissions,
            inputs=inputs,
            delegates=Nobody(),
            clock=CLOCK,
        )
        async with desk:
            yield Office(
                desk=desk, store=kept, backend=backend, permissions=permissions, inputs=inputs, runs=runs
            )
        await durable.cut()


async def test_spawned_work_is_accepted_at_once_and_sent_alone(tmp_path: Path) -> None:
    """TASK-1, TASK-5, TASK-21, TASK-23, TASK-32 (2, 3, 8): one session, in order, only the objective."""
    async with office(tmp_path) as room:
        first, second = await room.spawn("echo one"), await room.spawn("echo two")
        assert (await room.came(second, "completed")).result == "two"
        assert (await room.came(first, "completed")).result == "one"
        assert (await room.spawn("echo one")).id == first.id
        sent = [(work.objective, work.owner) for work in room.backend.prompts]
        tool = (await room.tools())["spawn_thinking"]
    assert sent == [("echo one", MIA.id), ("echo two", MIA.id)]
    assert set(tool.arguments.model_fields) == {"objective", "input_refs"}


async def test_the_backend_is_for_the_owner_and_whom_they_allowed(tmp_path: Path) -> None:
    """TASK-4, TASK-9: nobody else is even offered the tool."""
    async with office(tmp_path) as room:
        assert "spawn_thinking" in await room.tools()
        assert "spawn_thinking" not in await room.tools(by=Standing.MANAGER)
        assert "respond_permission" not in await room.tools()
        assert "respond_agent_input" not in await room.tools()
        assert "get_current_time" in await room.tools(by=Standing.MEMBER)


async def test_what_was_handed_on_lets_the_next_begin(tmp_path: Path) -> None:
    """TASK-25, TASK-10, TASK-20: the status is read from the record and starts nothing; no secrets in it."""
    async with office(tmp_path) as room:
        long = await room.spawn("delegate gold")
        await room.came(long, "delegated")
        short = await room.spawn("echo quick")
        await room.came(short, "completed")
        status = await room.use("get_agent_task_status", task_id=long.short_id)
        assert "1 of 2 · reading gold" in status
        assert "abcdef123456" not in status
        assert len(room.backend.prompts) == 2
        room.backend.release()
        assert (await room.came(long, "completed")).result == "gold"
        moves = [move.state.value for move in await room.store.moves(long.id)]
    assert moves == ["queued", "running", "delegated", "finalizing", "completed"]


async def test_permission_is_asked_for_and_handed_on(tmp_path: Path) -> None:
    """TASK-9, TASK-29: by the model with the person's word; the backend hears `once`."""
    async with office(tmp_path) as room:
        asking = await room.spawn("ask rm -rf build")
        async with asyncio.timeout(10):
            while not room.permissions.pending(GENERAL.session_id):
                await asyncio.sleep(0.005)
        status = await room.use("get_agent_task_status", task_id=asking.short_id)
        assert "It waits for a permission: run a command." in status
        assert "Allowed" in await room.use("respond_permission", decision="task")
        assert (await room.came(asking, "completed")).result == "allowed"
        again = await room.spawn("ask rm -rf more")
        async with asyncio.timeout(10):
            while not room.permissions.pending(GENERAL.session_id):
                await asyncio.sleep(0.005)
        room.permissions.decide(None, Decision.REJECT)
        assert (await room.came(again, "completed")).result == "refused"


async def test_a_question_is_answered_by_its_person(tmp_path: Path) -> None:
    """TASK-22."""
    async with office(tmp_path) as room:
        asking = await room.spawn("question which colour?")
        async with asyncio.timeout(10):
            while not room.inputs.pending(GENERAL.session_id):
                await asyncio.sleep(0.005)
        tool = (await room.tools())["respond_agent_input"]
        assert "which colour?" in tool.description
        await room.use("respond_agent_input", answer="blue")
        assert (await room.came(asking, "completed")).result == "blue"


async def test_stops_are_confirmed_by_the_backend(tmp_path: Path) -> None:
    """TASK-12, TASK-28: "stop the research" needs no id; a stop that fails says so."""
    async with office(tmp_path) as room:
        waiting = await room.spawn("wait")
        await room.came(waiting, "running")
        async with asyncio.timeout(10):
            while room.desk.working(waiting.id) is None:
                await asyncio.sleep(0.005)
        assert "wait" in await room.use("cancel_agent_task")
        await room.came(waiting, "cancelled")
        handed_on = await room.spawn("delegate x")
        await room.came(handed_on, "delegated")
        await room.use("cancel_agent_task", task_id=handed_on.short_id)
        await room.came(handed_on, "cancelled")
        stubborn = await room.spawn("stubborn")
        async with asyncio.timeout(10):
            while room.desk.working(stubborn.id) is None:
                await asyncio.sleep(0.005)
        await room.use("cancel_agent_task", task_id=stubborn.short_id)
        assert "does not stop" in ((await room.came(stubborn, "failed")).error or "")


async def test_a_stop_that_meets_another_end_still_stops_the_backend(tmp_path: Path) -> None:
    """TASK-12: what breaks off while it is being stopped is confirmed all the same."""
    async with office(tmp_path) as room:
        handing_on = await room.spawn("question go on?")
        async with asyncio.timeout(10):
            while not room.inputs.waits(handing_on.id):
                await asyncio.sleep(0.005)
        await room.store.move(handing_on.id, TaskState.CANCELLING, CLOCK.now())  # and nothing was cut yet
        room.backend.says(handing_on.id, event="garbage")
        room.inputs.answer(handing_on.id, "yes")
        await room.came(handing_on, "cancelled")
        assert room.backend.cancelled == [handing_on.id]


async def test_who_is_forgotten_has_no_backend_work_on(tmp_path: Path) -> None:
    """MEM-6, TASK-9, TASK-12: the exact target is stopped before nobody knows it any more."""
    async with office(tmp_path) as room:
        working = await room.spawn("ask permission: rm")
        async with asyncio.timeout(10):
            while not room.permissions.pending(GENERAL.session_id):
                await asyncio.sleep(0.005)
        data = TaskPersonalData(
            persons=room.store,
            tables=frozenset(),
            stop=room.desk.stop_all_of,
            forgotten=room.desk.forgotten,
        )
        assert await data.forget(MIA.id) == {"tasks": 1}
        assert room.backend.cancelled == [working.id]
        assert room.permissions.pending(GENERAL.session_id) == ()


async def test_only_an_end_turn_succeeds(tmp_path: Path) -> None:
    """TASK-24, TASK-32 (5): and one that comes without a word before it is not lost."""
    async with office(tmp_path) as room:
        sudden = await room.spawn("wait for it")
        room.backend.says(sudden.id, event="delegated", run="r", session="s")
        room.backend.says(sudden.id, event="end", reason="end_turn", text="there")
        assert (await room.came(sudden, "completed")).result == "there"
        refused = await room.came(await room.spawn("refuse"), "failed")
        broken = await room.came(await room.spawn("crash"), "failed")
    assert refused.error == "The backend agent declined to do this."
    assert broken.error == "The backend agent broke off. Please try again."


async def test_after_a_restart_only_verified_work_goes_on(tmp_path: Path) -> None:
    """TASK-3, TASK-26, TASK-32 (2): what was sent is never sent again; the rest ends with the reason."""
    store = TasksInMemory()
    async with office(tmp_path, store) as room:
        direct = await room.spawn("wait here")
        await room.came(direct, "running")
        async with asyncio.timeout(10):
            while not room.backend.prompts:
                await asyncio.sleep(0.005)
        queued = await room.spawn("echo later")
    async with office(tmp_path, store) as room:
        assert (await room.came(direct, "failed")).error == RESTARTED
        assert (await room.came(queued, "completed")).result == "later"
        handed_on = await room.spawn("delegate gold")
        await room.came(handed_on, "delegated")
    async with office(tmp_path, store) as room:
        assert (await room.came(handed_on, "completed")).result == "gold"
        assert room.backend.prompts == []


@pytest.mark.parametrize("state", [TaskState.RUNNING, TaskState.DELEGATED, TaskState.FINALIZING])
async def test_a_kill_between_two_notes_of_what_was_handed_on_loses_no_result(
    state: TaskState, tmp_path: Path
) -> None:
    """TASK-3, TASK-25, TASK-26: the ledger knows of it before the state does, and an end may come twice."""
    (tmp_path / "delegated").write_text("run-gold")
    left = task("dig", kind=TaskKind.DELEGATED, state=state)
    store = TasksInMemory()
    await store.accept(left)
    for key in ("prompt", "delegation"):
        await store.intend(left.id, key, left.created_at)
    await store.settle(left.id, "delegation", json.dumps(["run-gold", "project"]))
    async with office(tmp_path, store) as room:
        assert (await room.came(left, "completed")).result == "gold"
        assert room.backend.prompts == []


async def test_what_was_attached_goes_along_by_itself_or_by_its_id(tmp_path: Path) -> None:
    """TASK-5: as parts of their own; earlier ones by ids of the conversation, and what is gone is said."""
    history, media = scenes_in_memory(), tmp_path / "42"
    session = await history.sessions.open(ChannelBinding(channel_id=42, guild_id=7), CLOCK.now())
    picture = Image(
        source=MediaSource(path=PurePath("42/cat.png")), media_type="image/png", caption="cat.png"
    )
    lost = File(source=MediaSource(path=PurePath("42/x.pdf")), media_type="application/pdf", name="lost.pdf")
    notes = Text(text=shown_attachment(AttachedText(name="notes.txt", text="Step one."), 100))
    earlier = UserTurn(
        id="earlier", at=CLOCK.now(), content=(Text(text="look"), picture, lost, notes), speaker=MIA
    )
    position = await history.history.append(session.session_id, 0, earlier)
    await asyncio.to_thread(media.mkdir)
    await asyncio.to_thread((media / "cat.png").write_bytes, b"12345")
    async with office(tmp_path) as room:
        room.runs.look_back_in(history.history)
        tool = (await room.tools())["spawn_thinking"]
        listed = f"{position}.1: cat.png; {position}.2: lost.pdf; {position}.3: notes.txt"
        assert tool.description.endswith(f"Earlier inputs: {listed}")
        with pytest.raises(ToolFailed, match="no earlier input"):
            await room.use("spawn_thinking", objective="inputs", input_refs=["9.9"])
        await room.use("spawn_thinking", objective="inputs", input_refs=[f"{position}.1", f"{position}.3"])
        (one,) = await room.store.latest(5)
        came = json.loads((await room.came(one, "completed")).result or "")
        assert came == [["cat.png", "image/png", 5], ["notes.txt", "text/plain", 9]]
        await room.use("spawn_thinking", objective="inputs again", input_refs=[f"{position}.2"], turn_id="t2")
        gone, _ = await room.store.latest(5)
        assert (
            await room.came(gone, "failed")
        ).error == "lost.pdf is not kept any more. Please attach it again."
        assert [work.objective for work in room.backend.prompts] == ["inputs"]
