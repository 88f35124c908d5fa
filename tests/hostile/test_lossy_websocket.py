"""An honest gateway behind a websocket that is lost again and again: the bot ends where the group is."""

from __future__ import annotations

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from tests.hostile.budgets import Budget, examples, go_on
from tests.hostile.hostile_room import BOT, HostileRoom, Someone
from voice.transport.dave import MOST_FAILURES
from voice.transport.gateway_messages import Opcode
from voice.transport.transport_crypto import AES256_GCM

_SOME = st.integers(1, 6)


class LossyWebsocket(RuleBasedStateMachine):
    """What the others say is late at most; what the bot says may be lost, and what it hears late."""

    @initialize(people=st.integers(0, 2), first=st.booleans())
    def begins(self, people: int, first: bool) -> None:
        self.room = HostileRoom(mode=AES256_GCM)
        self.bot, self.call = self.room.bot, self.room.bot.call
        self.people: list[Someone] = []
        self.away = False
        if first:
            self.room.settle()
        for _ in range(people):
            self.somebody_comes()

    # the websocket

    @rule(count=_SOME)
    def the_others_answer(self, count: int) -> None:
        for _ in range(min(count, len(self.room.steps))):
            self.room.steps.popleft()()

    @rule(count=_SOME)
    def the_bot_hears(self, count: int) -> None:
        if not self.away:
            for _ in range(min(count, len(self.bot.coming))):
                self.bot.take(self.bot.coming.popleft())

    @rule()
    def all_is_calm(self) -> None:
        if not self.away:
            self.room.settle()

    @rule()
    def words_are_lost(self) -> None:
        """From now on, until the websocket is lost too."""
        self.bot.is_heard = False

    @rule()
    def the_websocket_is_lost(self) -> None:
        self.bot.is_heard, self.away = False, True

    @rule(calm=st.booleans())
    def resumes(self, calm: bool) -> None:
        """What was missed comes, then RESUMED; the others may say something in between."""
        missed = len(self.bot.coming)
        if calm:
            self.the_others_answer(6)
        self.bot.is_heard, self.away = True, False
        self.the_bot_hears(missed)
        for send in self.call.unanswered():
            self.bot.say(send)

    # the group

    @precondition(lambda self: len(self.people) < 3)
    @rule()
    def somebody_comes(self) -> None:
        free = next(user for user in (2, 3, 4) if user not in {one.user_id for one in self.people})
        self.people.append(self.room.someone(free))

    @precondition(lambda self: self.people)
    @rule(which=st.integers(0, 10))
    def somebody_goes(self, which: int) -> None:
        self.people.pop(which % len(self.people)).exit()

    @rule()
    def another_version(self) -> None:
        self.room.change_version()

    @rule(
        opcode=st.sampled_from([Opcode.MLS_PROPOSALS, Opcode.MLS_ANNOUNCE_COMMIT, Opcode.MLS_WELCOME]),
        rest=st.binary(min_size=3, max_size=50),
    )
    def a_message_is_spoilt(self, opcode: int, rest: bytes) -> None:
        self.bot.binary(opcode, b"\0" + rest)

    def teardown(self) -> None:
        """VOX-2, VOX-7: in the version and the group of the others, and nothing is left to be told again."""
        if not self.people:
            self.somebody_comes()
        self.resumes(calm=False)
        self.room.settle()
        if self.call._failures == MOST_FAILURES:
            return  # so many in a row that it leaves the rest to the watchdog
        assert self.call.version == self.room.group.version
        assert self.call.unanswered() == ()
        if self.call.version:
            assert {one.epoch for one in self.people} == {self.call.epoch}, self.bot.problems
            for person in self.people:
                assert self.call.decrypt(person.user_id, person.encrypt(b"hello")) == b"hello"
                heard = self.call.encrypt(b"hello, too")
                assert heard is not None
                assert person.decrypt(BOT, heard) == b"hello, too"


def attack(budget: Budget) -> None:
    budget.run(LossyWebsocket)


@pytest.mark.timeout(300)
def test_no_lost_websocket_leaves_the_bot_outside_the_group() -> None:
    """VOX-2, VOX-7: come and gone, up and down, lost and resumed, words lost, messages spoilt."""
    go_on(attack, examples(100), 6)
