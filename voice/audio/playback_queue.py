"""What waits to be spoken in one channel (VOX-6): bounded, in order, emptied within one frame.

The event loop only appends and the sender's thread only takes, each by one atomic operation of a deque,
so neither ever waits for a lock. Whoever writes faster than real time waits inside the write. A
`Playback` is one stretch of speech: stopping makes the thread skip its frames and its further writes
fail, so no frame of it leaves afterwards.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from itertools import islice

from voice.audio.frames import FRAME_S, SentFrames
from voice.audio.pacing_rules import Supply


class PlaybackStopped(Exception):
    """The playback was stopped or finished, or the call is over: nothing more of it can be written."""


@dataclass(frozen=True, slots=True)
class Pcm:
    """One frame of 3,840 bytes to encode."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Opus:
    """One packet of 20 ms that is encoded already."""

    data: bytes


Sendable = Pcm | Opus


class Gate(Enum):
    """What may keep frames from leaving, besides whoever speaks."""

    KEY = "no key to encrypt with"
    STAGE = "not invited to speak"


class PlaybackQueue:
    """The frames of one channel.

    `wake` is called from the loop when the sender has something new to look at.
    """

    def __init__(self, *, capacity_frames: int = 25, wake: Callable[[], None] = lambda: None) -> None:
        self._capacity = capacity_frames
        self._frames: deque[tuple[Playback, Sendable]] = deque()
        self._wake = wake
        self._closed_gates: frozenset[Gate] = frozenset()
        self._closed = False
        self._low = capacity_frames // 2
        self._waits_for_room = self._waits_for_end = self._waits_for_first = False
        self._changed = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._playback: Playback | None = None

    def __len__(self) -> int:
        return len(self._frames)

    def begin(self) -> "Playback":
        """A new stretch of speech; one that was still open before it is finished first.

        Raises:
            PlaybackStopped: the call is over.
        """
        if self._closed:
            raise PlaybackStopped("the call is over")
        if self._playback is not None:
            self._playback.finish()
            self._playback.resume()
        self._playback = Playback(self)
        return self._playback

    def close(self) -> None:
        """The call is over: drops everything and ends every wait."""
        self._closed = True
        for playback in {playback for playback, _ in tuple(self._frames)}:
            playback.stop()
        if self._playback is not None:
            self._playback.stop()

    def hold(self, gate: "Gate", *, closed: bool) -> None:
        """Closes or opens one of the transport's own gates; frames leave while all are open."""
        self._closed_gates = self._closed_gates | {gate} if closed else self._closed_gates - {gate}
        self._wake()

    # for `Playback`

    def has_room(self) -> bool:
        """Whether another frame may be appended."""
        return len(self._frames) < self._capacity

    def append(self, playback: "Playback", frame: Sendable) -> None:
        """Queues it; the bound is kept by whoever waits for `has_room`."""
        self._frames.append((playback, frame))
        self._wake()

    def look_again(self) -> None:
        """A playback changed: ends waits that are over, wakes the sender."""
        self._changed.set()
        self._wake()

    async def room(self, over: Callable[[], bool]) -> None:
        """Waits while the queue is full, then until half of it is free; or until `over`."""
        while not self.has_room() and not over():
            self._changed.clear()
            self._waits_for_room = True
            if len(self._frames) > self._low and not over():  # the thread may have taken frames in between
                await self._changed.wait()

    async def end(self, over: Callable[[], bool]) -> None:
        """Waits for a condition that the last frame of a playback brings about."""
        while not over():
            self._changed.clear()
            self._waits_for_end = True
            if not over():
                await self._changed.wait()

    async def first(self, over: Callable[[], bool]) -> None:
        """Waits for a condition that the first frame of a playback brings about."""
        while not over():
            self._changed.clear()
            self._waits_for_first = True
            if not over():
                await self._changed.wait()

    # the sender's thread

    def supply(self) -> Supply:
        """What is there to send; frames of stopped playbacks are dropped here."""
        while self._frames and self._frames[0][0].stopped:
            self._frames.popleft()
            self._tell_loop(None)
        playback = self._playback
        return Supply(
            frames=len(self._frames),
            finished=playback is None or not playback.is_open,
            held=bool(self._closed_gates) or (playback is not None and playback.paused),
        )

    def take(self) -> Sendable | None:
        """The next frame; None when it was stopped meanwhile."""
        while self._frames:
            playback, frame = self._frames.popleft()
            if playback.stopped:
                self._tell_loop(None)
                continue
            playback.taken += 1
            self._tell_loop(playback)  # last, as the loop then looks at what has changed
            return frame
        return None

    def ahead(self, count: int) -> list[Sendable]:
        """The next frames, to be encoded before their time; they stay in the queue."""
        return [frame for playback, frame in tuple(islice(self._frames, count)) if not playback.stopped]

    def _tell_loop(self, taken_of: "Playback | None") -> None:
        room = self._waits_for_room and len(self._frames) <= self._low
        end = self._waits_for_end and (not self._frames or self._frames[0][0] is not taken_of)
        first = self._waits_for_first and taken_of is not None and taken_of.taken == 1
        if room or end or first:
            self._waits_for_room = self._waits_for_end = self._waits_for_first = False
            self._loop.call_soon_threadsafe(self._changed.set)


class Playback:
    """One stretch of speech in a channel: write, then `finish`; or `stop` at any time."""

    def __init__(self, queue: PlaybackQueue) -> None:
        self._queue = queue
        self._cutter = SentFrames()
        self._written = 0
        self.is_open = True
        self.stopped = False
        self.paused = False
        self.taken = 0
        """Frames that left for the network; counted by the sender's thread."""

    @property
    def played_s(self) -> float:
        """Seconds of this playback that left for the network."""
        return self.taken * FRAME_S

    async def write_pcm(self, pcm: bytes) -> None:
        """Queues PCM of any length (48 kHz stereo int16); waits while the queue is full.

        Raises:
            PlaybackStopped: it was stopped or finished.
        """
        self._must_be_open()
        for frame in self._cutter.cut(pcm):
            await self._append(Pcm(frame))

    async def write_opus(self, packet: bytes) -> None:
        """Queues one Opus packet of 20 ms; waits while the queue is full. Raises `PlaybackStopped`."""
        await self._append(Opus(packet))

    def finish(self) -> None:
        """Nothing more comes: a partial frame is padded, what is queued is played to its end."""
        if not self.is_open:
            return
        rest = self._cutter.last()
        if rest is not None:
            self._written += 1
            self._queue.append(self, Pcm(rest))
        self.is_open = False
        self._queue.look_again()

    async def begun(self) -> bool:
        """Returns when the first frame left; False when the playback ended without one."""
        await self._queue.first(lambda: bool(self.taken) or self._is_over())
        return bool(self.taken)

    async def played(self) -> None:
        """Returns when the last frame left or the playback was stopped; call `finish` first."""
        await self._queue.end(self._is_over)

    def pause(self) -> None:
        """From the next slot of 20 ms on nothing leaves; `resume` goes on with the very next frame."""
        self.paused = True

    def resume(self) -> None:
        """Ends a `pause`."""
        self.paused = False
        self._queue.look_again()

    def stop(self) -> None:
        """From the next slot of 20 ms on nothing of this leaves."""
        self.stopped, self.is_open, self.paused = True, False, False
        self._queue.look_again()

    def _is_over(self) -> bool:
        return self.stopped or (not self.is_open and self.taken >= self._written)

    async def _append(self, frame: Sendable) -> None:
        self._must_be_open()
        await self._queue.room(lambda: not self.is_open)
        self._must_be_open()
        self._written += 1
        self._queue.append(self, frame)

    def _must_be_open(self) -> None:
        if not self.is_open:
            raise PlaybackStopped("stopped or finished")
