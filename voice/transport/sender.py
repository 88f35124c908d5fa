"""The thread that speaks, for every call of the process (VOX-6): it owns the clock of each channel.

One thread instead of one per channel: thirty threads that all wake every 20 ms for the same interpreter
lock delay each other, one that walks through thirty channels does not. Between two slots it encodes
ahead, so that in the slot itself only encryption and the send remain. The event loop's work cannot delay
it but by holding the interpreter.
"""

import asyncio
import math
import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import structlog

from voice.audio.frames import OPUS_SILENCE
from voice.audio.opus import BadOpus, Encoder
from voice.audio.pacing_rules import Action, Pacer, Phase, Slot
from voice.audio.playback_queue import Gate, Opus, PlaybackQueue, Sendable
from voice.transport import rtp
from voice.transport.transport_crypto import NonceExhausted, TransportCipher
from voice.transport.wakeable import Wakeable

_log = structlog.stdlib.get_logger(__name__)
_KEEPALIVE_S = 5.0
_REPORT_S = 5.0
_FRAMES_AHEAD = 3


@dataclass(slots=True)
class SendCounts:
    """Counted by the sender's thread over a call."""

    frames: int = 0
    errors: int = 0
    unencrypted_held_back: int = 0
    worst_gap_s: float = 0.0


class SendingLine:
    """What one voice session sends with: socket, SSRC, keys. Replaced as a whole with each new session.

    `reports`: RTCP sender reports go along, for clients that wait for them.
    """

    def __init__(
        self,
        *,
        udp: socket.socket,
        ssrc: int,
        cipher: TransportCipher,
        encrypt: Callable[[bytes], bytes | None],
        speaking: Callable[[bool], None],
        reports: bool = False,
    ) -> None:
        self._udp = udp
        self._ssrc = ssrc
        self._cipher = cipher
        self._encrypt = encrypt
        self._tell_speaking = speaking
        self._speaking = False
        self._sequence = 0
        self._octets = 0
        self._report_due = 0.0 if reports else math.inf
        self._keepalives = 0

    def announce(self, *, speaking: bool) -> None:
        """SPEAKING on or off, told when it changes."""
        if speaking != self._speaking:
            self._speaking = speaking
            self._tell_speaking(speaking)

    def send(self, opus: bytes, slot: Slot, counts: SendCounts) -> None:
        """One packet; what cannot be sent is dropped and counted."""
        payload = opus if opus == OPUS_SILENCE else self._encrypt(opus)
        if payload is None:
            counts.unencrypted_held_back += 1
            return
        if slot.action is Action.FRAME:
            self.announce(speaking=True)  # also where a new session took over in the middle
        self._sequence += 1
        header = rtp.build_header(
            sequence=self._sequence, timestamp=slot.timestamp, ssrc=self._ssrc, marker=slot.marker
        )
        try:
            self._udp.send(self._cipher.seal(header, payload))
        except (OSError, NonceExhausted):
            counts.errors += 1
        else:
            counts.frames += slot.action is Action.FRAME
            self._octets += len(payload)

    def report(self, slot: Slot, at: float, counts: SendCounts) -> None:
        """Which moment of the clock this slot's timestamp is, every five seconds of speech."""
        if at < self._report_due:
            return
        self._report_due = at + _REPORT_S
        clear, secret = rtp.sender_report(
            ssrc=self._ssrc,
            wall_s=time.time(),
            timestamp=slot.timestamp,
            packets=self._sequence,
            octets=self._octets,
        )
        try:
            self._udp.send(self._cipher.seal(clear, secret))
        except (OSError, NonceExhausted):
            counts.errors += 1

    def keep_alive(self) -> None:
        """Eight bytes that keep the way through routers open while nobody speaks."""
        self._keepalives += 1
        try:
            self._udp.send(self._keepalives.to_bytes(8, "little"))
        except OSError:
            return


class SendingChannel:
    """One call's mouth: its queue, its pace, its encoder; and the line of its present session, or none."""

    def __init__(self, sender: "Sender") -> None:
        self._sender = sender
        self.pacer = Pacer()
        self.queue = PlaybackQueue(wake=self._on_change)
        self.queue.hold(Gate.KEY, closed=True)
        self.counts = SendCounts()
        self._line: SendingLine | None = None
        self._encoder: Encoder | None = None
        self._ahead: deque[tuple[Sendable, bytes]] = deque()
        self._last_at = 0.0
        self._last_any = 0.0

    def connect(self, line: SendingLine | None) -> None:
        """From the loop: a session began or ended."""
        self._line = line
        self._sender.wake()

    # the thread

    @property
    def deadline(self) -> float | None:
        """When `step` is due."""
        pace = self.pacer.deadline
        if self._line is None:
            return pace
        keepalive = self._last_any + _KEEPALIVE_S
        return keepalive if pace is None else min(pace, keepalive)

    def step_now(self) -> None:
        """The slot that is due by the machine's clock."""
        self.step(time.monotonic())

    def step(self, at: float) -> None:
        """The slot that is due, if one is."""
        slot = self.pacer.step(at, self.queue.supply())
        line = self._line
        if slot.speaking is not None and line is not None:
            line.announce(speaking=slot.speaking)
        if slot.action is Action.NOTHING:
            if line is not None and at >= self._last_any + _KEEPALIVE_S:
                self._last_any = at
                line.keep_alive()
            return
        opus = OPUS_SILENCE if slot.action is Action.SILENCE else self._next_packet()
        if slot.action is Action.FRAME and not slot.marker:
            self.counts.worst_gap_s = max(self.counts.worst_gap_s, at - self._last_at)
        self._last_at = self._last_any = at
        if line is not None and opus is not None:
            line.send(opus, slot, self.counts)
            line.report(slot, at, self.counts)

    def encode_ahead(self) -> bool:
        """Encodes one of the next frames; False when that is done already."""
        ready = len(self._ahead)  # with what a stop left of them, until the next slot
        if ready >= _FRAMES_AHEAD or ready >= len(self.queue):
            return False
        coming = self.queue.ahead(_FRAMES_AHEAD)
        while self._ahead and not any(frame is self._ahead[0][0] for frame in coming):
            self._ahead.popleft()  # of a playback that was stopped
        for frame in coming[len(self._ahead) :]:
            self._ahead.append((frame, self._opus_of(frame)))
            return True
        return False

    def _next_packet(self) -> bytes | None:
        frame = self.queue.take()
        if frame is None:
            return OPUS_SILENCE
        while self._ahead:
            encoded, packet = self._ahead.popleft()
            if encoded is frame:
                return packet
        return self._opus_of(frame)

    def _opus_of(self, frame: Sendable) -> bytes:
        return frame.data if isinstance(frame, Opus) else self._encoded(frame.data)

    def _encoded(self, pcm: bytes) -> bytes:
        if self._encoder is None:
            self._encoder = Encoder()
        try:
            return self._encoder.encode(pcm)
        except BadOpus:
            self.counts.errors += 1
            return OPUS_SILENCE

    def _on_change(self) -> None:
        if self.pacer.phase is Phase.IDLE:  # else the next slot looks by itself
            self._sender.wake()


class Sender:
    """Owns the thread; channels come and go. `close` ends it."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._ended = asyncio.Event()
        self._channels: tuple[SendingChannel, ...] = ()
        self._stopping = False
        self._news = False
        self._reported: set[str] = set()
        self._turn = 0
        self._wakeable = Wakeable()
        self._thread = threading.Thread(target=self._run, name="voice-sender", daemon=True)
        self._thread.start()

    def open_channel(self) -> SendingChannel:
        """A channel that is silent until it is connected."""
        channel = SendingChannel(self)
        self._channels = (*self._channels, channel)
        return channel

    def close_channel(self, channel: SendingChannel) -> None:
        """Nothing of it leaves any more."""
        channel.connect(None)
        channel.queue.close()
        self._channels = tuple(one for one in self._channels if one is not channel)

    def wake(self) -> None:
        """Something changed before its time."""
        self._news = True
        self._wakeable.wake()

    async def aclose(self) -> None:
        """Ends the thread and waits for it."""
        self._stopping = True
        self._wakeable.wake()
        await self._ended.wait()

    # the thread

    def _run(self) -> None:
        try:
            while not self._stopping:
                self._news = False
                due = self._step_all()
                if self._encodes_until(due):
                    self._wakeable.wait(None if due is None else due - time.monotonic())
        finally:
            self._wakeable.close()
            with suppress(RuntimeError):  # the loop may be closed already
                self._loop.call_soon_threadsafe(self._ended.set)

    def _step_all(self) -> float | None:
        """Every slot that is due; gives the moment of the next one."""
        soonest: float | None = None
        now = time.monotonic()
        for channel in self._channels:
            due = channel.deadline
            if channel.pacer.phase is Phase.IDLE or (due is not None and due <= now):
                self._guarded(channel.step_now)
                due = channel.deadline
            if due is not None and (soonest is None or due < soonest):
                soonest = due
        return soonest

    def _encodes_until(self, due: float | None) -> bool:
        """Encodes ahead of time; False when it had to stop for a slot or for news."""
        while not self._news and (due is None or time.monotonic() < due):
            if not self._encode_one():
                return True
        return False

    def _encode_one(self) -> bool:
        """One frame ahead of its time, so that a slot never waits for more than one encoding."""
        channels = self._channels
        for turn in range(len(channels)):
            channel = channels[(self._turn + turn) % len(channels)]
            if self._guarded(channel.encode_ahead):
                self._turn += turn + 1
                return True
        return False

    def _guarded(self, step: Callable[[], bool | None]) -> bool | None:
        try:
            return step()
        except Exception as error:  # noqa: BLE001 - one channel's error must not silence the others
            kind = type(error).__name__
            if kind not in self._reported:
                self._reported.add(kind)
                _log.exception("a channel broke the sender's step", kind=kind)
            return None
