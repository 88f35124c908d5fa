"""Checks of this machine: the libraries of voice, the data folder, the disk."""

import asyncio
import ctypes
import ctypes.util
import os
import shutil
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from bot.doctor.findings import Finding, State

GIBIBYTE = 1 << 30
LEAST_FREE = GIBIBYTE // 2


class OpusProbe:
    """libopus: the system's, else the one that PyAV carries (discord.py brings none on Linux)."""

    check = "Opus"

    async def findings(self) -> Sequence[Finding]:
        """One row."""
        return [await asyncio.to_thread(self._finding)]

    def _finding(self) -> Finding:
        for source, path in opus_libraries():
            try:
                library = ctypes.CDLL(path)
                library.opus_get_version_string.restype = ctypes.c_char_p
                version = library.opus_get_version_string().decode()
            except (OSError, AttributeError):
                continue
            return Finding(check=self.check, state=State.FINE, found=f"{version}, {source}")
        return Finding(
            check=self.check,
            state=State.WARNING,
            found="no libopus: no voice",
            fix="`make install` (PyAV carries it), or install your system's libopus.",
        )


def opus_libraries() -> list[tuple[str, str]]:
    """Where libopus may be, as (source, path or name to load), best first. Blocks."""
    system = ctypes.util.find_library("opus")
    found = [("the system's", system)] if system else []
    try:
        files = distribution("av").files or []
    except PackageNotFoundError:
        files = []
    carried = [file for file in files if file.name.startswith("libopus") and file.parent.name == "av.libs"]
    return found + [("the one inside PyAV", str(file.locate())) for file in carried]


class DaveProbe:
    """DAVE, Discord's end-to-end encryption of voice, without which no voice channel can be joined."""

    check = "DAVE"

    async def findings(self) -> Sequence[Finding]:
        """One row."""
        return [await asyncio.to_thread(self._finding)]

    def _finding(self) -> Finding:
        try:
            davey = import_module("davey")
        except ImportError as error:
            found = f"davey cannot be loaded ({error}): no voice"
            return Finding(check=self.check, state=State.WARNING, found=found, fix="`make install`.")
        protocol = getattr(davey, "DAVE_PROTOCOL_VERSION", "unknown")
        found = f"davey {distribution('davey').version}, protocol version {protocol}"
        return Finding(check=self.check, state=State.FINE, found=found)


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
