"""One run: from a send to its committed turn (CORE-23, CORE-24, CORE-36).

    keep the turns ┐
    read the window ┴ plan -> generation -> markers -> reply channel -> sink -> commit

The turns are kept beside the model's first words, and nothing is shown before they are. Nothing is committed
before transport, tools and the sink have finished. A run that is stopped or fails keeps
what people could see, marked as interrupted; a run whose session was reset keeps nothing.
"""

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, replace

import structlog

from core.clock import Clock
from core.conversation.turns import AssistantTurn, ReplyText, Round, UserTurn
from core.failures import UNEXPECTED, Failure, GenerationFailed
from core.generation.events import TurnFinished
from core.identifiers import NewId
from core.orchestration.hooks import Hooks, ReplyDelivered, RunFailed, RunInterrupted, RunStarted
from core.orchestration.replies import (
    Delivered,
    Ending,
    LastingSink,
    ReplyEnded,
    ReplyEvent,
    ReplySink,
    ReplyTextGrew,
    RevisableSink,
    ToolBegan,
    WorkTold,
)
from core.orchestration.reply_channel import ReplyChannel
from core.orchestration.reply_events import ReplyTranslator
from core.orchestration.run_ports import Generation, Journal, RunPlan, RunPlanner, RunRecord, StaleSession
from core.orchestration.sends import Answered, Dropped, Failed, Outcome, Send, Stopped
from core.sentences import sentence

_log = structlog.get_logger()

_EMPTY = sentence("The model gave an empty answer. Please ask again.")
_COMMIT_AGAIN_AFTER_S = (0.5, 2.0, 8.0)
_UNDELIVERED = sentence("I could not post my reply here. Please check my permissions in this channel.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Runner:
    """What every run needs."""

    generation: Generation
    planner: RunPlanner
    journal: Journal
    hooks: Hooks
    clock: Clock
    new_id: NewId

    def new_run(self, send: Send, *, is_stale: Callable[[], bool]) -> "Run":
        """A run of `send` that has not begun."""
        return Run(self, send, is_stale)


class Run:
    """One execution; `execute` once, `stop` at any time."""

    def __init__(self, runner: Runner, send: Send, is_stale: Callable[[], bool]) -> None:
        self._runner = runner
        self._send = send
        self._is_stale = is_stale
        self._run_id = runner.new_id("run", runner.clock.now())
        self._created_at = runner.clock.now()
        self._channel = ReplyChannel()
        self._translator = self._new_translator(None)
        self._text: list[str] = []
        self._turn: AssistantTurn | None = None
        self._failure: Failed | None = None
        self._ended: ReplyEnded | None = None
        self._last_output_at = self._created_at
        self._generating: asyncio.Task[ReplyEnded] | None = None
        self._sink: ReplySink | None = None
        self._stop_asked = False
        self._kept = asyncio.Event()
        self._has_shown = False
        self._superseded = False
        self._withdrawn = False
        self._tool_began = False
        self.begun = asyncio.Event()
        self.over = asyncio.Event()

    @property
    def tool_began(self) -> bool:
        """Whether a tool may have done something already."""
        return self._tool_began

    def stop(self) -> bool:
        """End the generation; the sink finishes with what is there. False when it is over already.

        A sink that is still at work after the generation (speech) is stopped, too.
        """
        return self._end_as(Ending.STOPPED) or (isinstance(self._sink, LastingSink) and self._sink.stop())

    def withdraw(self) -> bool:
        """End it and take back what was shown; False when it is over already."""
        self._withdrawn = self._end_as(Ending.WITHDRAWN)
        return self._withdrawn

    def _end_as(self, ending: Ending) -> bool:
        if self._generating is None or not self._kept.is_set():
            self._stop_asked = True
            return True
        return self._cut_short(self._generating, ending)

    def _cut_short(self, generating: asyncio.Task[ReplyEnded], ending: Ending) -> bool:
        """End the generation, or the delivery of what it gave; False when both are over."""
        return generating.cancel() or (isinstance(self._sink, RevisableSink) and self._sink.end_as(ending))

    def begin_anew(self) -> bool:
        """End without a word, for a run that takes over what was shown; False once a tool began."""
        if self._tool_began or self._generating is None or not self._kept.is_set():
            return False
        self._superseded = self._cut_short(self._generating, Ending.SUPERSEDED)
        return self._superseded

    def give_way(self) -> bool:
        """End without a word, for a run that answers more; False once something was shown or a tool began."""
        if self._has_shown or self._generating is None or not self._kept.is_set():
            return False
        self._superseded = self._generating.cancel()
        return self._superseded

    def take_back(self, turns: tuple[UserTurn, ...]) -> None:
        """It gave way, and nothing comes after it: it answers these turns, however it ends."""
        self._superseded = False
        self._send = replace(self._send, turns=turns)

    async def execute(self) -> Outcome:
        """Run to the commit. A cancellation from outside leaves no ending: the next start resumes."""
        await self._runner.hooks.publish(RunStarted(session_id=self._send.session_id, run_id=self._run_id))
        async with asyncio.TaskGroup() as tasks:
            self._generating = tasks.create_task(self._generate(), name=self._run_id)
            self._generating.add_done_callback(self._tell_ending)
            tasks.create_task(self._keep(self._generating))
            delivered = await self._deliver()
            self._generating.cancel()
        if self._superseded:
            return Dropped(reason="superseded")
        if self._withdrawn and self._kept.is_set():
            await self._commit(None, Ending.WITHDRAWN)
            return Dropped(reason="withdrawn")
        if self._is_stale():
            await self._commit(None, Ending.STOPPED)
            return Dropped(reason="reset")
        if self._failure is not None and not self._kept.is_set():
            return self._failure
        return await self._settle(delivered)

    async def _keep(self, generating: "asyncio.Task[ReplyEnded]") -> None:
        """Runs beside the model's first words; nothing is shown before it is done."""
        try:
            await self._runner.journal.keep(self._send, self._run_id)
        except StaleSession:
            self._superseded = True
        except Exception as error:  # noqa: BLE001 - nothing was kept, so the next start begins it anew
            self._failed(Failure(UNEXPECTED, reason=f"keep: {type(error).__name__}"), cause=error)
        else:
            self._kept.set()
        self.begun.set()
        if self._stop_asked or not self._kept.is_set():
            generating.cancel()

    async def _deliver(self) -> Delivered:
        try:
            self._sink = self._send.place.open_sink(self._send)
            return await self._sink.deliver(self._channel.events())
        except Exception as error:  # noqa: BLE001 - whatever a scene raises ends this run only
            self._failed(Failure(_UNDELIVERED, reason=f"delivery: {type(error).__name__}"), cause=error)
            return Delivered(text="")

    async def _generate(self) -> ReplyEnded:
        """The whole reply; its ending is told once its turns are kept."""
        ended = await self._generated()
        await self._kept.wait()
        return ended

    async def _generated(self) -> ReplyEnded:
        try:
            conversation = await self._runner.journal.window(self._send)
            plan = await self._runner.planner.plan(self._send, conversation, self._run_id)
            self._translator = self._new_translator(plan)
            if plan.begins is not None:
                await plan.begins()
            async with aclosing(self._runner.generation.stream_from(plan.request)) as events:
                async for event in events:
                    if isinstance(event, TurnFinished):
                        self._turn = event.turn
                    await self._tell(self._translator.read(event))
                    if self._translator.is_cut:
                        break
            await self._tell(self._translator.finish())
            if self._translator.is_cut:
                self._turn = self._cut_turn()
            if plan.on_turn is not None and self._turn is not None:
                plan.on_turn(self._turn)
            ending = self._completed_ending()
            if plan.work is not None and ending is Ending.COMPLETED and (lines := plan.work()):
                await self._channel.put(WorkTold(lines=lines))
            return ReplyEnded(ending=ending)
        except Failure as failure:
            return self._failed(failure)
        except Exception as error:  # noqa: BLE001 - a defect ends this run only, and says so
            failure = GenerationFailed(UNEXPECTED, reason=type(error).__name__)
            return self._failed(failure, cause=error)

    def _completed_ending(self) -> Ending:
        if self._translator.silent:
            return Ending.SILENT
        if not self._translator.visible:
            raise GenerationFailed(_EMPTY, reason="empty answer")
        return Ending.COMPLETED

    async def _tell(self, events: tuple[ReplyEvent, ...]) -> None:
        for event in events:
            await self._kept.wait()
            self._has_shown = True
            self._last_output_at = self._runner.clock.now()
            self._tool_began = self._tool_began or isinstance(event, ToolBegan)
            if isinstance(event, ReplyTextGrew):
                self._text.append(event.text)
            await self._channel.put(event)

    def _tell_ending(self, generating: "asyncio.Task[ReplyEnded]") -> None:
        self._ended = self._cancelled_ending() if generating.cancelled() else generating.result()
        self._channel.end(self._ended)

    def _cancelled_ending(self) -> ReplyEnded:
        if self._withdrawn:
            return ReplyEnded(ending=Ending.WITHDRAWN)
        if self._superseded or (self._is_stale() and not self._has_shown):
            return ReplyEnded(ending=Ending.SUPERSEDED)
        if self._failure is not None:
            return self._told(self._failure)
        return ReplyEnded(ending=Ending.STOPPED)

    def _failed(self, failure: Failure, *, cause: Exception | None = None) -> ReplyEnded:
        error_id = self._runner.new_id("err", self._runner.clock.now())
        self._failure = Failed(failure=failure, error_id=error_id)
        _log.warning(
            "reply failed",
            session=self._send.session_id,
            error_id=error_id,
            reason=failure.reason,
            exc_info=cause,
        )
        return self._told(self._failure)

    @staticmethod
    def _told(failed: Failed) -> ReplyEnded:
        return ReplyEnded(ending=Ending.FAILED, advice=failed.failure.advice, error_id=failed.error_id)

    async def _settle(self, delivered: Delivered) -> Outcome:
        ids = {"session_id": self._send.session_id, "run_id": self._run_id}
        if self._failure is not None:
            await self._commit(self._interrupted_turn(delivered), Ending.FAILED)
            await self._runner.hooks.publish(RunFailed(**ids, error_id=self._failure.error_id))
            return self._failure
        if self._ended is None or self._ended.ending is Ending.STOPPED or self._turn is None or delivered.cut:
            await self._commit(self._interrupted_turn(delivered), Ending.STOPPED)
            await self._runner.hooks.publish(RunInterrupted(**ids, text=delivered.text))
            return Stopped()
        reply = replace(
            self._turn,
            created_at=self._created_at,
            completed_at=self._last_output_at if self._has_shown else self._turn.completed_at,
            sticker_id=self._translator.sticker_id,
            proactive=all(turn.notice is not None for turn in self._send.turns),
        )
        await self._commit(reply, self._ended.ending)
        await self._runner.hooks.publish(ReplyDelivered(**ids, text=delivered.text))
        return Answered(silent=self._ended.ending is Ending.SILENT)

    def _new_translator(self, plan: RunPlan | None) -> ReplyTranslator:
        notices = [turn.notice for turn in self._send.turns if turn.notice is not None]
        return ReplyTranslator(
            stickers=self._send.options.stickers,
            silence_offered=any(notice.silence_allowed for notice in notices),
            own_names=() if plan is None else plan.own_names,
            cut_repeats=plan is not None and plan.cut_repeats,
        )

    def _cut_turn(self) -> AssistantTurn:
        """A reply that was ended at its first repetition, as it was told."""
        return self._plain_turn("".join(self._text), interrupted=False)

    def _interrupted_turn(self, delivered: Delivered) -> AssistantTurn | None:
        return self._plain_turn(delivered.text, interrupted=True) if delivered.text.strip() else None

    def _plain_turn(self, text: str, *, interrupted: bool) -> AssistantTurn:
        return AssistantTurn(
            id=self._runner.new_id("turn", self._runner.clock.now()),
            run_id=self._run_id,
            created_at=self._created_at,
            completed_at=self._last_output_at,
            rounds=(Round(content=(ReplyText(text=text),)),),
            interrupted=interrupted,
        )

    async def _commit(self, reply: AssistantTurn | None, ending: Ending) -> None:
        retry = self._send.retry
        record = RunRecord(
            session_id=self._send.session_id,
            generation=self._send.generation,
            reply_id=self._send.reply_id,
            run_id=self._run_id,
            turn_ids=tuple(turn.id for turn in self._send.turns) if retry is None else (),
            reply=reply,
            ending=ending,
            replaces=None if retry is None else retry.replaces,
        )
        for wait_s in _COMMIT_AGAIN_AFTER_S:
            try:
                return await self._runner.journal.commit(record)
            except Failure as failure:
                # People have read it; only the memory of it is at stake, and the session waits for that.
                ids = {"session": self._send.session_id, "run": self._run_id}
                _log.warning("reply not kept yet", **ids, reason=failure.reason, again_in_s=wait_s)
            await self._runner.clock.sleep(wait_s)
        return await self._runner.journal.commit(record)
