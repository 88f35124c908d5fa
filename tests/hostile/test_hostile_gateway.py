"""A gateway that may tell the bot anything: real MLS between real members, changed on its way to the bot."""

import json
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from tests.hostile.budgets import Budget, examples, go_on
from tests.hostile.containers import sizes
from tests.hostile.hostile_room import BOT, HostileRoom, Someone
from tests.hostile.mutations import EDITS, WRONG_FIELDS, Edit, WrongField, edited, wrong
from voice.transport.dave import PASSTHROUGH_S, Undecryptable
from voice.transport.transport_crypto import AES256_GCM

_SECRET = b"what nobody else may hear"
_ANY = st.integers(0, 10_000)


class GatewayToBot(RuleBasedStateMachine):
    """Members and group are honest; what reaches the bot is not. In the end an honest gateway starts anew."""

    @initialize(dave=st.sampled_from([True, True, False]))
    def begins(self, dave: bool) -> None:
        self.room = HostileRoom(mode=AES256_GCM, dave=dave)
        self.bot = self.room.bot
        self.call = self.bot.call
        self.people: list[Someone] = [self.room.someone(2)]
        self.said: dict[int, dict[bytes, bytes]] = {}
        """By user: each frame that was encrypted, with what is inside."""
        self.answers()

    def answers(self) -> None:
        """Everybody but the bot hears what is told at once."""
        while self.room.steps:
            self.room.steps.popleft()()

    def give(self, message: str | bytes) -> None:
        self.bot.take(message)
        self.answers()

    def told_in_binary(self) -> list[bytes]:
        return [one for one in self.bot.told if isinstance(one, bytes)]

    # what reaches the bot; keys are random, so no rule hangs on what it does to the bot

    @rule(count=st.integers(1, 12))
    def as_it_is(self, count: int) -> None:
        for _ in range(min(count, len(self.bot.coming))):
            self.give(self.bot.coming.popleft())

    @rule(edits=EDITS, fields=st.lists(WRONG_FIELDS, min_size=1, max_size=2), stays=st.booleans())
    def changed(self, edits: list[Edit], fields: list[WrongField], stays: bool) -> None:
        if not self.bot.coming:
            return
        message = self.bot.coming[0] if stays else self.bot.coming.popleft()
        if isinstance(message, bytes):
            self.give(message[:3] + edited(message[3:], edits))
        else:
            self.give(wrong(json.loads(message), fields))

    @rule()
    def never(self) -> None:
        if self.bot.coming:
            self.bot.coming.popleft()

    @rule()
    def later(self) -> None:
        self.bot.coming.rotate(-1)

    @rule(which=_ANY)
    def again(self, which: int) -> None:
        if self.bot.told:
            self.give(self.bot.told[which % len(self.bot.told)])

    @rule(first=_ANY, second=_ANY, cut=st.integers(3, 400))
    def two_in_one(self, first: int, second: int, cut: int) -> None:
        told = self.told_in_binary()
        if told:
            self.give(told[first % len(told)][:cut] + told[second % len(told)][cut:])

    @rule(
        which=_ANY,
        opcode=st.sampled_from([25, 27, 29, 30]),
        transition=st.sampled_from([b"", b"\0", b"\0\0", b"\0\7"]),
    )
    def under_another_opcode(self, which: int, opcode: int, transition: bytes) -> None:
        told = self.told_in_binary()
        if told:
            self.give(b"\0\1" + bytes([opcode]) + transition + told[which % len(told)][3:])

    @rule(opcode=st.sampled_from([25, 25, 27, 29, 30]), rest=st.binary(max_size=40))
    def nonsense(self, opcode: int, rest: bytes) -> None:
        self.give(b"\0\1" + bytes([opcode]) + rest)

    @rule(
        op=st.sampled_from([21, 22, 24]),
        number=st.integers(0, 3),
        version=st.sampled_from([0, 1, 1, 2, 65_535]),
    )
    def an_order(self, op: int, number: int, version: int) -> None:
        data = {"transition_id": number, "protocol_version": version, "epoch": number}
        self.give(json.dumps({"op": op, "d": data}))

    @rule(op=st.sampled_from([5, 11, 12, 21, 21, 21]), start=st.integers(1, 60_000))
    def a_flood(self, op: int, start: int) -> None:
        for number in range(start, start + 600):
            data = {"user_id": str(number), "ssrc": number, "audio_ssrc": number, "speaking": 1}
            data |= {"user_ids": [str(number)], "transition_id": number, "protocol_version": 1}
            self.bot.take(json.dumps({"op": op, "d": data}))
        self.room.steps.clear()

    # what happens among the members

    @precondition(lambda self: len(self.people) < 3)
    @rule()
    def somebody_comes(self) -> None:
        free = next(user for user in (2, 3, 4) if user not in {one.user_id for one in self.people})
        self.people.append(self.room.someone(free))
        self.answers()

    @precondition(lambda self: len(self.people) > 1)
    @rule(which=_ANY)
    def somebody_goes(self, which: int) -> None:
        self.people.pop(which % len(self.people)).exit()
        self.answers()

    @rule()
    def another_version(self) -> None:
        self.room.change_version()
        self.answers()

    @rule(seconds=st.sampled_from([0.02, 1.0, PASSTHROUGH_S, 60.0]))
    def time_passes(self, seconds: float) -> None:
        self.room.pass_s(seconds)

    # frames

    @rule(which=_ANY, words=st.binary(min_size=1, max_size=60), edits=st.none() | EDITS)
    def somebody_speaks(self, which: int, words: bytes, edits: list[Edit] | None) -> None:
        person = self.people[which % len(self.people)]
        if not person._session.ready:
            return
        frame = person.encrypt(words)
        self.said.setdefault(person.user_id, {})[frame] = words
        self.try_to_open(person.user_id, edited(frame, edits or []))

    def try_to_open(self, user_id: int, frame: bytes) -> None:
        """What opens was said by that user, or is in the clear while that is allowed."""
        in_the_clear = self.call.version == 0 or self.room.now < self.call._clear_until
        try:
            opened = self.call.decrypt(user_id, frame)
        except Undecryptable:
            opened = None
        if opened is not None and opened != self.said.get(user_id, {}).get(frame):
            assert opened == frame
            assert in_the_clear
            assert not frame.endswith(b"\xfa\xfa")
        try:
            found = self.call.owner_by_trial(frame)
        except Undecryptable:
            return
        if found is not None:
            assert self.said[found[0]][frame] == found[1]

    @invariant()
    def nothing_leaves_in_the_clear(self) -> None:
        sent = self.call.encrypt(_SECRET)
        if self.call.version == 0:
            assert sent == _SECRET
        else:
            assert (sent is not None) == self.call.can_send
            assert sent is None or _SECRET not in sent

    @invariant()
    def nothing_grows(self) -> None:
        for way, size in sizes(self.call).items():
            assert size <= 512, way

    def teardown(self) -> None:
        """VOX-2: whatever was told, an honest gateway that begins a new group is followed."""
        self.bot.text(11, {"user_ids": [str(one.user_id) for one in self.people]})
        self.room.settle()
        if self.room.group.version:
            self.room.change_version()
            self.room.settle()
        self.room.change_version()
        self.room.settle()
        assert self.call.version == 1
        assert self.call.can_send, self.bot.problems
        assert {one.epoch for one in self.people} == {self.call.epoch}
        assert {*self.call.members()} == {one.user_id for one in self.people}
        self.room.pass_s(PASSTHROUGH_S + 0.1)
        for person in self.people:
            assert self.call.decrypt(person.user_id, person.encrypt(b"hello")) == b"hello"
            heard = self.call.encrypt(b"hello, too")
            assert heard is not None
            assert person.decrypt(BOT, heard) == b"hello, too"
            try:
                opened: Any = self.call.decrypt(person.user_id, b"in the clear")
            except Undecryptable:
                opened = None
            assert opened is None


def attack(budget: Budget) -> None:
    budget.run(GatewayToBot)


@pytest.mark.timeout(300)
def test_no_gateway_talks_the_bot_out_of_its_group() -> None:
    """VOX-1, VOX-2, VOX-5: MLS changed, lost, repeated, mixed: no plaintext out, no wrong frame in."""
    go_on(attack, examples(70), 22)
