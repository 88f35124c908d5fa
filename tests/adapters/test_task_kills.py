"""SIGKILL at seeded points of tasks: none lost, none announced twice, no effect doubled (TASK-3)."""

import asyncio
import re
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT


async def lives(folder: Path, count: int) -> list[str]:
    """What became of the processes, in order."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.adapters.killed_tasks",
        str(folder),
        "1",
        str(count + 1),
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, errors = await process.communicate()
    assert process.returncode == 0, errors.decode()[-3_000:]
    return [line for line in out.decode().splitlines() if re.fullmatch(r"\d+ (killed|-?\d+)", line)]


def lines(file: Path) -> Counter[str]:
    return Counter(file.read_text().splitlines()) if file.exists() else Counter()


async def holds_after(folder: Path, count: int) -> None:
    endings = await lives(folder, count)
    killed = sum(line.endswith("killed") for line in endings)
    assert endings[-1].endswith(" 0"), endings
    assert killed >= count // 2, endings
    assert all(line.endswith(("killed", " 0")) for line in endings), endings
    accepted, room = lines(folder / "accepted"), lines(folder / "room")
    remembered, effects = lines(folder / "remembered"), lines(folder / "effects")
    assert set(accepted) <= set(room)
    assert set(room.values()) == {1}
    assert set(remembered) == set(room)
    assert set(remembered.values()) == {1}
    assert all(count <= 2 for count in effects.values())
    assert effects.total() >= len(room)


@pytest.mark.timeout(150)
async def test_twenty_kills_lose_and_double_nothing(tmp_path: Path) -> None:
    """TASK-3, TASK-35, TASK-11."""
    await holds_after(tmp_path, 20)


@pytest.mark.soak
@pytest.mark.timeout(900)
async def test_a_hundred_kills_lose_and_double_nothing(tmp_path: Path) -> None:
    """TASK-3."""
    await holds_after(tmp_path, 100)
