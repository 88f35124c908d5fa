"""Bytes of media, read when a request is built and at no other time."""

import asyncio
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePath
from typing import Protocol

from core.conversation.content import Text
from core.conversation.turns import Conversation, UserTurn


class MediaStore(Protocol):
    """Where the bytes of attachments are."""

    async def read(self, path: PurePath) -> bytes | None:
        """The bytes, or None when they are gone."""
        ...


class FolderMedia:
    """Attachments as files under one folder; a path that leaves it is treated as gone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def read(self, path: PurePath) -> bytes | None:
        """See `MediaStore`; read in a thread."""
        return await asyncio.to_thread(self._read, path)

    def _read(self, path: PurePath) -> bytes | None:
        root = self._folder.resolve()
        file = (root / path).resolve()
        try:
            return file.read_bytes() if file.is_relative_to(root) else None
        except OSError:
            return None


async def media_of(conversation: Conversation, store: MediaStore) -> Mapping[PurePath, bytes]:
    """The bytes of every part that is held by path; what is gone is missing."""
    found: dict[PurePath, bytes] = {}
    for path in _paths(conversation):
        if path not in found and (content := await store.read(path)) is not None:
            found[path] = content
    return found


def _paths(conversation: Conversation) -> Iterable[PurePath]:
    for turn in conversation.turns:
        if isinstance(turn, UserTurn):
            for part in turn.content:
                if not isinstance(part, Text) and part.source.path is not None:
                    yield part.source.path
