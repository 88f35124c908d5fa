"""CORE-18: the queue of one session under every order of events."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from core.conversation.content import Text
from core.conversation.turns import Notice, Speaker, UserTurn
from core.orchestration import queue_rules
from core.orchestration.queue_rules import QueueOrderError, SessionQueue
from core.orchestration.replies import ReplySink
from core.orchestration.sends import Send

AT = datetime(2026, 11, 30, tzinfo=UTC)


class NoPlace:
    def open_sink(self, send: Send) -> ReplySink:
        raise AssertionError("the queue opens no sink")


def send_of(*turn_ids: str, generation: int = 0, may_join: bool = True) -> Send:
    turns = tuple(UserTurn(id=name, at=AT, content=(Text(text=name),)) for name in turn_ids)
    return Send(
        session_id="s",
        generation=generation,
        reply_id=f"reply:{turn_ids[0]}",
        turns=turns,
        place=NoPlace(),
        may_join=may_join,
    )


def said(turn_id: str, speaker_id: str) -> Send:
    send = send_of(turn_id)
    return replace(send, turns=(replace(send.turns[0], speaker=Speaker(id=speaker_id, name="N")),))


def turn_ids(queue: SessionQueue) -> list[str]:
    return [turn.id for entry in queue.waiting for turn in entry.send.turns]


def test_a_waiting_send_takes_in_the_next_one_and_keeps_its_reply() -> None:
    queue = queue_rules.submitted(SessionQueue(), send_of("a"), 1)
    queue = queue_rules.submitted(queue, send_of("b"), 2)
    assert len(queue.waiting) == 1
    assert queue.waiting[0].tickets == (1, 2)
    assert queue.waiting[0].send.reply_id == "reply:a"
    assert turn_ids(queue) == ["a", "b"]


@pytest.mark.parametrize(
    "later",
    [
        send_of("b", may_join=False),
        send_of("b", generation=1),
        replace(send_of("b"), options=replace(send_of("b").options, background=True)),
    ],
    ids=["asked not to", "another generation", "other options"],
)
def test_sends_that_differ_are_not_joined(later: Send) -> None:
    queue = queue_rules.submitted(SessionQueue(), send_of("a"), 1)
    assert len(queue_rules.submitted(queue, later, 2).waiting) == 2


def test_nothing_joins_a_send_that_runs() -> None:
    queue = queue_rules.submitted(SessionQueue(), send_of("a"), 1)
    queue, _ = queue_rules.begun(queue)
    queue = queue_rules.submitted(queue, send_of("b"), 2)
    assert queue.running is not None
    assert [turn.id for turn in queue.running.send.turns] == ["a"]
    assert turn_ids(queue) == ["b"]


def test_a_person_takes_back_their_own_waiting_turns_only() -> None:
    """CORE-23: from every send, also from one that they share with others."""
    queue = queue_rules.submitted(SessionQueue(), said("running", "ada"), 1)
    queue, _ = queue_rules.begun(queue)
    queue = queue_rules.submitted(queue, said("a", "ada"), 2)
    queue = queue_rules.submitted(queue, said("b", "grace"), 3)
    queue = queue_rules.submitted(queue, replace(said("c", "ada"), may_join=False), 4)
    changed, gone = queue_rules.speaker_withdrawn(queue, "ada")
    assert turn_ids(changed) == ["b"]
    assert [entry.tickets for entry in gone] == [(4,)]
    assert changed.running == queue.running
    assert queue_rules.speaker_withdrawn(queue, "nobody") == (queue, ())


def test_what_is_a_persons_and_not_answered_yet() -> None:
    """MEM-6: said or asked for by them, running or waiting; a run that gives way answers nothing."""
    notice = UserTurn(id="n", at=AT, content=(), notice=Notice(source="recipe:dig", about="ada"))
    queue = queue_rules.submitted(SessionQueue(), said("a", "ada"), 1)
    queue, _ = queue_rules.begun(queue)
    queue = queue_rules.submitted(queue, said("b", "grace"), 2)
    queue = queue_rules.submitted(queue, replace(send_of("n"), turns=(notice,)), 3)
    assert [turn.id for turn in queue_rules.turns_of_person(queue, "ada")] == ["a", "n"]
    anew = queue_rules.runs_anew(queue, (), NoPlace())
    assert [turn.id for turn in queue_rules.turns_of_person(anew, "ada")] == ["n"]
    assert queue_rules.turns_of_person(queue, "nobody") == ()


def test_a_withdrawn_turn_leaves_its_neighbours() -> None:
    queue = queue_rules.submitted(SessionQueue(), send_of("a"), 1)
    queue = queue_rules.submitted(queue, send_of("b"), 2)
    queue, gone = queue_rules.withdrawn(queue, "a")
    assert turn_ids(queue) == ["b"]
    assert gone == ()
    queue, gone = queue_rules.withdrawn(queue, "b")
    assert queue.waiting == ()
    assert gone[0].tickets == (1, 2)


def test_a_reset_makes_the_run_stale_and_drops_what_waits() -> None:
    queue = queue_rules.submitted(SessionQueue(), send_of("a"), 1)
    queue, running = queue_rules.begun(queue)
    queue = queue_rules.submitted(queue, send_of("b"), 2)
    assert not queue_rules.is_stale(queue, running)
    queue, dropped = queue_rules.reset(queue, 1)
    assert [entry.tickets for entry in dropped] == [(2,)]
    assert queue_rules.is_stale(queue, running)
    queue = queue_rules.submitted(queue, send_of("c", generation=1), 3)
    assert not queue_rules.is_stale(queue, queue.waiting[0])


def test_a_run_begins_anew_with_what_belongs_to_it() -> None:
    """SCENE-5: the tickets of the run that gives way are those of the new one."""
    queue = queue_rules.submitted(SessionQueue(), send_of("a"), 1)
    queue, _ = queue_rules.begun(queue)
    assert queue_rules.can_begin_anew(queue, send_of("b"))
    assert not queue_rules.can_begin_anew(queue, send_of("b", may_join=False))
    queue = queue_rules.begins_anew(queue, send_of("b"), 2)
    queue, over = queue_rules.ended(queue)
    assert over.tickets == ()
    assert turn_ids(queue) == ["a", "b"]
    assert queue.waiting[0].tickets == (1, 2)
    assert queue.waiting[0].send.reply_id == "reply:a"


def test_out_of_turn_is_a_defect() -> None:
    with pytest.raises(QueueOrderError):
        queue_rules.begun(SessionQueue())
    with pytest.raises(QueueOrderError):
        queue_rules.ended(SessionQueue())
    with pytest.raises(QueueOrderError):
        queue_rules.begins_anew(SessionQueue(), send_of("a"), 1)
    queue = queue_rules.submitted(SessionQueue(), send_of("a"), 1)
    queue = queue_rules.submitted(queue, send_of("b", may_join=False), 2)
    queue, _ = queue_rules.begun(queue)
    with pytest.raises(QueueOrderError):
        queue_rules.begun(queue)


@given(st.lists(st.booleans(), min_size=1, max_size=12))
def test_order_of_submission_is_order_of_running(joins: list[bool]) -> None:
    queue = SessionQueue()
    for number, may_join in enumerate(joins):
        queue = queue_rules.submitted(queue, send_of(str(number), may_join=may_join), number)
    ran: list[str] = []
    while queue.waiting:
        queue, entry = queue_rules.begun(queue)
        ran += [turn.id for turn in entry.send.turns]
        queue, _ = queue_rules.ended(queue)
    assert ran == [str(number) for number in range(len(joins))]


def _ids(send: Send) -> set[str]:
    return {turn.id for turn in send.turns}


class RandomQueue(RuleBasedStateMachine):
    """Random arrivals, cancellations and resets: every ticket ends exactly once, turns never reorder."""

    def __init__(self) -> None:
        super().__init__()
        self.queue = SessionQueue()
        self.generation = 0
        self.submitted: list[int] = []
        self.ended: list[int] = []
        self.ran: list[int] = []

    @rule(may_join=st.booleans())
    def submit(self, may_join: bool) -> None:
        ticket = len(self.submitted)
        self.submitted.append(ticket)
        send = send_of(str(ticket), generation=self.generation, may_join=may_join)
        self.queue = queue_rules.submitted(self.queue, send, ticket)

    @precondition(lambda self: self.queue.waiting and self.queue.running is None)
    @rule()
    def begin(self) -> None:
        self.queue, entry = queue_rules.begun(self.queue)
        self.ran += [int(turn.id) for turn in entry.send.turns]

    @precondition(lambda self: self.queue.running is not None)
    @rule()
    def end(self) -> None:
        self.queue, over = queue_rules.ended(self.queue)
        self.ended += over.tickets

    @precondition(
        lambda self: queue_rules.can_begin_anew(self.queue, send_of("x", generation=self.generation))
    )
    @rule()
    def begin_anew(self) -> None:
        ticket = len(self.submitted)
        self.submitted.append(ticket)
        send = send_of(str(ticket), generation=self.generation)
        assert self.queue.running is not None
        self.ran = [number for number in self.ran if str(number) not in _ids(self.queue.running.send)]
        self.queue = queue_rules.begins_anew(self.queue, send, ticket)

    @rule()
    def cancel_pending(self) -> None:
        self.queue, dropped = queue_rules.pending_cancelled(self.queue)
        self.ended += [ticket for entry in dropped for ticket in entry.tickets]

    @rule()
    def reset(self) -> None:
        self.generation += 1
        running = self.queue.running
        self.queue, dropped = queue_rules.reset(self.queue, self.generation)
        self.ended += [ticket for entry in dropped for ticket in entry.tickets]
        assert running is None or queue_rules.is_stale(self.queue, running)

    @precondition(lambda self: self.submitted)
    @rule(data=st.data())
    def withdraw(self, data: st.DataObject) -> None:
        turn_id = str(data.draw(st.sampled_from(self.submitted)))
        self.queue, dropped = queue_rules.withdrawn(self.queue, turn_id)
        self.ended += [ticket for entry in dropped for ticket in entry.tickets]

    @invariant()
    def every_ticket_is_in_one_place(self) -> None:
        waiting = [ticket for entry in self.queue.waiting for ticket in entry.tickets]
        running = list(self.queue.running.tickets) if self.queue.running else []
        assert sorted(waiting + running + self.ended) == self.submitted

    @invariant()
    def turns_run_in_order_and_once(self) -> None:
        assert self.ran == sorted(set(self.ran))


TestRandomQueue = RandomQueue.TestCase
