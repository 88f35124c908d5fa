"""Pacing in virtual time: the grid of 20 ms, starts, underruns, stops; and the queue behind it."""

import asyncio
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice.audio.frames import SENT_FRAME_BYTES
from voice.audio.pacing_rules import Action, Pacer, Phase, Slot, Supply
from voice.audio.playback_queue import Opus, Pcm, PlaybackQueue, PlaybackStopped


class Line:
    """A queue of numbers and a pacer, run slot by slot; `sent` holds what left and when."""

    def __init__(self) -> None:
        self.pacer = Pacer()
        self.frames = 0
        self.finished = False
        self.held = False
        self.sent: list[tuple[float, Slot]] = []
        self.at = 0.0

    def until(self, end: float, *, late: float = 0.0) -> None:
        """Steps at each deadline, `late` seconds after it."""
        self.step(self.at)
        while (due := self.pacer.deadline) is not None and due + late <= end:
            self.step(max(self.at, due + late))
        self.at = max(self.at, end)

    def step(self, at: float) -> None:
        self.at = at
        slot = self.pacer.step(at, Supply(self.frames, self.finished, self.held))
        if slot.action is Action.FRAME:
            self.frames -= 1
        if slot.action is not Action.NOTHING or slot.speaking is not None:
            self.sent.append((at, slot))

    def actions(self) -> list[Action]:
        return [slot.action for _, slot in self.sent if slot.action is not Action.NOTHING]


def test_frames_leave_every_20_ms_from_the_first_on() -> None:
    """VOX-6: no gap differs, also not the first one."""
    line = Line()
    line.frames, line.finished = 50, True
    line.until(2.0)
    moments = [at for at, slot in line.sent if slot.action is Action.FRAME]
    assert [round(later - earlier, 6) for earlier, later in pairwise(moments)] == [0.02] * 49
    assert [slot.speaking for _, slot in line.sent if slot.speaking is not None] == [True, False]
    assert line.actions() == [Action.FRAME] * 50 + [Action.SILENCE] * 5
    assert line.pacer.phase is Phase.IDLE
    assert [slot.timestamp for _, slot in line.sent][:3] == [0, 960, 1920]
    assert [slot.marker for _, slot in line.sent][:3] == [True, False, False]


def test_a_start_waits_for_its_prebuffer_but_not_for_ever() -> None:
    line = Line()
    line.frames = 1
    line.until(0.050)
    assert line.sent == []
    line.until(0.200)
    assert line.sent[0][0] == pytest.approx(0.100)
    line = Line()
    line.frames = 3
    line.until(0.0)
    assert len(line.sent) == 1


def test_an_underrun_sends_silence_and_recovers() -> None:
    """VOX-6: a slow producer is bridged with silence; its frames go on later, and time has passed."""
    line = Line()
    line.frames = 3
    line.until(0.130)
    assert line.actions() == [Action.FRAME] * 3 + [Action.SILENCE] * 4
    line.frames = 2
    line.until(0.170)
    frames = [slot for _, slot in line.sent if slot.action is Action.FRAME]
    assert [slot.timestamp // 960 for slot in frames] == [0, 1, 2, 7, 8]
    assert frames[3].marker
    assert line.pacer.counts.underruns == 1
    line.until(5.0)
    assert line.pacer.phase is Phase.IDLE
    assert line.sent[-1][1].speaking is False
    assert line.actions().count(Action.SILENCE) <= 10


def test_a_stop_lets_no_frame_out_from_the_next_slot_on() -> None:
    """VOX-6: barge-in is heard within one frame."""
    line = Line()
    line.frames = 50
    line.until(0.500)
    before = line.actions().count(Action.FRAME)
    line.frames, line.finished = 0, True
    line.until(2.0)
    assert line.actions().count(Action.FRAME) == before
    assert line.actions()[before:] == [Action.SILENCE] * 5


def test_a_hold_pauses_and_goes_on_with_the_next_frame() -> None:
    line = Line()
    line.frames, line.finished = 10, True
    line.until(0.090)
    line.held = True
    line.until(1.000)
    assert line.actions() == [Action.FRAME] * 5 + [Action.SILENCE] * 5
    line.held = False
    line.until(2.0)
    assert line.actions() == ([Action.FRAME] * 5 + [Action.SILENCE] * 5) * 2
    stamps = [slot.timestamp // 960 for _, slot in line.sent if slot.action is Action.FRAME]
    assert stamps[5] >= 45, "the timestamps count the pause"


def test_small_delays_do_not_add_up_and_large_ones_move_the_grid() -> None:
    line = Line()
    line.frames, line.finished = 100, True
    line.until(0.4, late=0.012)
    line.until(0.4001)
    assert line.sent[-1][0] == pytest.approx(0.4)
    line.at = 1.0
    line.step(1.0)
    assert line.pacer.counts.skipped_slots > 25
    line.until(1.2)
    moments = [at for at, _ in line.sent if at > 1.0]
    assert all(later - earlier > 0.015 for earlier, later in pairwise(moments))


@given(
    events=st.lists(
        st.tuples(st.floats(0, 0.3), st.integers(0, 9), st.booleans(), st.booleans()), max_size=60
    )
)
def test_whatever_the_producer_does_the_pace_is_kept(events: list[tuple[float, int, bool, bool]]) -> None:
    """VOX-6: a slot apart (the second may be nearer), timestamps rise, SPEAKING alternates."""
    line = Line()
    at = 0.0
    for step, frames, finished, held in events:
        at += step
        line.until(at)
        line.frames += frames
        line.finished, line.held = finished, held
    line.finished, line.held = True, False
    line.until(at + 60)
    packets = [(moment, slot) for moment, slot in line.sent if slot.action is not Action.NOTHING]
    for (earlier, one), (later, two) in pairwise(packets):
        assert later - earlier > 0.0149
        assert two.timestamp > one.timestamp
    flags = [slot.speaking for _, slot in line.sent if slot.speaking is not None]
    assert flags == [True, False] * (len(flags) // 2)
    assert line.frames == 0
    assert line.pacer.phase is Phase.IDLE


FRAME = bytes(SENT_FRAME_BYTES)


async def test_the_queue_pads_the_last_frame_and_tells_the_position() -> None:
    """VOX-6: a partial last frame is padded with silence."""
    queue = PlaybackQueue()
    playback = queue.begin()
    await playback.write_pcm(FRAME + b"\1\1" * 10)
    assert queue.supply() == Supply(1, finished=False, held=False)
    playback.finish()
    assert queue.supply() == Supply(2, finished=True, held=False)
    assert queue.take() == Pcm(FRAME)
    assert playback.played_s == pytest.approx(0.02)
    assert queue.take() == Pcm((b"\1\1" * 10).ljust(SENT_FRAME_BYTES, b"\0"))
    assert queue.take() is None
    await playback.played()


async def test_a_fast_producer_waits_for_room() -> None:
    """VOX-6: backpressure: the queue never holds more than its bound, however much is written."""
    queue = PlaybackQueue(capacity_frames=5)
    playback = queue.begin()
    async with asyncio.TaskGroup() as tasks:
        writer = tasks.create_task(playback.write_pcm(FRAME * 30))
        taken = 0
        while taken < 30:
            await asyncio.sleep(0)
            assert len(queue) <= 5
            if queue.take() is not None:
                taken += 1
        await writer


async def test_a_stopped_playback_leaves_nothing_behind() -> None:
    """VOX-6: after a stop neither queued frames nor a write that was waiting reach the network."""
    queue = PlaybackQueue(capacity_frames=3)
    playback = queue.begin()
    async with asyncio.TaskGroup() as tasks:
        writer = tasks.create_task(refused(playback.write_pcm(FRAME * 10)))
        await asyncio.sleep(0)
        assert queue.take() is not None
        playback.stop()
        assert await writer
    assert queue.supply().frames == 0
    assert queue.take() is None
    after = queue.begin()
    await after.write_opus(b"opus")
    assert queue.take() == Opus(b"opus")
    assert playback.played_s == pytest.approx(0.02)


async def test_a_closed_queue_ends_every_wait() -> None:
    queue = PlaybackQueue(capacity_frames=1)
    playback = queue.begin()
    async with asyncio.TaskGroup() as tasks:
        writer = tasks.create_task(refused(playback.write_pcm(FRAME * 10)))
        tasks.create_task(playback.played())
        await asyncio.sleep(0)
        queue.close()
        assert await writer
    with pytest.raises(PlaybackStopped):
        queue.begin()


async def refused(write: object) -> bool:
    try:
        await write  # type: ignore[misc] # a coroutine
    except PlaybackStopped:
        return True
    return False
