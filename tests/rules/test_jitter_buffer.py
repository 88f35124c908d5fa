"""The jitter buffer in virtual time: order, once, in time, and bounded, whatever the network does."""

import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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

FRAME_S = 0.020
SETTINGS = JitterSettings()


def packet(number: int, at: float, *, first: int = 0, stamp: int = 0, silent: bool = False) -> Arrived:
    """The number-th frame of a talk whose counters start at `first` and `stamp`, before wrapping."""
    return Arrived(
        (first + number) % 65536, (stamp + number * 960) % 2**32, number.to_bytes(4, "big"), silent, at
    )


def run(arrivals: list[Arrived], buffer: JitterBuffer | None = None, *, until: float = 10.0) -> list[Release]:
    """Feeds packets in order of arrival and keeps every deadline between them, then lets time pass."""
    buffer = buffer or JitterBuffer()
    releases: list[Release] = []
    for one in arrivals:
        releases += catch_up(buffer, one.at)
        releases += buffer.push(one)
        assert buffer.waiting <= SETTINGS.capacity
    last = arrivals[-1].at if arrivals else 0.0
    return releases + catch_up(buffer, last + until)


def catch_up(buffer: JitterBuffer, at: float) -> list[Release]:
    releases: list[Release] = []
    while (due := buffer.deadline) is not None and due <= at:
        more = buffer.advance(due)
        assert more or buffer.deadline != due, "a deadline that does nothing would spin"
        releases += more
    return releases


def numbers(releases: list[Release]) -> list[int]:
    return [int.from_bytes(one.payload, "big") for one in releases if isinstance(one, Released)]


def test_packets_in_order_leave_at_once() -> None:
    """VOX-4: recognition waits for nothing while nothing is missing."""
    buffer = JitterBuffer()
    for number in range(3):
        buffer.push(packet(number, number * FRAME_S))
    for number in range(3, 100):
        released = buffer.push(packet(number, number * FRAME_S))
        assert numbers(released) == [number]


def test_the_first_packets_wait_for_earlier_ones() -> None:
    releases = run([packet(1, 0.000), packet(0, 0.005), packet(2, 0.040)])
    assert numbers(releases) == [0, 1, 2]
    assert isinstance(releases[0], Started)


def test_a_lone_first_packet_leaves_after_its_wait() -> None:
    buffer = JitterBuffer()
    assert buffer.push(packet(0, 1.0)) == []
    assert buffer.deadline == pytest.approx(1.0 + SETTINGS.first_wait_s)
    assert numbers(buffer.advance(1.0 + SETTINGS.first_wait_s)) == [0]


def test_a_gap_is_waited_for_and_then_lost() -> None:
    """VOX-4: a missing packet holds the rest for the target, then it is lost and concealable."""
    buffer = JitterBuffer()
    for number in range(4):
        buffer.push(packet(number, number * FRAME_S))
    assert buffer.push(packet(5, 0.100)) == []
    due = buffer.deadline
    assert due is not None
    assert due == pytest.approx(0.100 + buffer.target_s)
    assert buffer.advance(due - 0.001) == []
    lost, released = buffer.advance(due)
    assert lost == Lost(1, 1)
    assert numbers([released]) == [5]
    assert numbers(buffer.push(packet(4, 0.3))) == []
    assert buffer.counts.late == 1


def test_a_reordered_packet_within_the_target_is_not_lost() -> None:
    releases = run([packet(n, n * FRAME_S) for n in (0, 1, 2)] + [packet(4, 0.080), packet(3, 0.100)])
    assert numbers(releases) == [0, 1, 2, 3, 4]
    assert not any(isinstance(one, Lost) for one in releases)


@given(
    count=st.integers(10, 120),
    first=st.integers(0, 65535),
    stamp=st.integers(0, 2**32 - 1),
    seed=st.integers(0, 2**32),
)
@settings(max_examples=150)
def test_reordering_and_duplicates_change_nothing(count: int, first: int, stamp: int, seed: int) -> None:
    """VOX-4: reordering below the wait and duplicates: every frame once, in order, over any wrap."""
    chance = random.Random(seed)
    arrivals: list[Arrived] = []
    for number in range(count):
        for _ in range(chance.choice((1, 1, 1, 2))):
            at = number * FRAME_S + chance.uniform(0, 0.020 if number < 4 else 0.045)
            arrivals.append(packet(number, at, first=first, stamp=stamp))
    arrivals.sort(key=lambda one: one.at)
    buffer = JitterBuffer()
    releases = run(arrivals, buffer)
    assert numbers(releases) == list(range(count))
    positions = [one.position for one in releases if isinstance(one, Released)]
    assert [later - earlier for earlier, later in pairwise(positions)] == [960] * (count - 1)
    assert buffer.counts.lost == 0
    assert buffer.counts.duplicates == len(arrivals) - count


@given(count=st.integers(10, 200), seed=st.integers(0, 2**32), loss=st.floats(0, 0.6))
@settings(max_examples=150)
def test_loss_is_counted_exactly_and_order_stays(count: int, seed: int, loss: float) -> None:
    """VOX-4: released and lost packets add up; concealment is bounded."""
    chance = random.Random(seed)
    kept = [n for n in range(count) if n in (0, 1, 2) or chance.random() >= loss]
    arrivals = sorted(
        (packet(n, n * FRAME_S + chance.uniform(0, 0.030), first=65_500) for n in kept),
        key=lambda one: one.at,
    )
    buffer = JitterBuffer()
    releases = run(arrivals, buffer)
    assert numbers(releases) == kept
    assert sum(one.packets for one in releases if isinstance(one, Lost)) == max(kept) + 1 - len(kept)
    assert buffer.counts.lost == max(kept) + 1 - len(kept)
    for one in releases:
        if isinstance(one, Lost):
            assert 0 <= one.concealable <= min(one.packets, SETTINGS.concealed_at_most)


@given(
    arrivals=st.lists(
        st.tuples(
            st.integers(0, 65535),
            st.integers(0, 2**32 - 1),
            st.booleans(),
            st.floats(0, 0.5, allow_nan=False),
        ),
        max_size=200,
    )
)
@settings(max_examples=1_500)
def test_any_packets_at_all_keep_memory_bounded_and_positions_rising(
    arrivals: list[tuple[int, int, bool, float]],
) -> None:
    """VOX-5: forged counters and bursts: no error, bounded memory, time never runs backwards."""
    at = 0.0
    packets: list[Arrived] = []
    for sequence, stamp, silent, step in arrivals:
        at += step
        packets.append(Arrived(sequence, stamp, b"x", silent, at))
    buffer = JitterBuffer()
    releases = run(packets, buffer)
    positions = [one.position for one in releases if isinstance(one, Released)]
    assert positions == sorted(positions)
    assert buffer.waiting == 0
    assert buffer.deadline is None
    starts = [type(one) for one in releases if isinstance(one, Started | Ended)]
    assert starts == [Started, Ended] * (len(starts) // 2)


def test_five_silence_frames_end_a_transmission_at_once() -> None:
    """VOX-4: the fifth silence frame ends it, without any waiting."""
    talk = [packet(n, n * FRAME_S) for n in range(10)]
    silence = [packet(n, n * FRAME_S, silent=True) for n in range(10, 15)]
    releases = run(talk + silence)
    assert isinstance(releases[-1], Ended)
    assert releases[-1].at == pytest.approx(14 * FRAME_S)


def test_lost_silence_frames_and_dtx_end_it_after_quiet() -> None:
    """VOX-4: one silence frame and quiet ends after 100 ms; quiet alone after 200 ms."""
    talk = [packet(n, n * FRAME_S) for n in range(10)]
    one_silent = run([*talk, packet(10, 0.200, silent=True)])
    assert isinstance(one_silent[-1], Ended)
    assert one_silent[-1].at == pytest.approx(0.200 + SETTINGS.quiet_after_silence_s)
    none_silent = run(talk)
    assert isinstance(none_silent[-1], Ended)
    assert none_silent[-1].at == pytest.approx(0.180 + SETTINGS.quiet_s)


def test_a_pause_without_packets_is_no_loss() -> None:
    buffer = JitterBuffer()
    releases = run([packet(n, n * FRAME_S) for n in range(10)], buffer)
    later = Arrived(10, 10 * 960 + 48_000 * 7, b"", silent=False, at=20.0)
    releases += run([later], buffer)
    positions = [one.position for one in releases if isinstance(one, Released)]
    assert positions[-1] - positions[-2] == 960 + 48_000 * 7
    assert buffer.counts.lost == 0
    assert [type(one) for one in releases if isinstance(one, Started | Ended)] == [Started, Ended] * 2


def test_a_restarted_sender_is_believed_when_it_goes_on() -> None:
    """VOX-4: counters that jump, forwards or backwards, start anew after a second packet; none is lost."""
    for jump in (30_000, -20_000, 400, -400):
        buffer = JitterBuffer()
        releases = run([packet(n, n * FRAME_S) for n in range(10)], buffer, until=0)
        more = [
            Arrived(
                (10 + jump + n) % 65536,
                (jump * 777 + n * 960) % 2**32,
                b"new",
                silent=False,
                at=1 + n * FRAME_S,
            )
            for n in range(5)
        ]
        releases = run(more, buffer)
        assert [one.payload for one in releases if isinstance(one, Released)] == [b"new"] * 5, jump
        assert buffer.counts.jumps == 1


def test_the_first_packets_lie_no_further_apart_than_a_jump() -> None:
    """VOX-4, VOX-5: one behind the first and one ahead; each is near enough alone, both are no gap."""
    buffer = JitterBuffer()
    run([packet(n, 0.0) for n in (300, 233, 550)], buffer)
    assert buffer.counts.lost == 300 - 233 - 1
    assert buffer.counts.released == 2


def test_one_strange_packet_is_not_believed() -> None:
    """VOX-5: a single replayed packet from long ago neither plays nor resets anything."""
    buffer = JitterBuffer()
    run([packet(n, n * FRAME_S) for n in range(1000)], buffer, until=0)
    assert numbers(buffer.push(packet(3, 20.0))) == []
    assert numbers(buffer.push(packet(1000, 20.02))) == [1000]
    assert buffer.counts.jumps == 0


def test_a_burst_after_a_stall_leaves_in_one_go() -> None:
    buffer = JitterBuffer()
    run([packet(n, n * FRAME_S) for n in range(10)], buffer, until=0)
    releases: list[Release] = []
    for number in range(10, 60):
        releases += buffer.push(packet(number, 1.2))
    assert numbers(releases) == list(range(10, 60))


def test_the_target_grows_with_lateness_and_forgets_it() -> None:
    """VOX-4: packets that come too late widen the wait; calm narrows it again."""
    buffer = JitterBuffer()
    before = buffer.target_s
    order = [n for n in range(50) if n % 10 != 9]
    arrivals = [packet(n, n * FRAME_S) for n in order] + [
        packet(n, n * FRAME_S + 0.110) for n in range(9, 50, 10)
    ]
    run(sorted(arrivals, key=lambda one: one.at), buffer, until=0)
    grown = buffer.target_s
    assert before < grown <= SETTINGS.maximum_target_s
    run([packet(n, n * FRAME_S) for n in range(50, 3000)], buffer, until=0)
    assert buffer.target_s == pytest.approx(before, abs=0.005)


def test_a_talk_of_thirty_minutes_crosses_every_wrap() -> None:
    """VOX-4: 90,000 packets over the wrap of sequence and timestamp, with losses, keep count and order."""
    chance = random.Random(4)
    buffer = JitterBuffer()
    heard: list[int] = []
    positions: list[int] = []
    kept = 0
    for number in range(90_000):
        if number > 3 and chance.random() < 0.02:
            continue
        kept += 1
        for one in [
            *catch_up(buffer, number * FRAME_S),
            *buffer.push(packet(number, number * FRAME_S, first=60_000, stamp=2**32 - 48_000)),
        ]:
            if isinstance(one, Released):
                heard.append(int.from_bytes(one.payload, "big"))
                positions.append(one.position)
    heard += numbers(buffer.flush())
    assert len(heard) == kept
    assert heard == sorted(set(heard))
    assert positions[-1] - positions[0] == 960 * (heard[len(positions) - 1] - heard[0])
