"""Checks of this machine: the data folder and its disk."""

import asyncio
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from bot.doctor.findings import Finding, State

GIBIBYTE = 1 << 30
LEAST_FREE = GIBIBYTE // 2


class DataFolderProbe:
    """The data folder: writable, private, with room on its disk."""

    check = "Data folder"

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def findings(self) -> Sequence[Finding]:
        """The folder and its disk."""
        return await asyncio.to_thread(lambda: [self._folder_finding(), self._disk_finding()])

    def _folder_finding(self) -> Finding:
        nearest = _nearest_existing(self._folder)
        if not os.access(nearest, os.W_OK | os.X_OK):
            fix = "Give the bot's user the right to write there, or set DATA_DIR."
            return Finding(check=self.check, state=State.FAILED, found=f"{nearest} is not writable", fix=fix)
        if nearest != self._folder.absolute():
            return Finding(check=self.check, state=State.FINE, found=f"{self._folder} will be created")
        mode = nearest.stat().st_mode & 0o777
        if mode & 0o077:
            found = f"{nearest} can be read by others ({mode:o})"
            return Finding(check=self.check, state=State.WARNING, found=found, fix=f"chmod 700 {nearest}")
        return Finding(check=self.check, state=State.FINE, found=str(nearest))

    def _disk_finding(self) -> Finding:
        free = shutil.disk_usage(_nearest_existing(self._folder)).free
        found = f"{free / GIBIBYTE:.1f} GiB free"
        if free >= LEAST_FREE:
            return Finding(check="Disk", state=State.FINE, found=found)
        return Finding(check="Disk", state=State.FAILED, found=found, fix="Make room, or set DATA_DIR.")


def _nearest_existing(folder: Path) -> Path:
    """The folder itself, or the closest one above it that is there."""
    folder = folder.absolute()
    return next(path for path in (folder, *folder.parents) if path.exists())
