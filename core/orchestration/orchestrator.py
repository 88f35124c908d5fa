"""The scheduler of the process: sends of one session in order, sessions side by side (CORE-18).

A session has a worker only while it has something to do; an idle one costs no task. Closing the orchestrator
cancels the runs without an ending, so that the next start can resume them.
"""

import asyncio
from types import TracebackType
from typing import Self

import structlog

from core.conversation.turns import UserTurn
from core.failures import UNEXPECTED, Failure
from core.orchestration import queue_rules
from core.orchestration.queue_rules import QueuedSend, SessionQueue
from core.orchestration.runs import Run, Runner
from core.orchestration.sends import Dropped, Failed, Outcome, ReplyPlace, Send

_log = structlog.get_logger()


class Ticket:
    """One submission; several tickets share a run when their sends were joined."""

    def __init__(self, outcome: asyncio.Future[Outcome]) -> None:
        self._outcome = outcome

    async def outcome(self) -> Outcome:
        """How it ended. Cancelling the wait does not cancel the run."""
        return await asyncio.shield(self._outcome)


class Orchestrator:
    """Owns the queues and the workers; used as an async context manager."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._queues: dict[str, SessionQueue] = {}
        self._runs: dict[str, Run] = {}
        self._tickets: dict[int, asyncio.Future[Outcome]] = {}
        self._next_ticket = 0
        self._workers: dict[str, asyncio.Task[None]] = {}
        self._tasks = asyncio.TaskGroup()

    async def __aenter__(self) -> Self:
        await self._tasks.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for worker in self._workers.values():
            worker.cancel()
        await self._tasks.__aexit__(kind, error, trace)

    def submit(self, send: Send, *, belongs_to_running: bool = False) -> Ticket:
        """Queue `send` behind what its session has; it may join one that still waits.

        `belongs_to_running`: it goes on with what the running reply answers. While nothing of that reply was
        shown and no tool began, the run begins anew and answers both (SCENE-5).
        """
        self._next_ticket += 1
        outcome: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self._tickets[self._next_ticket] = outcome
        queue = self._queues.get(send.session_id, SessionQueue())
        if belongs_to_running and self._gives_way(queue, send):
            self._queues[send.session_id] = queue_rules.begins_anew(queue, send, self._next_ticket)
            return Ticket(outcome)
        self._queues[send.session_id] = queue_rules.submitted(queue, send, self._next_ticket)
        if send.session_id not in self._workers:
            self._workers[send.session_id] = self._tasks.create_task(
                self._work(send.session_id), name=f"session {send.session_id}"
            )
        return Ticket(outcome)

    def stop(self, session_id: str) -> bool:
        """Stop the reply that runs, keeping what is visible; False when none runs."""
        self._take_back(session_id)
        run = self._runs.get(session_id)
        return run is not None and run.stop()

    def _take_back(self, session_id: str) -> None:
        """Have a run that gives way to the same question answer it itself, so that it can end otherwise."""
        run, queue = self._runs.get(session_id), self._queues.get(session_id, SessionQueue())
        changed = queue_rules.takes_back(queue)
        if run is not None and changed != queue:
            self._queues[session_id] = changed
            run.take_back(queue_rules.answered_now(changed))

    def cancel_pending(self, session_id: str) -> None:
        """Drop what waits; the run goes on."""
        if session_id in self._queues:
            queue, dropped = queue_rules.pending_cancelled(self._queues[session_id])
            self._queues[session_id] = queue
            self._drop(dropped, "cancelled")

    def withdraw(self, session_id: str, turn_id: str) -> bool:
        """Take back a turn that still waits (its message was deleted); False when it does not wait."""
        queue = self._queues.get(session_id, SessionQueue())
        changed, dropped = queue_rules.withdrawn(queue, turn_id)
        if changed == queue:
            return False
        if queue.waiting[0] in dropped and queue_rules.takes_back(queue) != queue:
            self._take_back(session_id)  # what it has shown goes with it: see `discard`
            return False
        self._queues[session_id] = changed
        self._drop(dropped, "withdrawn")
        return True

    def turn(self, session_id: str, turn_id: str) -> UserTurn | None:
        """A turn that is being answered or waits for it."""
        return queue_rules.turn_of(self._queues.get(session_id, SessionQueue()), turn_id)

    def edit(self, session_id: str, turn: UserTurn, place: ReplyPlace) -> bool:
        """The person changed a turn: it is answered as it reads now. False when it is too late for that.

        A reply that runs begins anew in the messages that it has, which `place` finds, unless a tool began.
        """
        queue = self._queues.get(session_id, SessionQueue())
        running = queue_rules.answered_now(queue)
        if turn.id not in {one.id for one in running}:
            changed = queue_rules.turn_edited(queue, turn)
            if changed == queue:
                return False
            self._queues[session_id] = changed
            return True
        return self._run_anew(session_id, tuple(turn if one.id == turn.id else one for one in running), place)

    async def begun(self, session_id: str) -> None:
        """Wait while the turns of the running reply are being kept: until then they cannot be changed."""
        run = self._runs.get(session_id)
        if run is not None:
            await run.begun.wait()

    def has_used_tools(self, session_id: str) -> bool:
        """Whether a tool of the running reply began, so that it goes on whatever is edited."""
        run = self._runs.get(session_id)
        return run is not None and run.tool_began

    async def discard(self, session_id: str, turn_id: str, place: ReplyPlace) -> bool:
        """A turn that is being answered was taken back. False when it is not, or it is too late.

        A reply to it alone ends and is taken back, too, before this returns; one to several turns begins anew
        with the others.
        """
        run = self._runs.get(session_id)
        turns = queue_rules.answered_now(self._queues.get(session_id, SessionQueue()))
        if run is None or turn_id not in {turn.id for turn in turns}:
            return False
        others = tuple(turn for turn in turns if turn.id != turn_id)
        if others:
            return self._run_anew(session_id, others, place)
        if not run.withdraw():
            return False
        await run.over.wait()
        return True

    def _run_anew(self, session_id: str, turns: tuple[UserTurn, ...], place: ReplyPlace) -> bool:
        run = self._runs.get(session_id)
        if run is None or not run.begin_anew():
            return False
        self._queues[session_id] = queue_rules.runs_anew(self._queues[session_id], turns, place)
        return True

    def asked_by(self, user_id: str) -> tuple[tuple[str, UserTurn], ...]:
        """What a person said, and notices for them, that is being answered or waits; with its session."""
        return tuple(
            (session_id, turn)
            for session_id, queue in self._queues.items()
            if queue.waiting or session_id in self._runs
            for turn in queue_rules.turns_of_person(queue, user_id)
        )

    async def end(self, session_id: str) -> None:
        """Stop the reply that runs, as `stop` does, and wait until it is over and kept."""
        run = self._runs.get(session_id)
        if run is not None:
            run.stop()
            await run.over.wait()

    def withdraw_speaker(self, session_id: str, speaker_id: str) -> tuple[str, ...]:
        """Take back every turn of a person that still waits; returns the turns' ids."""
        queue = self._queues.get(session_id, SessionQueue())
        changed, dropped = queue_rules.speaker_withdrawn(queue, speaker_id)
        if changed == queue:
            return ()
        self._queues[session_id] = changed
        self._drop(dropped, "withdrawn")
        kept = set(_waiting_turns(changed))
        return tuple(turn_id for turn_id in _waiting_turns(queue) if turn_id not in kept)

    def reset(self, session_id: str, generation: int) -> None:
        """Drop what waits and make the run stale: it stops, and nothing of it is stored.

        `generation` is the session's new one; storage refuses what is older, whenever it comes.
        """
        if session_id in self._queues:
            queue, dropped = queue_rules.reset(self._queues[session_id], generation)
            self._queues[session_id] = queue
            self._drop(dropped, "reset")
            self.stop(session_id)

    def is_running(self, session_id: str) -> bool:
        """Whether a reply of the session is on its way."""
        return session_id in self._runs

    def is_busy(self, session_id: str) -> bool:
        """Whether a reply of the session is on its way or waits for its turn."""
        return session_id in self._workers

    def running(self, session_id: str) -> Send | None:
        """What the session's running reply answers; None when none runs."""
        entry = self._queues.get(session_id, SessionQueue()).running
        return None if entry is None else entry.send

    def running_count(self) -> int:
        """How many replies are on their way."""
        return len(self._runs)

    def waiting_count(self) -> int:
        """How many sends wait for their turn."""
        return sum(len(queue.waiting) for queue in self._queues.values())

    async def idle(self, session_id: str) -> None:
        """Wait until nothing of the session waits or runs."""
        while (worker := self._workers.get(session_id)) is not None:
            await asyncio.wait([worker])

    async def drained(self) -> None:
        """Wait until nothing waits and nothing runs."""
        while self._workers:
            await asyncio.wait(list(self._workers.values()))

    async def _work(self, session_id: str) -> None:
        try:
            while self._queues[session_id].waiting:
                self._queues[session_id], entry = queue_rules.begun(self._queues[session_id])
                outcome = await self._run(session_id, entry)
                self._queues[session_id], entry = queue_rules.ended(self._queues[session_id])
                self._settle(entry, outcome)
        finally:
            del self._workers[session_id]
            del self._queues[session_id]

    def _gives_way(self, queue: SessionQueue, send: Send) -> bool:
        run = self._runs.get(send.session_id)
        return run is not None and queue_rules.can_begin_anew(queue, send) and run.give_way()

    async def _run(self, session_id: str, entry: QueuedSend) -> Outcome:
        def is_stale() -> bool:
            return queue_rules.is_stale(self._queues[session_id], entry)

        run = self._runner.new_run(entry.send, is_stale=is_stale)
        self._runs[session_id] = run
        try:
            return await run.execute()
        except Exception as error:  # noqa: BLE001 - one session's defect must not end the others
            return self._broken(session_id, error)
        finally:
            del self._runs[session_id]
            run.begun.set()
            run.over.set()

    def _broken(self, session_id: str, error: Exception) -> Failed:
        error_id = self._runner.new_id("err", self._runner.clock.now())
        failure = error if isinstance(error, Failure) else Failure(UNEXPECTED, reason=type(error).__name__)
        _log.error(
            "run broke",
            session=session_id,
            error_id=error_id,
            reason=failure.reason,
            exc_info=None if failure is error else error,
        )
        return Failed(failure=failure, error_id=error_id)

    def _settle(self, entry: QueuedSend, outcome: Outcome) -> None:
        for ticket in entry.tickets:
            future = self._tickets.pop(ticket)
            if not future.cancelled():
                future.set_result(outcome)

    def _drop(self, entries: tuple[QueuedSend, ...], reason: str) -> None:
        for entry in entries:
            self._settle(entry, Dropped(reason=reason))


def _waiting_turns(queue: SessionQueue) -> tuple[str, ...]:
    return tuple(turn.id for entry in queue.waiting for turn in entry.send.turns)
