"""A reply as a room of Discord reads it: typing, first text at once, paced edits, a whole end (TEXT-1).

Two tasks share one state: the reader takes the events as they come, the writer makes one request at a time
when the pacing rules say so.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import assert_never

import structlog

from bot.discord_chat import edit_pacing_rules as pacing_rules
from bot.discord_chat.channels import Channels
from bot.discord_chat.delivery_errors import (
    DeliveryError,
    MessageBlocked,
    MessageRejected,
    NotAllowed,
    Unavailable,
)
from bot.discord_chat.edit_pacing_rules import (
    DeadlineReached,
    EditPacing,
    Pacing,
    PacingEffect,
    PacingEvent,
    Phase,
    ProgressShown,
    RemoveProgress,
    SendUpdate,
    TextCompleted,
    TextGrew,
    UpdateRefused,
    UpdateSent,
)
from bot.discord_chat.languages import told
from bot.discord_chat.mention_rules import LinkPolicy
from bot.discord_chat.reply_button import ReplyAct, ReplyButton
from bot.discord_chat.reply_messages import ReplyFile, ReplyMessage, ReplyMessages, ReplyTarget
from bot.discord_chat.reply_notes import STOPPED, closing_note, noted, work_note
from bot.discord_chat.reply_pieces import FileReply, ReplyLimits, ReplyPieces
from core.clock import Clock
from core.orchestration.replies import (
    Delivered,
    EmotionChosen,
    Ending,
    PauseAsked,
    ReplyEnded,
    ReplyEvent,
    ReplyTextGrew,
    StickerChosen,
    ToolBegan,
    ToolSettled,
    WorkTold,
)
from core.sentences import sentence
from sessions.failures import StorageFailed
from sessions.outbox_rules import message_of

_log = structlog.get_logger()
_TYPING_LASTS_S = 8.0
_STOPPABLE_AFTER_S = 3.0
_WORKING = sentence("-# This takes a while: I am still working on it.")
_RETRIES_AFTER_S = (1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 30.0, 30.0)
_TIDIED_AGAIN = 4
_BLOCKED = sentence("A rule of this server (AutoMod) blocks the rest of my reply.")
_REJECTED = sentence("Discord does not take the rest of my reply.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplySettings:
    """How replies look, by the settings of the deployment.

    `tells_work`: small print under a reply says which recipe ran and what was decided (REC-11).
    """

    pacing: Pacing = field(default_factory=Pacing)
    limits: ReplyLimits = field(default_factory=ReplyLimits)
    links: LinkPolicy = field(default_factory=LinkPolicy)
    ping_replied_user: bool = True
    tells_work: bool = True


class ReplyStream:
    """The `ReplySink` of one reply."""

    def __init__(
        self,
        *,
        channels: Channels,
        messages: ReplyMessages,
        target: ReplyTarget,
        clock: Clock,
        settings: ReplySettings,
        resumed: bool,
    ) -> None:
        self._channels = channels
        self._messages = messages
        self._target = target
        self._clock = clock
        self._resumed = resumed
        self._pieces = ReplyPieces(settings.limits, settings.links)
        age_s = max(0.0, (clock.now() - target.asked_at).total_seconds())
        self._pacing = EditPacing(pacing=settings.pacing, started_at=clock.monotonic() - age_s)
        self._changed = asyncio.Event()
        self._spoken: list[str] = []
        self._ended: ReplyEnded | None = None
        self._texts: tuple[str, ...] | None = None
        self._file: ReplyFile | None = None
        self._sticker: str | None = None
        self._works = False
        self._progress_failed = False
        self._failures = 0
        self._stands: str | None = None
        self._overruled: Ending | None = None
        self._is_over = False
        self._tells_work = settings.tells_work
        self._work: tuple[str, ...] = ()

    async def deliver(self, events: AsyncIterator[ReplyEvent]) -> Delivered:
        """Show the reply; returns when the last edit stands.

        Raises:
            DeliveryError: the channel takes no reply.
        """
        try:
            with self._channels.speaking(self._target.channel_id):
                return await self._deliver(events)
        finally:
            self._is_over = True

    def end_as(self, ending: Ending) -> bool:
        """See `RevisableSink`."""
        if self._is_over or self._pacing.phase is Phase.DONE:
            return False
        self._overruled = ending
        self._changed.set()
        return True

    async def _deliver(self, events: AsyncIterator[ReplyEvent]) -> Delivered:
        lost: DeliveryError | None = None
        async with asyncio.TaskGroup() as tasks:
            reading = tasks.create_task(self._read(events))
            typing = tasks.create_task(self._show_typing())
            try:
                if self._resumed:
                    await self._insist(self._messages.recover, _RETRIES_AFTER_S)
                await self._write()
            except MessageRejected as error:
                lost = await self._tell_rejected(error)
            except DeliveryError as error:
                lost = error
            finally:
                typing.cancel()
                reading.cancel()
        if lost is not None:
            with suppress(DeliveryError):
                await self._messages.remove_progress()
        if lost is not None:
            raise lost
        if self._stands is not None:
            return Delivered(text=self._stands, cut=True)
        return Delivered(text="".join(self._spoken))

    async def mark_stopped(self) -> None:
        """Small print under a whole reply of which people heard the beginning alone (VOX-32)."""
        if not self._texts or self._stands is not None:
            return
        with self._channels.speaking(self._target.channel_id):
            self._texts = (*self._texts[:-1], noted(self._texts[-1], f"\n{told(STOPPED)}"))
        await self._mark()

    async def _mark(self) -> None:
        """Bring the messages to what they should say in the end, as far as Discord takes it."""
        try:
            while await self._messages.bring_nearer(self._wanted()):
                pass
        except DeliveryError as error:
            _log.info("reply not marked", reply=self._target.reply_id, error=str(error))

    async def _tell_rejected(self, rejected: MessageRejected) -> DeliveryError | None:
        """Say once, under what stands, that the rest cannot be posted; returns what went wrong with that."""
        _log.warning("reply rejected", reply=self._target.reply_id, error=str(rejected))
        standing = self._messages.standing
        self._stands = "".join(standing)
        note = told(_BLOCKED if isinstance(rejected, MessageBlocked) else _REJECTED)
        last = noted(standing[-1], f"\n-# {note}") if standing and standing[-1] else note
        texts = (*standing[:-1], last)
        try:
            while await self._messages.bring_nearer([ReplyMessage(text=text) for text in texts]):
                pass
        except DeliveryError as error:
            return error
        return None

    async def _read(self, events: AsyncIterator[ReplyEvent]) -> None:
        async for event in events:
            match event:
                case ReplyTextGrew():
                    self._spoken.append(event.text)
                    self._pieces.feed(event.text)
                    self._changed.set()
                case WorkTold(lines=lines):
                    self._work = lines if self._tells_work else ()
                case ReplyEnded():
                    self._ended = event
                    self._changed.set()
                case StickerChosen(sticker_id=sticker_id):
                    self._sticker = sticker_id
                case ToolBegan():
                    self._works = True
                    self._changed.set()
                case PauseAsked() | EmotionChosen() | ToolSettled():
                    pass  # text has no sound
                case _:
                    assert_never(event)

    async def _write(self) -> None:
        while self._pacing.phase is not Phase.DONE and self._overruled is None:
            event = await self._next_event()
            if event is None or self._overruled is not None:
                continue
            if isinstance(event, TextCompleted) and self._ended is not None:
                self._complete(self._ended)
                if not self._wanted():
                    break
            await self._advance(event)
        if self._overruled is not None:
            await self._finish_as(self._overruled)
        await self._tidy(partial(self._messages.remove_after, len(self._wanted())))
        await self._tidy(self._messages.remove_progress)

    async def _next_event(self) -> PacingEvent | None:
        """The next thing that the pacing rules must hear of; None when it was nothing visible."""
        deadline, progress_at = self._pacing.deadline, self._progress_due()
        due = min((at for at in (deadline, progress_at) if at is not None), default=None)
        patience_s = None if due is None else max(0.0, due - self._clock.monotonic())
        try:
            async with asyncio.timeout(patience_s):
                await self._changed.wait()
        except TimeoutError:
            if deadline is None or deadline > self._clock.monotonic():
                return await self._show_progress()
            return DeadlineReached(at=self._clock.monotonic())
        self._changed.clear()
        if self._ended is not None and self._texts is None:
            return TextCompleted(at=self._clock.monotonic())
        return TextGrew(at=self._clock.monotonic()) if self._pieces.shown() else None

    def _progress_due(self) -> float | None:
        """When the room is told that work goes on; None while there is nothing to tell."""
        is_silent = self._pacing.phase is Phase.SILENT and self._messages.count == 0
        waits = self._works and is_silent and self._ended is None and not self._pacing.is_sending
        if not waits or self._pacing.has_progress or self._progress_failed:
            return None
        return self._pacing.started_at + self._pacing.pacing.notice_after_s

    async def _show_progress(self) -> PacingEvent | None:
        try:
            await self._messages.show_progress(told(_WORKING))
        except DeliveryError as error:
            self._progress_failed = True
            _log.info("progress not shown", reply=self._target.reply_id, error=str(error))
            return None
        return ProgressShown(at=self._clock.monotonic())

    def _complete(self, ended: ReplyEnded) -> None:
        """Fix what the messages must say in the end; nothing after silence, or when nobody asks any more."""
        if ended.ending is Ending.WITHDRAWN:
            self._texts = ()
            return
        spoken = "".join(self._spoken)
        if note := closing_note(ended, spoken) or work_note(self._work, spoken):
            self._pieces.feed(note)
        plan = self._pieces.finish(posted=self._messages.count)
        self._texts = plan.texts
        if isinstance(plan, FileReply):
            self._file = ReplyFile(name=plan.filename, content=plan.content)

    async def _finish_as(self, ending: Ending) -> None:
        """Leave the rest unwritten: what stands goes, is marked as stopped, or is left to the next run."""
        whole = self._pieces.shown() if self._texts is None else self._texts
        kept = tuple(text or wanted for text, wanted in zip(self._messages.standing, whole, strict=False))
        self._ended, self._file = ReplyEnded(ending=ending), None
        if ending is Ending.WITHDRAWN:
            self._texts = ()
        elif ending is Ending.STOPPED:
            self._stands, note = "".join(kept), told(STOPPED)
            self._texts = (*kept[:-1], noted(kept[-1], f"\n{note}")) if kept else (note,)
            await self._mark()
        else:
            self._texts = kept

    async def _advance(self, event: PacingEvent) -> None:
        """Tell the pacing rules of `event`, and make the requests that they ask for."""
        effects = self._decide(event)
        while effects:
            effect, *effects = effects
            match effect:
                case SendUpdate():
                    effects = [*effects, *self._decide(await self._send_update())]
                case RemoveProgress():
                    with suppress(DeliveryError):  # the end tries again
                        await self._messages.remove_progress()
                case _:
                    assert_never(effect)

    async def _insist(self, request: Callable[[], Awaitable[None]], after_s: Sequence[float]) -> None:
        """Make a request that may be repeated, again while nothing answers it; raises what the answer is."""
        for wait_s in after_s:
            try:
                return await request()
            except (Unavailable, StorageFailed) as error:
                _log.warning("reply request failed", reply=self._target.reply_id, error=str(error))
            await self._clock.sleep(wait_s)
        return await request()

    async def _tidy(self, request: Callable[[], Awaitable[None]]) -> None:
        """Have what is too much deleted; where that fails, the reply stands all the same."""
        try:
            await self._insist(request, _RETRIES_AFTER_S[:_TIDIED_AGAIN])
        except DeliveryError as error:
            _log.warning("reply not tidied", reply=self._target.reply_id, error=str(error))

    def _decide(self, event: PacingEvent) -> list[PacingEffect]:
        self._pacing, effects = pacing_rules.decide(self._pacing, event)
        return list(effects)

    async def _send_update(self) -> PacingEvent:
        try:
            has_more = await self._messages.bring_nearer(self._wanted())
        except Unavailable as error:
            if self._failures >= len(_RETRIES_AFTER_S):
                raise
            retry_after_s = _RETRIES_AFTER_S[self._failures]
            self._failures += 1
            _log.warning("reply request failed", reply=self._target.reply_id, error=str(error))
            return UpdateRefused(at=self._clock.monotonic(), retry_after_s=retry_after_s)
        except (NotAllowed, MessageRejected) as error:
            if self._file is None:
                raise
            _log.warning("reply's file refused", reply=self._target.reply_id, error=str(error))
            self._leave_out_file()
            return UpdateRefused(at=self._clock.monotonic(), retry_after_s=0)
        self._failures = 0
        return UpdateSent(at=self._clock.monotonic(), has_more=has_more)

    def _leave_out_file(self) -> None:
        """No file is taken here (its permission, its size): the beginning comes in messages."""
        self._file = None
        self._texts = self._pieces.without_file()
        self._stands = "".join(self._texts)

    def _wanted(self) -> tuple[ReplyMessage, ...]:
        """The messages as they should be now; the button stands under the last text."""
        texts = self._pieces.shown() if self._texts is None else self._texts
        messages = [ReplyMessage(text=text) for text in texts]
        if messages:
            messages[-1] = replace(messages[-1], file=self._file, button=self._button())
        has_sticker = self._ended is not None and self._ended.ending is Ending.COMPLETED
        if has_sticker and self._texts is not None and self._sticker is not None:
            messages.append(ReplyMessage(text="", sticker=self._sticker))
        return tuple(messages)

    def _button(self) -> ReplyButton | None:
        """Stop under a reply that has been written for a while, Retry under one that broke off."""
        reply = message_of(self._target.reply_id)
        if self._texts is None or self._ended is None:
            age_s = self._clock.monotonic() - self._pacing.started_at
            is_long = age_s >= _STOPPABLE_AFTER_S and reply.isdecimal()
            return ReplyButton(act=ReplyAct.STOP, reply=reply) if is_long else None
        broke_off = self._ended.ending in (Ending.FAILED, Ending.STOPPED) and reply.isdecimal()
        return ReplyButton(act=ReplyAct.RETRY, reply=reply) if broke_off else None

    async def _show_typing(self) -> None:
        """Until the first text stands. The first sign was shown when the message came."""
        age_s = self._clock.monotonic() - self._pacing.started_at
        await self._clock.sleep(max(0.0, _TYPING_LASTS_S - age_s))
        while self._messages.count == 0:
            try:
                await self._channels.show_typing(self._target.channel_id)
            except DeliveryError:
                return
            await self._clock.sleep(_TYPING_LASTS_S)
