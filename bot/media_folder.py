"""The folder of attachments: private, bounded in size and age, cleaned as it grows (TEXT-4).

What was cleaned away becomes a label in later requests, so a conversation survives its pictures.
"""

import asyncio
import os
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path, PurePath

import structlog

_log = structlog.get_logger()
_KEPT_SHARE = 0.8


class MediaFolder:
    """Files by a path relative to `folder`; at most `most_bytes` together, none older than `keep_for`.

    `now` gives seconds since 1970, as the times of files do.
    """

    def __init__(
        self, folder: Path, *, most_bytes: int, keep_for: timedelta, now: Callable[[], float] = time.time
    ) -> None:
        self._folder = folder
        self._most_bytes = most_bytes
        self._keep_for = keep_for
        self._now = now
        self._size = 0
        self._cleaning = asyncio.Lock()

    async def prepare(self) -> None:
        """Make the folder, for the owner's eyes only, and clean it."""
        await asyncio.to_thread(self._folder.mkdir, mode=0o700, parents=True, exist_ok=True)
        await self.clean()

    async def keep(self, path: PurePath, content: bytes) -> bool:
        """Keep a file whole or not at all; False when the disk does not take it."""
        try:
            await asyncio.to_thread(self._write, path, content)
        except OSError as error:
            _log.warning("attachment not kept", error=type(error).__name__)
            return False
        self._size += len(content)
        if self._size > self._most_bytes:
            await self.clean()
        return True

    async def forget(self, within: PurePath) -> None:
        """Delete a file, or everything below a folder."""
        async with self._cleaning:
            await asyncio.to_thread(self._forget, within)

    async def clean(self) -> None:
        """Delete what is too old, and the oldest until there is room again."""
        async with self._cleaning:
            self._size = await asyncio.to_thread(self._cleaned)

    def _write(self, path: PurePath, content: bytes) -> None:
        target = self._folder / path
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        unfinished = target.with_name(f".{target.name}.{os.getpid()}")
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        unfinished.replace(target)

    def _forget(self, within: PurePath) -> None:
        gone = self._folder / within
        _delete([gone] if gone.is_file() else [file for file, _, _ in self._files(gone)])

    def _cleaned(self) -> int:
        files = self._files(self._folder)
        oldest = self._now() - self._keep_for.total_seconds()
        size = sum(length for _, _, length in files)
        wanted = self._most_bytes if size <= self._most_bytes else int(self._most_bytes * _KEPT_SHARE)
        gone: list[Path] = []
        for file, written_at, length in sorted(files, key=lambda one: one[1]):
            if written_at >= oldest and size <= wanted:
                break
            gone.append(file)
            size -= length
        _delete(gone)
        return size

    def _files(self, folder: Path) -> list[tuple[Path, float, int]]:
        """Every file with its time and its length."""
        found: list[tuple[Path, float, int]] = []
        for file in folder.rglob("*"):
            if file.is_file() and not file.is_symlink():
                details = file.stat()
                found.append((file, details.st_mtime, details.st_size))
        return found


def _delete(files: list[Path]) -> None:
    for file in files:
        file.unlink(missing_ok=True)
