"""The folder of persona files, read anew when a persona is wanted and a second has passed (CORE-44).

What is read is compared with what was read before, so an edit acts on the next run and a file that did not
change is not parsed again. In between, runs take what was read last: a busy room reads no file for each of
its messages. A file that an edit has broken is told of once, in the log, and what was good
before stays. Files are read and written in threads; none of them is ever written but by `keep`.
"""

import asyncio
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import structlog

from bot.personas.persona_text import (
    MOST_CHARACTERS,
    PersonaRefused,
    built_in_persona,
    first_persona,
    is_persona_key,
    read_persona,
)
from core.clock import Clock
from core.prompts.identity import Persona
from core.sentences import sentence

_log = structlog.get_logger()

DEFAULT_KEY: Final = "default"
_SUFFIX: Final = ".md"
_MOST_BYTES: Final = 4 * MOST_CHARACTERS  # UTF-8 takes up to four bytes a character
_HOLDS_S: Final = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonaFile:
    """A file as it was read last.

    `persona` is the newest good one, None where there never was any; `problem` says why `source` is not it.
    """

    source: str
    persona: Persona | None
    problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """`at` is in monotonic seconds."""

    content: bytes
    found: PersonaFile
    at: float


class PersonaFolder:
    """The personas of a deployment by their keys: the files' names without `.md`.

    `default_name` is how the default persona is called while its file gives no name.
    """

    def __init__(self, folder: Path, *, default_name: str, clock: Clock) -> None:
        self._folder = folder
        self._default_name = default_name
        self._clock = clock
        self._read: dict[str, _Read] = {}

    async def prepare(self) -> None:
        """Make the folder and its first file, once: a folder that is there already is left as it is."""
        try:
            made = await asyncio.to_thread(_make, self._folder)
        except OSError as error:
            _log.warning("persona folder cannot be made", reason=error.strerror)
            return
        if made:
            await self.keep(DEFAULT_KEY, first_persona())

    async def keys(self) -> tuple[str, ...]:
        """What can be chosen, in alphabetical order; the default is always there."""
        return await asyncio.to_thread(_keys, self._folder)

    async def look(self, key: str) -> PersonaFile | None:
        """The persona file of that key as it is now; None when there is none."""
        at = self._clock.monotonic()
        content = await asyncio.to_thread(_content, self._path(key)) if is_persona_key(key) else None
        if content is None:
            self._read.pop(key, None)
            return None
        known = self._read.get(key)
        if known is not None and known.content == content:
            found = known.found
        else:
            found = self._parsed(key, content, None if known is None else known.found.persona)
        self._read[key] = _Read(content=content, found=found, at=at)
        return found

    async def default(self) -> Persona:
        """The persona of every room that has chosen none, as it was within the last second."""
        found = await self._lately(DEFAULT_KEY)
        if found is not None and found.persona is not None:
            return found.persona
        return built_in_persona(self._default_name)

    async def persona(self, key: str) -> Persona | None:
        """The newest good text of that key within the last second; None when there never was one."""
        if key == DEFAULT_KEY:
            return await self.default()
        found = await self._lately(key)
        return None if found is None else found.persona

    async def keep(self, key: str, text: str) -> Persona:
        """Write a persona, whole or not at all.

        Raises:
            PersonaRefused: it is none, or the file cannot be written; the old one stays.
        """
        if not is_persona_key(key):
            raise PersonaRefused("this cannot be the name of a persona")
        persona = read_persona(text, file_name=self._called(key))
        try:
            await asyncio.to_thread(_write, self._path(key), text)
        except OSError as error:
            raise PersonaRefused(
                sentence("the file cannot be written: {strerror}", strerror=error.strerror)
            ) from error
        await self.look(key)
        return persona

    async def _lately(self, key: str) -> PersonaFile | None:
        known = self._read.get(key)
        if known is not None and self._clock.monotonic() - known.at < _HOLDS_S:
            return known.found
        return await self.look(key)

    def _parsed(self, key: str, content: bytes, before: Persona | None) -> PersonaFile:
        try:
            persona = read_persona(_text(content), file_name=self._called(key))
        except PersonaRefused as refused:
            problem, source = str(refused), content.decode("utf-8", "replace")
            _log.warning("persona cannot be used", persona=key, problem=problem, kept=before is not None)
            return PersonaFile(source=source, persona=before, problem=problem)
        return PersonaFile(source=_text(content), persona=persona)

    def _called(self, key: str) -> str:
        return self._default_name if key == DEFAULT_KEY else key

    def _path(self, key: str) -> Path:
        return self._folder / f"{key}{_SUFFIX}"


def _make(folder: Path) -> bool:
    try:
        folder.mkdir(mode=0o700, parents=True)
    except FileExistsError:
        return False
    return True


def _keys(folder: Path) -> tuple[str, ...]:
    try:
        found = {path.stem for path in folder.iterdir() if path.suffix == _SUFFIX}
    except OSError:
        found = set[str]()
    return tuple(sorted({key for key in found if is_persona_key(key)} | {DEFAULT_KEY}, key=str.casefold))


def _content(path: Path) -> bytes | None:
    """The file's bytes, one more than allowed where it is too long; None when it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(_MOST_BYTES + 1)
    except OSError:
        return None


def _text(content: bytes) -> str:
    if len(content) > _MOST_BYTES:
        raise PersonaRefused(
            sentence(
                "it is too long; the most is {most_characters} characters", most_characters=MOST_CHARACTERS
            )
        )
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise PersonaRefused("it is not in UTF-8") from error


def _write(path: Path, text: str) -> None:
    written = path.with_name(f".{path.name}.new")
    with written.open("w", encoding="utf-8", newline="\n") as file:
        file.write(text if text.endswith("\n") else f"{text}\n")
        file.flush()
        os.fsync(file.fileno())
    written.replace(path)
