"""A recording of a call (VOX-9): one file per speaker, silences kept, so that the files run side by side.

At 48 kHz, mono (VOX-4). `hear` takes frames from the loop and never waits; `run` writes them once a second in
a thread, until the recording is stopped or as long as it may be. Made only after somebody asked for it and
people were told.
"""

import asyncio
import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import structlog

from voice import (
    FULL_BAND_RATE_HZ,
    HeardEvent,
    HeardFrame,
    OpusFile,
)

_log = structlog.get_logger()
_WRITE_EVERY_S = 1.0
_MOST_WAITING = 10_000  # frames: ten speakers for 20 s
_MOST_SPEAKERS = 50
_LEAST_GAP = FULL_BAND_RATE_HZ // 10
_SILENCE = bytes(2 * FULL_BAND_RATE_HZ)


@dataclass(frozen=True, slots=True, kw_only=True)
class Track:
    """A finished file of one speaker."""

    user_id: int
    path: Path


class Recording:
    """In `folder`, which it makes for the owner's eyes alone; `most_s` seconds at most."""

    def __init__(self, folder: Path, *, most_s: float, now: Callable[[], float] = time.monotonic) -> None:
        self._folder = folder
        self._most_s = most_s
        self._now = now
        self._started = now()
        self._waiting: list[HeardFrame] = []
        self._files: dict[int, OpusFile] = {}
        self._tracks: list[Track] = []
        self._stopped = asyncio.Event()
        self._writing = threading.Lock()
        self._closed = False

    def hear(self, event: HeardEvent) -> None:
        """From the call; what comes after the end, or too fast to be written, is left out.

        So is what was decoded just before the full band was asked for.
        """
        if not isinstance(event, HeardFrame) or not event.full_band or self._stopped.is_set():
            return
        if event.at < self._started + self._most_s and len(self._waiting) < _MOST_WAITING:
            self._waiting.append(event)

    def stop(self) -> None:
        """`run` comes to its end."""
        self._stopped.set()

    async def run(self) -> tuple[Track, ...]:
        """Writes until the end; returns what came of it. Raises OSError: the disk does not take it."""
        try:
            while not self._stopped.is_set() and (left_s := self._started + self._most_s - self._now()) > 0:
                await self._write()
                with suppress(TimeoutError):
                    async with asyncio.timeout(min(_WRITE_EVERY_S, left_s)):
                        await self._stopped.wait()
        finally:
            self._stopped.set()
            await asyncio.shield(self._finish())
        return tuple(self._tracks)

    async def _write(self) -> None:
        frames, self._waiting = self._waiting, []
        if frames:
            await asyncio.to_thread(self._append, frames)

    async def _finish(self) -> None:
        try:
            await self._write()
        finally:
            await asyncio.to_thread(self._close)

    # in the thread

    def _append(self, frames: list[HeardFrame]) -> None:
        with self._writing:  # whoever was cancelled while it wrote has left its thread behind
            for frame in frames:
                self._append_one(frame)

    def _append_one(self, frame: HeardFrame) -> None:
        file = None if self._closed else self._file_of(frame.user_id)
        if file is not None:
            gap = round((frame.at - self._started) * FULL_BAND_RATE_HZ) - file.samples
            while gap >= _LEAST_GAP:
                quiet = _SILENCE[: 2 * gap]
                file.write(quiet)
                gap -= len(quiet) // 2
            file.write(frame.full_band)

    def _file_of(self, user_id: int) -> OpusFile | None:
        file = self._files.get(user_id)
        if file is None and len(self._files) < _MOST_SPEAKERS:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            path = self._folder / f"{user_id}.ogg"
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            file = self._files[user_id] = OpusFile(path)
            self._tracks.append(Track(user_id=user_id, path=path))
        return file

    def _close(self) -> None:
        with self._writing:
            self._closed = True
            for file in self._files.values():
                try:
                    file.close()
                except OSError as error:  # the others are still completed
                    _log.warning("recording not completed", error=type(error).__name__)
