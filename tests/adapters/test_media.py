"""Attachments on disk, read when a request needs them."""

from pathlib import Path, PurePath

import pytest

from core.conversation.content import File, Image, MediaSource
from core.conversation.turns import Conversation, UserTurn
from core.generation.media import FolderMedia, media_of
from tests.generation_setup import MOMENT, DictMedia


async def test_bytes_are_read_from_the_folder(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b.png").write_bytes(b"png")
    assert await FolderMedia(tmp_path).read(PurePath("a/b.png")) == b"png"


@pytest.mark.parametrize("path", ["gone.png", "..", "../secret", "/etc/passwd", ".", "link"])
async def test_what_is_gone_or_outside_is_not_read(tmp_path: Path, path: str) -> None:
    folder = tmp_path / "media"
    folder.mkdir()
    (tmp_path / "secret").write_bytes(b"secret")
    (folder / "link").symlink_to(tmp_path / "secret")
    assert await FolderMedia(folder).read(PurePath(path)) is None


async def test_each_path_of_a_conversation_is_read_once() -> None:
    """CORE-5: parts by URL are not read."""
    asked_for: list[PurePath] = []

    class Watched(DictMedia):
        async def read(self, path: PurePath) -> bytes | None:
            asked_for.append(path)
            return await super().read(path)

    here, gone = PurePath("here"), PurePath("gone")
    content = (
        Image(source=MediaSource(path=here), media_type="image/png"),
        Image(source=MediaSource(path=here), media_type="image/png"),
        File(source=MediaSource(path=gone), media_type="text/plain", name="gone"),
        Image(source=MediaSource(url="https://example.org"), media_type="image/png"),
    )
    conversation = Conversation(id="c", turns=(UserTurn(id="u", at=MOMENT, content=content),))
    assert await media_of(conversation, Watched({here: b"x"})) == {here: b"x"}
    assert asked_for == [here, gone]
