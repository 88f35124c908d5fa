"""Packets whose counters are forged about the jitter buffer's edges: the next one, its capacity, a jump."""

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.hostile.budgets import Budget, examples, go_on
from voice.audio.jitter_buffer import (
    Arrived,
    Ended,
    JitterBuffer,
    JitterSettings,
    Lost,
    Release,
    Released,
    Started,
)

_SETTINGS = JitterSettings()
_STEPS = st.one_of(
    st.just(1),
    st.integers(-4, 6),
    st.sampled_from([-32_768, -251, -250, -64, -63, 63, 64, 65, 250, 251, 252, 32_767, 32_768]),
)
_STAMPS = st.one_of(
    st.just(960), st.integers(-3_000, 6_000), st.sampled_from([-(2**31), 2**31 - 1, 48_000 * 61])
)


class Counters(RuleBasedStateMachine):
    """Each packet has a number of its own, so that what leaves can be told from what came."""

    def __init__(self) -> None:
        super().__init__()
        self.buffer = JitterBuffer()
        self.now = 50.0
        self.sequence = self.stamp = 0
        self.came = 0
        self.left: set[int] = set()
        self.lost = 0
        self.talking = False
        self.position: int | None = None

    @rule(step=_STEPS, stamp=_STAMPS, silent=st.booleans(), wait=st.sampled_from([0.0, 0.001, 0.02, 0.02]))
    def comes(self, step: int, stamp: int, silent: bool, wait: float) -> None:
        self.passes(wait)
        self.sequence = (self.sequence + step) % 65_536
        self.stamp = (self.stamp + stamp) % 2**32
        self.push(self.sequence, silent)

    @rule(count=st.integers(2, 80), step=st.sampled_from([1, 1, 1, 2, 3, -1]), silent=st.booleans())
    def come_at_once(self, count: int, step: int, silent: bool) -> None:
        for _ in range(count):
            self.sequence = (self.sequence + step) % 65_536
            self.stamp = (self.stamp + 960 * step) % 2**32
            self.push(self.sequence, silent)

    @rule(behind=st.integers(0, 300), count=st.integers(1, 5))
    def come_again(self, behind: int, count: int) -> None:
        for number in range(count):
            self.push((self.sequence - behind + number) % 65_536, silent=False)

    @rule(seconds=st.sampled_from([0.005, 0.041, 0.1, 0.21, 5.0]))
    def passes(self, seconds: float) -> None:
        end = self.now + seconds
        while (due := self.buffer.deadline) is not None and due <= end:
            self.now = max(self.now, due)
            releases = self.buffer.advance(due)
            assert releases or self.buffer.deadline != due
            self.take(releases)
        self.now = end

    def push(self, sequence: int, silent: bool) -> None:
        buffer, before = self.buffer, self.buffer.counts.lost
        accounted, suspect = self.accounted(), buffer._suspect
        packet = Arrived(sequence, self.stamp, self.came.to_bytes(4, "big"), silent, self.now)
        self.came += 1
        self.take(buffer.push(packet))
        assert buffer.counts.lost - before <= _SETTINGS.largest_step + _SETTINGS.capacity
        more = self.accounted() - accounted
        if buffer._suspect is packet:
            assert more == (suspect is not None and suspect.sequence == sequence)
        else:
            assert more == 1 or (more == 2 and suspect is not None)

    def accounted(self) -> int:
        """A packet left, waits, was late or came twice, once; or it jumped and nothing followed it."""
        counts = self.buffer.counts
        return len(self.left) + self.buffer.waiting + counts.late + counts.duplicates

    def take(self, releases: list[Release]) -> None:
        for one in releases:
            match one:
                case Started():
                    assert not self.talking
                    self.talking = True
                case Ended():
                    assert self.talking
                    self.talking = False
                case Lost(packets, concealable):
                    assert packets > 0
                    assert 0 <= concealable <= min(packets, _SETTINGS.concealed_at_most)
                    assert self.talking or not concealable
                    self.lost += packets
                case Released():
                    number = int.from_bytes(one.payload, "big")
                    assert number not in self.left
                    self.left.add(number)
                    assert one.silent or self.talking
                    assert self.position is None or one.position >= self.position
                    self.position = one.position

    @invariant()
    def all_are_counted(self) -> None:
        counts, buffer = self.buffer.counts, self.buffer
        assert counts.received == self.came
        assert counts.released == len(self.left)
        assert counts.lost == self.lost
        assert buffer.waiting <= _SETTINGS.capacity
        assert buffer.deadline is None or buffer.deadline > self.now - 1e-6
        assert _SETTINGS.minimum_target_s <= buffer.target_s <= _SETTINGS.maximum_target_s

    def teardown(self) -> None:
        """VOX-4: a talk far from all that was forged passes whole."""
        self.passes(1.0)
        assert self.buffer.waiting == 0
        assert self.buffer.deadline is None
        first = self.came
        self.sequence = (self.buffer._next or 0) + 10_000
        for _ in range(10):
            self.comes(1, 960, silent=False, wait=0.02)
        assert {*range(first, first + 10)} <= self.left


def attack(budget: Budget) -> None:
    budget.run(Counters)


def test_no_counters_mislead_the_jitter_buffer() -> None:
    """VOX-4, VOX-5: every packet once, in time, in order and counted; bounded, and ready for a clean talk."""
    go_on(attack, examples(400, steps=80), 15)
