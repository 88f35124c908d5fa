"""The scripted agent as an installed package offers it: by a name, as an entry point (TASK-6)."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.backend_choice import GROUP
from tests.fake_backend.adapter import ScriptedBackend

NAME = "scripted"
OPENED: list[ScriptedBackend] = []
"""Every one that was opened by the name, the latest last."""

_folders: list[Path] = []


@asynccontextmanager
async def opened() -> AsyncIterator[ScriptedBackend]:
    """What the entry point names."""
    async with ScriptedBackend.running(_folders[-1]) as backend:
        OPENED.append(backend)
        yield backend


def install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a package installed that offers it."""
    package = folder / "scripted_backend-1.0.dist-info"
    package.mkdir(parents=True)
    _folders.append(folder)
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: scripted-backend\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text(f"[{GROUP}]\n{NAME} = {__name__}:opened\n")
    monkeypatch.syspath_prepend(folder)
