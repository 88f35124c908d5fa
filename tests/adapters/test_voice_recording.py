"""A recording on disk: the files of a call run side by side, and are bounded (VOX-9)."""

import asyncio
from pathlib import Path

import av
import numpy as np
import pytest

from bot.voice_recording import Recording, Track
from voice.audio.frames import HeardFrame

HIGH_HZ = 10_000
TONE = (np.sin(np.arange(960) * 2 * np.pi * HIGH_HZ / 48_000) * 9_000).astype("<i2").tobytes()


class Clock:
    """Stands until it is set."""

    def __init__(self) -> None:
        self.at = 100.0

    def __call__(self) -> float:
        return self.at


def frame(user_id: int, at: float) -> HeardFrame:
    return HeardFrame(user_id=user_id, ssrc=user_id, pcm=bytes(640), position=0, at=at, full_band=TONE)


async def recorded(recording: Recording) -> tuple[Track, ...]:
    async with asyncio.timeout(5):
        async with asyncio.TaskGroup() as tasks:
            running = tasks.create_task(recording.run())
            await asyncio.sleep(0)
            recording.stop()
        return running.result()


def loudness(track: Track) -> np.ndarray:
    """Of each 20 ms, above what 16 kHz can carry."""
    with av.open(str(track.path), "r") as file:
        resampler = av.AudioResampler(format="s16", layout="mono", rate=48_000)
        frames = [one for sound in file.decode(audio=0) for one in resampler.resample(sound)]
    sound = np.concatenate([one.to_ndarray()[0] for one in frames]).astype(float)
    spectrum = np.fft.rfft(sound[: len(sound) // 960 * 960].reshape(-1, 960), norm="forward")
    return np.abs(spectrum[:, 170:]).sum(axis=1)  # from 8,500 Hz


async def test_speakers_have_files_of_their_own_that_run_side_by_side(tmp_path: Path) -> None:
    """VOX-9, VOX-4: who speaks two seconds later is heard so; pauses are kept; sound of 10 kHz is in it."""
    recording = Recording(tmp_path / "call", most_s=60, now=Clock())
    for user_id, begins_at in ((1, 100.0), (2, 102.0), (1, 103.0)):
        for number in range(10):
            recording.hear(frame(user_id, begins_at + number * 0.02))
    first, second = (loudness(track) for track in await recorded(recording))
    assert [first[2:9].min() > 1_000, first[20:140].max() < 500, first[152:159].min() > 1_000] == [True] * 3
    assert [second[:95].max() < 500, second[102:109].min() > 1_000] == [True] * 2
    assert 159 <= len(first) <= 162
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / "call").iterdir()} == {0o600}


async def test_it_ends_by_itself_when_it_is_long_enough(tmp_path: Path) -> None:
    """VOX-9: bounded in time; what comes after is left out, and so are more speakers than any call has."""
    clock = Clock()
    recording = Recording(tmp_path / "call", most_s=1, now=clock)
    for user_id in range(1, 80):
        recording.hear(frame(user_id, 100.5))
    recording.hear(frame(1, 101.5))
    clock.at = 101.0
    async with asyncio.timeout(10):
        tracks = await recording.run()
    assert len(tracks) == 50
    assert len(loudness(tracks[0])) < 30
    recording.hear(frame(1, 100.9))
    assert len(loudness(tracks[0])) < 30


async def test_a_disk_that_takes_nothing_is_an_error(tmp_path: Path) -> None:
    """VOX-9."""
    (tmp_path / "call").write_text("in the way")
    recording = Recording(tmp_path / "call", most_s=60, now=Clock())
    recording.hear(frame(1, 100.0))
    with pytest.raises(OSError, match="call"):
        await recording.run()
