"""TEXT-4: attachments are kept privately, bounded in size and age, and cleaned as they grow."""

import os
from datetime import timedelta
from pathlib import Path, PurePath

from bot.media_folder import MediaFolder

DAY_S = 86_400


class Now:
    def __init__(self) -> None:
        self.at = 1_700_000_000.0

    def __call__(self) -> float:
        return self.at


def folder_in(tmp_path: Path, now: Now, *, most_bytes: int = 100) -> MediaFolder:
    return MediaFolder(tmp_path / "media", most_bytes=most_bytes, keep_for=timedelta(days=30), now=now)


def names(tmp_path: Path) -> list[str]:
    return sorted(file.name for file in (tmp_path / "media").rglob("*") if file.is_file())


def written(tmp_path: Path, name: str, at: float) -> None:
    os.utime(tmp_path / "media" / "7" / name, (at, at))


async def test_what_is_kept_is_whole_and_private(tmp_path: Path) -> None:
    media = folder_in(tmp_path, Now())
    await media.prepare()
    assert await media.keep(PurePath("7/1.png"), b"picture")
    file = tmp_path / "media" / "7" / "1.png"
    assert file.read_bytes() == b"picture"
    assert file.stat().st_mode & 0o077 == 0
    assert (tmp_path / "media").stat().st_mode & 0o077 == 0
    assert names(tmp_path) == ["1.png"]


async def test_the_oldest_give_way_when_it_is_full(tmp_path: Path) -> None:
    now = Now()
    media = folder_in(tmp_path, now)
    await media.prepare()
    for number in range(5):
        await media.keep(PurePath(f"7/{number}.png"), b"x" * 20)
        written(tmp_path, f"{number}.png", now.at + number)
    assert len(names(tmp_path)) == 5
    await media.keep(PurePath("7/5.png"), b"x" * 20)
    assert names(tmp_path) == ["2.png", "3.png", "4.png", "5.png"]


async def test_what_is_old_goes_at_the_next_start(tmp_path: Path) -> None:
    now = Now()
    media = folder_in(tmp_path, now)
    await media.prepare()
    for name, age_days in (("old.png", 31), ("new.png", 29)):
        await media.keep(PurePath(f"7/{name}"), b"x")
        written(tmp_path, name, now.at - age_days * DAY_S)
    await folder_in(tmp_path, now).prepare()
    assert names(tmp_path) == ["new.png"]


async def test_a_channel_that_is_gone_leaves_nothing(tmp_path: Path) -> None:
    """TEXT-4, SCENE-2: and nothing of another channel goes with it."""
    media = folder_in(tmp_path, Now())
    await media.prepare()
    await media.keep(PurePath("7/1.png"), b"x")
    await media.keep(PurePath("8/2.png"), b"x")
    await media.forget(PurePath("7"))
    await media.forget(PurePath("9"))
    assert names(tmp_path) == ["2.png"]


async def test_a_disk_that_takes_nothing_is_told(tmp_path: Path) -> None:
    """TEXT-4: the message is answered with a label."""
    media = folder_in(tmp_path, Now())
    await media.prepare()
    (tmp_path / "media" / "7").write_text("in the way")
    assert not await media.keep(PurePath("7/1.png"), b"x")
