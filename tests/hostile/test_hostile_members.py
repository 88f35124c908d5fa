"""A member who sends anything under real keys, and a network that changes and repeats packets."""

from functools import partial
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
)

from tests.fake_discord.voice.media import MediaPacket
from tests.hostile.budgets import Budget, examples, go_on
from tests.hostile.containers import sizes
from tests.hostile.heard_order import HeardOrder
from tests.hostile.hostile_room import HostileRoom
from tests.hostile.mutations import EDITS, Edit, edited
from tests.rules.test_hearing import SOUND
from voice.audio.frames import FRAME_S, OPUS_SILENCE
from voice.transport.transport_crypto import AES256_GCM, PREFERRED_MODES

_STEPS = st.one_of(st.integers(-3, 4), st.integers(-70, 70), st.sampled_from([-251, -250, 250, 251, 32_768]))
"""Of a sequence number: about the next one, about the capacity, about a jump."""
_HEADERS = st.fixed_dictionaries(
    {},
    optional={
        "payload_type": st.sampled_from([120, 101, 0, 72, 127]),
        "marker": st.booleans(),
        "extension": st.sampled_from([None, b"", bytes(4), bytes(400)]),
        "contributors": st.lists(st.integers(0, 2**32 - 1), max_size=15).map(tuple),
        "padding": st.sampled_from([0, 1, 4, 255]),
    },
)
_NOTHING = st.just(list[Edit]())


class MemberToBot(RuleBasedStateMachine):
    """Ada is honest and talks; Mallory is a member and does as she likes. Ada loses nothing by it."""

    mode = AES256_GCM

    def __init__(self) -> None:
        super().__init__()
        self.room = HostileRoom(mode=self.mode)
        self.bot = self.room.bot
        self.ada, self.mallory = self.room.someone(2), self.room.someone(3)
        self.room.settle()
        self.said = 0
        self.order = HeardOrder()
        self.packets: list[bytes] = []
        self.talks(4)

    @rule(count=st.integers(4, 12))
    def talks(self, count: int) -> None:
        """Heard at once, whatever came before: all but what may wait for the first packet of a talk."""
        for _ in range(count):
            self.wait(FRAME_S)
            self.ada.frame(SOUND[self.said % len(SOUND)])
            self.said += 1
            self.keep()
        self.look()
        assert self.order.decoded[self.ada.ssrc] == self.said

    def wait(self, seconds: float) -> None:
        """Of it, 20 ms are the last frame's."""
        self.room.pass_s(seconds)
        self.ada.pause(max(0.0, seconds - FRAME_S))

    def keep(self) -> None:
        """For a replay: what DAVE protects, as nothing else tells a frame of an hour ago from a new one."""
        if self.room.group.version and len(self.packets) < 300:
            self.packets.append(self.bot.datagram)

    # Mallory

    @rule(
        before=st.one_of(_NOTHING, EDITS),
        after=st.one_of(_NOTHING, EDITS),
        header=_HEADERS,
        step=_STEPS,
        stamp=st.one_of(st.just(960), st.integers(-5_000, 5_000), st.integers(-(2**31), 2**31)),
        ssrc=st.sampled_from([0, 0, 0, 0, 1_000, 1_001]),
        times=st.integers(1, 3),
    )
    def sends(
        self,
        before: list[Edit],
        after: list[Edit],
        header: dict[str, Any],
        step: int,
        stamp: int,
        ssrc: int,
        times: int,
    ) -> None:
        """Opus changed before it is encrypted, and the frame after, behind any header."""
        mallory = self.mallory
        opus = edited(SOUND[(self.said + step) % len(SOUND)], before) or b"\0"
        payload = edited(mallory.encrypt(opus) if self.room.group.version else opus, after)
        mallory._sequence += step
        mallory._timestamp += stamp
        for _ in range(times):
            mallory.send(payload, ssrc=mallory.ssrc + ssrc, **header)
        self.keep()

    @precondition(lambda self: self.packets)
    @rule(which=st.integers(0, 1_000), edits=EDITS)
    def changes_on_the_way(self, which: int, edits: list[Edit]) -> None:
        self.bot.hearing.feed(edited(self.packets[which % len(self.packets)], edits), self.room.now)

    @precondition(lambda self: self.packets)
    @rule(which=st.integers(0, 1_000), count=st.integers(1, 30))
    def sends_again(self, which: int, count: int) -> None:
        for number in range(which, which + count):
            self.bot.hearing.feed(self.packets[number % len(self.packets)], self.room.now)

    @rule(words=st.binary(min_size=1, max_size=40), edits=EDITS)
    def seals(self, words: bytes, edits: list[Edit]) -> None:
        """Lengths in header, extension and padding that do not fit: authenticated all the same."""
        clear, secret = MediaPacket(
            ssrc=self.mallory.ssrc, sequence=1, timestamp=1, payload=words, extension=bytes(8), padding=4
        ).rtp()
        clear, secret = clear[:2] + edited(clear[2:8], edits) + clear[8:], edited(secret, edits)
        first = edited(clear[:1], edits)[:1] or b"\x80"
        self.bot.hearing.feed(self.bot.sealing.seal(first + clear[1:], secret), self.room.now)

    @rule(count=st.sampled_from([3, 140]), silent=st.booleans())
    def floods(self, count: int, silent: bool) -> None:
        for number in range(count):
            payload = OPUS_SILENCE if silent else b"\1" * 40 + b"\x0c\xfa\xfa"
            self.mallory.send(payload, ssrc=100_000 + number, sequence=number)

    @rule(run=st.integers(2, 90), step=st.sampled_from([1, 1, 2, 3, -1, 70]), silent=st.booleans())
    def runs_ahead(self, run: int, step: int, silent: bool) -> None:
        """Many packets at one moment, in order or not."""
        for _ in range(run):
            self.mallory._sequence += step
            self.mallory.send(OPUS_SILENCE if silent else b"\2" * 40 + b"\x0c\xfa\xfa")

    # the room

    @rule(ignored=st.booleans(), full_band=st.booleans())
    def is_wanted_or_not(self, ignored: bool, full_band: bool) -> None:
        self.look()
        self.bot.roster.ignored = frozenset({3}) if ignored else frozenset()
        self.bot.roster.full_band = full_band
        self.bot.hearing.advance(self.room.now, all_ears=True)

    @rule(comes_again=st.booleans())
    def another_epoch(self, comes_again: bool) -> None:
        if comes_again:
            self.mallory.exit()
            self.room.settle()
            self.mallory = self.room.someone(3)
        else:
            self.room.change_version()
        self.room.settle()

    @rule(seconds=st.sampled_from([0.005, 0.03, 0.11, 1.1, 70.0]))
    def time_passes(self, seconds: float) -> None:
        self.wait(seconds)
        if seconds > 60:
            self.packets.clear()  # nobody remembers their counters

    # what holds

    @invariant()
    def look(self) -> None:
        self.order.take(self.bot.events, silent=self.bot.roster.ignored)
        self.bot.events.clear()
        hers = {ssrc for ssrc, user in self.order.user_of.items() if user == self.ada.user_id}
        assert hers <= {self.ada.ssrc}
        assert self.order.decoded[self.ada.ssrc] <= self.said

    @invariant()
    def nothing_grows(self) -> None:
        hearing = self.bot.hearing
        assert hearing.ears <= 128
        for ear in hearing._ears.values():
            assert ear._jitter.waiting <= 64
            assert len(ear._held) <= 64

    def teardown(self) -> None:
        """VOX-5: Ada was heard whole, and whoever was hostile is heard as well as soon as they are not."""
        self.bot.roster.ignored = frozenset()
        for way, size in (sizes(self.bot.hearing) | sizes(self.bot.logs)).items():
            assert size <= 200, way
        assert len(self.bot.logs.refused) <= 10
        self.wait(5.0)
        self.talks(4)
        assert all(not ear._held and not ear._jitter.waiting for ear in self.bot.hearing._ears.values())
        self.mallory._sequence += 30_000
        self.mallory.announce()
        self.room.settle()
        before = self.order.decoded[self.mallory.ssrc]
        for number in range(8):
            self.room.pass_s(FRAME_S)
            self.mallory.frame(SOUND[number])
        self.look()
        assert self.order.decoded[self.mallory.ssrc] >= before + 7


def attack(budget: Budget, mode: str = AES256_GCM) -> None:
    machine = type("MemberToBot", (MemberToBot,), {"mode": mode})
    budget.run(machine)


@pytest.mark.parametrize("mode", PREFERRED_MODES)
@pytest.mark.timeout(300)
def test_a_hostile_member_costs_nobody_else_a_frame(mode: str) -> None:
    """VOX-4, VOX-5: any packets under valid keys; the others are heard at once, memory is bounded."""
    go_on(partial(attack, mode=mode), examples(45), 16)
