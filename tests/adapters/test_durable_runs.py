"""Durable runs on DBOS: steps once, across processes; nothing of the environment counts (TASK-35)."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bot.domains.tasks import LateRuns, StepsPlace
from core.failures import Failure
from recipes.tasks.durable import DbosRuns
from recipes.tasks.steps import StepFailed, Steps
from sessions.storage.database import sqlite_url
from tests.contracts.scene_contract import POSTGRESQL, empty_server


async def test_a_cut_run_goes_on_with_the_step_that_was_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TASK-3, TASK-35: recovered on our loop; a failed step fails the same way; rows go when forgotten."""
    monkeypatch.setenv("DBOS__APPVERSION", "of somebody else")
    monkeypatch.setenv("DBOS__VMID", "of somebody else")
    done: list[str] = []
    stuck, over = asyncio.Event(), asyncio.Event()
    goes_on = False

    async def body(run_id: str, steps: Steps) -> None:
        async def first() -> str:
            done.append("first")
            return "one"

        async def refused() -> str:
            done.append("refused")
            raise Failure("No.", reason="test")

        async def second() -> str:
            done.append("second")
            if not goes_on:
                stuck.set()
                await asyncio.Event().wait()
            return "two"

        assert await steps.run("first", first) == "one"
        with pytest.raises(StepFailed) as failed:
            await steps.run("refused", refused)
        assert failed.value.advice == "No."
        assert await steps.run("second", second) == "two"
        over.set()

    url = sqlite_url(tmp_path / "steps.db")
    async with DbosRuns(url=url, body=body) as runs:
        await runs.start("task_1")
        async with asyncio.timeout(10):
            await stuck.wait()
    assert await asyncio.to_thread(lambda: "threads are there") == "threads are there"
    goes_on = True
    async with DbosRuns(url=url, body=body) as runs:
        await runs.start("task_1")
        async with asyncio.timeout(20):
            await over.wait()
        await runs.forget(["task_1"])
    assert done == ["first", "refused", "second", "second"]

    def rows() -> tuple[list[str], int]:
        with closing(sqlite3.connect(tmp_path / "steps.db")) as database:
            versions = database.execute("SELECT version_name FROM application_versions").fetchall()
            left = database.execute("SELECT count(*) FROM operation_outputs").fetchone()
        return [row[0] for row in versions], left[0]

    assert await asyncio.to_thread(rows) == (["1"], 0)


async def test_a_process_that_ends_while_runs_begin_fails_none(tmp_path: Path) -> None:
    """TASK-3: whatever the moment, a run is cut and begins again; nothing accepted is lost."""
    done, failed = set[str](), list[BaseException]()

    async def body(run_id: str, steps: Steps) -> None:
        async def only() -> str:
            return "gold"

        try:
            for step in range(3):
                await steps.run(f"step {step}", only)
        except Exception as error:
            failed.append(error)
            raise
        done.add(run_id)

    url = sqlite_url(tmp_path / "steps.db")
    moments = [0.0, 0.004, 0.02]
    for moment in moments:
        async with DbosRuns(url=url, body=body) as runs:
            await runs.start(f"task_{moment}")
            await asyncio.sleep(moment)
    async with DbosRuns(url=url, body=body) as runs, asyncio.timeout(20):
        while len(done) < len(moments):
            await asyncio.sleep(0.01)
    assert failed == []


@pytest.mark.skipif(not POSTGRESQL, reason="PARLEY_TEST_POSTGRESQL names no database")
async def test_on_a_server_beside_everything_else() -> None:
    """TASK-3, TASK-35: PostgreSQL by the deployment's own address; a slot leaves alone what is another's."""
    done: list[str] = []
    over, goes_on = asyncio.Event(), False

    async def body(run_id: str, steps: Steps) -> None:
        async def step() -> str:
            done.append(run_id)
            if not goes_on:
                await asyncio.Event().wait()
            return "gold"

        assert await steps.run("only", step) == "gold"
        over.set()

    await empty_server()
    async with DbosRuns(url=POSTGRESQL or "", body=body, slot="0") as runs:
        await runs.start("task_1")
        async with asyncio.timeout(20):
            while not done:
                await asyncio.sleep(0.01)
    goes_on = True
    async with DbosRuns(url=POSTGRESQL or "", body=body, slot="1"):
        await asyncio.sleep(1.5)
        assert done == ["task_1"]
    async with DbosRuns(url=POSTGRESQL or "", body=body, slot="0") as runs:
        async with asyncio.timeout(20):
            await over.wait()
        await runs.forget(["task_1"])
    assert done == ["task_1", "task_1"]


async def test_it_is_not_launched_before_a_task_needs_it(tmp_path: Path) -> None:
    """TASK-35: a bot without tasks pays nothing."""

    async def body(run_id: str, steps: Steps) -> None:
        """Nothing to do."""

    file = tmp_path / "steps.db"
    late = LateRuns(place=StepsPlace(url=sqlite_url(file)), body=body)
    await late.aclose()
    await late.start("task_1")  # the process stops: the next one begins it
    assert not await asyncio.to_thread(file.exists)
