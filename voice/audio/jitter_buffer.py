"""Order, once, and in time: the jitter buffer of one SSRC (VOX-4). Pure; time is data.

It serves recognition, so it does not play out at a pace: a packet that is in order leaves at once, and
only what stands behind a gap waits, at most the adaptive `target`. Then the gap is declared lost, for the
decoder to conceal up to a bound. The first packets of an SSRC wait for earlier ones, as nobody knows yet
which is the first.

Sequence numbers and timestamps are unwrapped: positions are integers that never wrap. A jump that no gap
explains (a restarted sender, a long outage) is believed when a second packet confirms it (RFC 3550,
appendix A.1). A transmission ends with five silence frames in a row, with fewer of them and then quiet
(the others were lost), or with quiet alone (DTX, a dead client).

Releases of one call are in order; after the call, `deadline` says when `advance` has something to do.
What is made for each packet is a tuple: a frozen dataclass takes three times as long to make.
"""

from collections import deque
from dataclasses import dataclass
from typing import NamedTuple

from voice.audio.frames import FRAME_TIMESTAMPS, RTP_CLOCK_HZ, SILENCE_FRAMES

_LONGEST_OUTAGE = 60 * RTP_CLOCK_HZ


@dataclass(frozen=True, slots=True, kw_only=True)
class JitterSettings:
    """All in seconds, but for the counts of packets."""

    target_s: float = 0.060
    minimum_target_s: float = 0.020
    maximum_target_s: float = 0.200
    first_wait_s: float = 0.040
    first_wait_packets: int = 3
    capacity: int = 64
    largest_step: int = 250
    """A sequence number further ahead, or further behind, is a jump."""
    concealed_at_most: int = 5
    quiet_after_silence_s: float = 0.100
    quiet_s: float = 0.200


class Arrived(NamedTuple):
    """One packet of this SSRC: sequence modulo 2**16, timestamp modulo 2**32 at 48 kHz, `at` in seconds."""

    sequence: int
    timestamp: int
    payload: bytes
    silent: bool
    at: float


@dataclass(frozen=True, slots=True)
class Lost:
    """`packets` are missing before the next one.

    `concealable` of them directly before it are worth concealing.
    """

    packets: int
    concealable: int


class Released(NamedTuple):
    """The next packet. `position` is its unwrapped timestamp."""

    payload: bytes
    position: int
    silent: bool
    at: float


@dataclass(frozen=True, slots=True)
class Started:
    """A transmission begins with the next released packet."""

    at: float


@dataclass(frozen=True, slots=True)
class Ended:
    """The transmission is over."""

    at: float


Release = Released | Lost | Started | Ended


@dataclass(slots=True)
class JitterCounts:
    """What happened so far, in packets."""

    received: int = 0
    released: int = 0
    lost: int = 0
    late: int = 0
    duplicates: int = 0
    reordered: int = 0
    jumps: int = 0


class JitterBuffer:
    """See the module. Memory is bounded by `capacity` packets."""

    def __init__(self, settings: JitterSettings = JitterSettings()) -> None:
        self._settings = settings
        self._waiting: dict[int, tuple[Arrived, int]] = {}
        self._next: int | None = None
        self._newest = 0
        self._newest_timestamp = 0
        self._newest_position = 0
        self._first_at = 0.0
        self._delivered: deque[int] = deque(maxlen=settings.capacity)
        self._suspect: Arrived | None = None
        self._now = float("-inf")
        self._talking = False
        self._silence_run = 0
        self._last_release_at = 0.0
        self._base_target = settings.target_s
        self._jitter = 0.0
        self.target_s = settings.target_s
        """How long a gap is waited for at present."""
        self._transit: float | None = None
        self._delivered_position: int | None = None
        self.counts = JitterCounts()

    @property
    def waiting(self) -> int:
        """Packets inside."""
        return len(self._waiting)

    @property
    def deadline(self) -> float | None:
        """When `advance` is due; None when nothing is waited for."""
        if self._waiting:
            since = min(packet.at for packet, _ in self._waiting.values())
            return since + (self._settings.first_wait_s if self._next is None else self.target_s)
        return self._last_release_at + self._quiet_limit() if self._talking else None

    def push(self, packet: Arrived) -> list[Release]:
        """Takes a packet as it came from the network."""
        self._now = max(self._now, packet.at)
        self.counts.received += 1
        if not self._waiting and self._next is not None and packet.sequence == self._next & 0xFFFF:
            self._suspect = None
            releases: list[Release] = []
            self._release(packet, self._note_newest(self._next, packet), releases)
            return releases
        if self._next is None and not self._waiting:
            self._begin(packet)
        reference = self._newest if self._next is None else self._next
        sequence = reference + _signed(packet.sequence - reference, 16)
        step = sequence - reference
        if self._next is None and step > 0:  # one of the first may have come far behind another
            step = sequence - min(self._waiting, default=sequence)
        if step > self._settings.largest_step or -step > self._settings.largest_step:
            return self._jumped(packet)
        self._suspect = None
        if self._next is not None and sequence < self._next:
            self._count_behind(sequence, packet)
            return self._drain()
        if sequence in self._waiting:
            self.counts.duplicates += 1
            return self._drain()
        self._store(sequence, packet)
        return self._drain()

    def advance(self, at: float) -> list[Release]:
        """Time passed: declares overdue gaps lost, ends quiet transmissions."""
        self._now = max(self._now, at)
        releases = self._drain()
        if self._talking and not self._waiting and self._now >= self._last_release_at + self._quiet_limit():
            releases.append(self._end())
        return releases

    def flush(self) -> list[Release]:
        """The SSRC is gone: everything that waits leaves now, gaps are lost, the transmission ends."""
        releases: list[Release] = []
        if self._waiting and self._next is None:
            self._next = min(self._waiting)
        self._release_runs(releases, hurried=len(self._waiting))
        if self._talking:
            releases.append(self._end())
        return releases

    # intake

    def _begin(self, packet: Arrived) -> None:
        self._newest = (1 << 16) + packet.sequence  # room for earlier packets below
        self._newest_timestamp = packet.timestamp
        self._newest_position = max(self._newest_position, 1 << 32)
        self._first_at = packet.at

    def _store(self, sequence: int, packet: Arrived) -> None:
        if sequence < self._newest:
            self.counts.reordered += 1
            position = self._newest_position + _signed(packet.timestamp - self._newest_timestamp, 32)
        else:
            position = self._note_newest(sequence, packet)
        self._waiting[sequence] = (packet, position)

    def _note_newest(self, sequence: int, packet: Arrived) -> int:
        position = self._newest_position + _signed(packet.timestamp - self._newest_timestamp, 32)
        self._measure_jitter(packet.at - position / RTP_CLOCK_HZ)
        self._newest, self._newest_timestamp, self._newest_position = sequence, packet.timestamp, position
        return position

    def _measure_jitter(self, transit: float) -> None:
        if self._transit is not None:
            difference = abs(transit - self._transit)
            if difference < 1.0:  # a pause that DTX did not count is no jitter
                self._jitter += (difference - self._jitter) / 16
        self._transit = transit
        # late packets are forgotten after about 10 s
        self._base_target += (self._settings.target_s - self._base_target) / 500
        self._set_target()

    def _set_target(self) -> None:
        settings = self._settings
        wanted = max(self._base_target, 3 * self._jitter, settings.minimum_target_s)
        self.target_s = min(settings.maximum_target_s, wanted)

    def _count_behind(self, sequence: int, packet: Arrived) -> None:
        if sequence in self._delivered:
            self.counts.duplicates += 1
            return
        self.counts.late += 1
        behind = self._newest_position + _signed(packet.timestamp - self._newest_timestamp, 32)
        newest_transit = self._transit if self._transit is not None else 0.0
        lateness = packet.at - behind / RTP_CLOCK_HZ - newest_transit
        if 0 < lateness < 1.0:
            self._base_target = max(self._base_target, lateness + 0.010)
            self._set_target()

    def _jumped(self, packet: Arrived) -> list[Release]:
        """A first strange packet is held; a second one that follows it makes both the new order."""
        suspect = self._suspect
        if suspect is None or not 0 < _signed(packet.sequence - suspect.sequence, 16) <= 3:
            if suspect is not None and suspect.sequence == packet.sequence:
                self.counts.duplicates += 1
            self._suspect = packet
            return self._drain()
        releases = self.flush()
        self.counts.jumps += 1
        self._suspect = None
        self._next = None
        self._transit = None
        self._delivered.clear()
        passed = _signed(suspect.timestamp - self._newest_timestamp, 32)
        if not 0 < passed < _LONGEST_OUTAGE:
            passed = FRAME_TIMESTAMPS
        position = self._newest_position + passed
        self._begin(suspect)
        self._newest_position = position
        self._next = self._newest
        for one in (suspect, packet):
            self._store(self._newest + _signed(one.sequence - self._newest, 16), one)
        return releases + self._drain()

    # release

    def _drain(self) -> list[Release]:
        releases: list[Release] = []
        settings = self._settings
        if self._next is None:
            if not self._waiting:
                return releases
            oldest_at = min(packet.at for packet, _ in self._waiting.values())
            enough = len(self._waiting) >= settings.first_wait_packets
            if not enough and self._now < oldest_at + settings.first_wait_s:
                return releases
            self._next = min(self._waiting)
        self._release_runs(releases, hurried=max(0, len(self._waiting) - settings.capacity))
        return releases

    def _release_runs(self, releases: list[Release], *, hurried: int) -> None:
        waiting = self._waiting
        before = len(waiting)
        while waiting:
            assert self._next is not None  # noqa: S101 - `_drain` and `flush` set it
            entry = waiting.pop(self._next, None)
            if entry is not None:
                self._release(entry[0], entry[1], releases)
                continue
            released = before - len(waiting)
            since = min(packet.at for packet, _ in waiting.values())
            if self._now < since + self.target_s and released >= hurried:
                return
            head = min(waiting)
            self._lose(head - self._next, waiting[head][1], releases)
            self._next = head

    def _lose(self, packets: int, position: int, releases: list[Release]) -> None:
        self.counts.lost += packets
        concealable = min(packets, self._settings.concealed_at_most)
        if not self._talking:
            concealable = 0
        elif self._delivered_position is not None:
            by_time = (position - self._delivered_position) // FRAME_TIMESTAMPS - 1
            concealable = max(0, min(concealable, by_time))
        releases.append(Lost(packets, concealable))

    def _release(self, packet: Arrived, position: int, releases: list[Release]) -> None:
        assert self._next is not None  # noqa: S101 - the caller popped it
        self._delivered.append(self._next)
        self._next += 1
        if self._delivered_position is not None and position < self._delivered_position:
            position = self._delivered_position  # a sender whose clock ran backwards
        self._delivered_position = position
        self._last_release_at = self._now
        if not packet.silent and not self._talking:
            self._talking = True
            releases.append(Started(self._now))
        self.counts.released += 1
        releases.append(Released(packet.payload, position, packet.silent, self._now))
        self._silence_run = self._silence_run + 1 if packet.silent else 0
        if self._talking and self._silence_run >= SILENCE_FRAMES:
            releases.append(self._end())

    def _end(self) -> Ended:
        self._talking = False
        self._silence_run = 0
        return Ended(self._now)

    def _quiet_limit(self) -> float:
        settings = self._settings
        return settings.quiet_after_silence_s if self._silence_run else settings.quiet_s


def _signed(difference: int, bits: int) -> int:
    """The nearest difference of two counters of that width."""
    half = 1 << (bits - 1)
    return (difference + half) % (1 << bits) - half
