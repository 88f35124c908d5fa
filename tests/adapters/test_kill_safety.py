"""A process killed at any moment keeps every write that it acknowledged, and no half of any other."""

import asyncio
import random
import sys
from asyncio.subprocess import PIPE
from collections import defaultdict
from pathlib import Path

import pytest

from sessions.inbox_rules import InboxState
from sessions.outbox_rules import PieceState
from sessions.storage.database import Database, sqlite_url
from sessions.storage.stores import stored_scenes
from sessions.stores import SceneStores
from tests.adapters.killed_writer import SESSIONS


async def acknowledged_until_killed(path: Path, lines: int) -> list[tuple[str, str]]:
    """What the writer said before it was killed after that many lines, the last ones in the pipe included."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.adapters.killed_writer", str(path), stdout=PIPE
    )
    assert process.stdout is not None
    said = [await process.stdout.readline() for _ in range(lines)]
    process.kill()
    said += (await process.stdout.read()).splitlines(keepends=True)
    await process.wait()
    whole = [line.decode().split() for line in said if line.endswith(b"\n")]
    return [(step, name) for step, name in whole]


async def hold_acknowledged(stores: SceneStores, said: list[tuple[str, str]]) -> None:
    """Everything acknowledged is there, and each reply is at exactly one of its steps."""
    steps: dict[str, set[str]] = defaultdict(set)
    for step, name in said:
        steps[name].add(step)
    turns: dict[str, str] = {}
    for channel_id in range(1, SESSIONS + 1):
        window = await stores.history.window(f"discord:channel:{channel_id}", 10_000)
        assert not window.unreadable
        turns |= {stored.turn.id: f"{channel_id}" for stored in window.turns}
    unfinished = {row.message_id: row.state for row in await stores.inbox.unfinished()}
    for name, reached in steps.items():
        pieces = await stores.outbox.pieces(name)
        states = {piece.state for piece in pieces}
        if "committed" in reached:
            assert (f"u{name}" in turns, f"a{name}" in turns) == (True, True)
            assert states == {PieceState.FINISHED}
            assert name not in unfinished
        if "posted" in reached:
            assert [piece.message_id for piece in pieces] == [f"post-{name}"]
        if "begun" in reached:
            assert f"u{name}" in turns
            assert unfinished.get(name, InboxState.ANSWERING) is InboxState.ANSWERING
        # A step is whole: the turn, the piece and the message tell the same story.
        assert (f"a{name}" in turns) is (states == {PieceState.FINISHED}) is (name not in unfinished)
        assert (f"u{name}" in turns) is bool(pieces) is (unfinished.get(name) is not InboxState.ACCEPTED)


async def kill_and_look(folder: Path, seed: int) -> None:
    lines = random.Random(seed).randint(0, 400)
    path = folder / f"{seed}.db"
    said = await acknowledged_until_killed(path, lines)
    assert len(said) >= lines
    async with Database(sqlite_url(path)) as database:
        await hold_acknowledged(stored_scenes(database), said)


@pytest.mark.parametrize("seed", range(6))
async def test_no_acknowledged_write_is_lost_to_a_kill(tmp_path: Path, seed: int) -> None:
    """SCENE-7, TEXT-11: SIGKILL at a random moment while many sessions write."""
    await kill_and_look(tmp_path, seed)


@pytest.mark.soak
async def test_no_acknowledged_write_is_lost_to_many_kills(tmp_path: Path) -> None:
    """SCENE-7, TEXT-11."""
    for seed in range(100, 300):
        await kill_and_look(tmp_path, seed)


async def test_a_kill_goes_on_where_the_last_one_stopped(tmp_path: Path) -> None:
    """SCENE-7: a database that was killed is opened, used and killed again."""
    path = tmp_path / "x.db"
    await acknowledged_until_killed(path, 40)
    async with Database(sqlite_url(path)) as database:
        unfinished = await stored_scenes(database).inbox.unfinished()
        assert unfinished
        for row in unfinished:
            await stored_scenes(database).inbox.begin("again", [row.message_id])
            await stored_scenes(database).inbox.finish([row.message_id])
        assert await stored_scenes(database).inbox.unfinished() == ()
