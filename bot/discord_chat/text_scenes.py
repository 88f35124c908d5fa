"""From a message at the door to a send in its scene, and nothing lost in between (SCENE-1, SCENE-4, SCENE-7).

    decide -> typing sign -> scene opened -> inbox row -> files read -> send

The typing request may go first; the inbox row stands before any work. Messages of one channel pass in the
order in which they came, channels beside each other. Live messages wait until what was left unfinished runs
again, and until what was missed in their own channel has been read. A message that cannot be taken costs no
other one its answer; its author is told.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from weakref import WeakValueDictionary

import structlog

from bot.discord_chat.channels import Channels, DeliveryError, Post
from bot.discord_chat.follow_ups import FollowUps
from bot.discord_chat.incoming_message import IncomingMessage, from_json, to_json, turn_id_of
from bot.discord_chat.message_content import MessageContent
from bot.discord_chat.message_decisions import Heard, MessageDecisions
from bot.discord_chat.readers import Readers
from bot.discord_chat.room_context import RoomContext
from bot.discord_chat.room_stickers import OptionsOf
from bot.discord_chat.trigger_rules import Decision, Verdict
from bot.discord_chat.unfinished_replies import UnfinishedReply, put_together
from core.clock import Clock
from core.conversation.turns import UserTurn
from core.failures import UNEXPECTED, Failure
from core.identifiers import NewId
from core.orchestration.orchestrator import Orchestrator
from core.orchestration.sends import ReplyPlace, Send
from core.sentences import sentence
from sessions.bindings import ChannelBinding
from sessions.failures import IllegalMove, TurnUnreadable, UnknownTurn
from sessions.inbox import NewMessage
from sessions.outbox_rules import nonce_for, reply_id_for
from sessions.scene import Session
from sessions.stores import SceneStores

_log = structlog.get_logger()


class TextScenes:
    """Hears messages; owns the order of each channel.

    Replies that an earlier process began go to `resumed_place`, which looks for what is posted already.
    """

    def __init__(
        self,
        *,
        stores: SceneStores,
        orchestrator: Orchestrator,
        channels: Channels,
        readers: Readers,
        place: ReplyPlace,
        resumed_place: ReplyPlace,
        room: RoomContext,
        content: MessageContent,
        decisions: MessageDecisions,
        options: OptionsOf,
        burst_window: timedelta,
        edits_replace: bool,
        clock: Clock,
        new_id: NewId,
    ) -> None:
        self._sessions = stores.sessions
        self._inbox = stores.inbox
        self._outbox = stores.outbox
        self._replies = stores.replies
        self._history = stores.history
        self._edits = stores.edits
        self._orchestrator = orchestrator
        self._channels = channels
        self._readers = readers
        self._place = place
        self._resumed_place = resumed_place
        self._room = room
        self._content = content
        self._decisions = decisions
        self._options = options
        self._burst_window = burst_window
        self._edits_replace = edits_replace
        self._clock = clock
        self._new_id = new_id
        self._order: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()
        self._follow_ups = FollowUps()
        self._resumed = asyncio.Event()

    async def hear(self, message: IncomingMessage) -> Decision:
        """A live message; answered when the rules say so."""
        heard = await self._decided(message)
        decision = heard.decision
        await self._meet(message)
        _log.debug("message heard", message=message.id, verdict=decision.verdict, reason=decision.reason.name)
        if decision.verdict is Verdict.ANSWER:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._show_typing(message.channel_id))
                await self._resumed.wait()
                async with self._order_of(message.channel_id):
                    await self._take(message)
        elif decision.verdict is Verdict.AMBIENT:
            self._room.heard(message)
        if heard.notice:
            await self._tell(message, heard.notice)
        return decision

    async def catch_up(
        self, channel_id: int, missed: Callable[[], Awaitable[Sequence[IncomingMessage]]]
    ) -> None:
        """Read what came while nobody listened; live messages of the channel wait meanwhile.

        Messages that are known already change nothing.
        """
        async with self._order_of(channel_id):
            for message in await missed():
                await self._meet(message)
                if (await self._decided(message)).decision.verdict is Verdict.ANSWER:
                    await self._take(message)

    async def resume(self) -> None:
        """Submit what an earlier process left unfinished, grouped as it was being answered."""
        unfinished = put_together(await self._inbox.unfinished(), await self._outbox.unsettled())
        for reply in unfinished.replies:
            try:
                await self._resubmit(reply)
            except Exception:  # noqa: BLE001 - it stays for the next start; the others go on now
                _log.exception("unfinished reply not resumed", reply=reply.reply_id)
        for reply_id in unfinished.orphans:
            await self._replies.abandon(reply_id, (), "nobody waits for it")
        if unfinished.replies:
            _log.info("unfinished replies resumed", count=len(unfinished.replies))

    def release(self) -> None:
        """Let live messages pass: the start is complete."""
        self._resumed.set()

    async def withdraw(self, channel_id: int, message_id: int) -> None:
        """The message was deleted: it is not answered any more, and not remembered (TEXT-6).

        A reply that is being written to it is taken back.
        """
        session_id = ChannelBinding(channel_id=channel_id).session_id
        await self._resumed.wait()
        async with self._order_of(channel_id):
            await self._orchestrator.begun(session_id)
            for asked_id in reversed(self._follow_ups.of(message_id)):
                await self._taken_back(session_id, asked_id)

    async def _taken_back(self, session_id: str, message_id: int) -> None:
        turn_id = turn_id_of(message_id)
        waited = self._orchestrator.withdraw(session_id, turn_id)
        if waited or await self._orchestrator.discard(session_id, turn_id, self._resumed_place):
            with suppress(IllegalMove):  # the reply to it alone has settled it
                await self._inbox.finish([str(message_id)], dropped="deleted")
        await self._edits.remove(session_id, turn_id)

    async def edited(self, message: IncomingMessage) -> None:
        """The message was changed: what is not answered yet is answered as it reads now (TEXT-6)."""
        session_id = ChannelBinding(channel_id=message.channel_id).session_id
        await self._resumed.wait()
        async with self._order_of(message.channel_id):
            asked_id = self._follow_ups.of(message.id)[-1]
            asked = self._orchestrator.turn(session_id, turn_id_of(asked_id))
            if asked is None and not await self._remembers(session_id, asked_id):
                return
            turn = replace(await self._content.turn_of(message), id=turn_id_of(asked_id))
            await self._orchestrator.begun(session_id)
            if asked is not None and turn.content == asked.content:
                return  # a link preview or a pin of a message that was changed before the start
            if self._edits_replace and self._orchestrator.edit(session_id, turn, self._resumed_place):
                return
            if asked is not None and self._edits_replace and self._orchestrator.has_used_tools(session_id):
                follow_up = message.as_follow_up()
                self._follow_ups.add(message.id, follow_up.id)
                await self._follow_up(follow_up)
                return
            with suppress(UnknownTurn):
                await self._edits.replace_content(session_id, turn.id, turn.content)

    async def _follow_up(self, edited: IncomingMessage) -> None:
        """What its tools did stands, and so does the reply; the edit is answered behind it."""
        if (await self._decided(edited)).decision.verdict is Verdict.ANSWER:
            await self._take(edited)

    async def _remembers(self, session_id: str, message_id: int) -> bool:
        try:
            return await self._history.find(session_id, str(message_id)) is not None
        except TurnUnreadable:
            return False

    async def close(self, channel_id: int) -> None:
        """The channel is gone: nothing of its scene runs or waits any more (SCENE-2)."""
        session_id = ChannelBinding(channel_id=channel_id).session_id
        await self._resumed.wait()
        async with self._order_of(channel_id):
            self._orchestrator.cancel_pending(session_id)
            self._orchestrator.stop(session_id)
            await self._orchestrator.idle(session_id)
            await self._sessions.close(session_id, self._clock.now())
            await self._content.forget(channel_id)
            self._decisions.forget(channel_id)

    async def _decided(self, message: IncomingMessage) -> Heard:
        """What becomes of the message; where that cannot be looked up, whoever calls the bot is told."""
        try:
            return await self._decisions.decide(message)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is this message's alone
            trouble = self._trouble(message, error)
        calls = message.is_direct or message.mentions_bot or message.replies_to_bot
        is_told = calls and not (message.author.is_bot or message.from_webhook)
        return Heard(decision=self._decisions.give_up(message), notice=trouble if is_told else "")

    async def _take(self, message: IncomingMessage) -> None:
        """Accept the message; where that fails, its author is told."""
        try:
            await self._accept(message)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is this message's alone
            await self._tell(message, self._trouble(message, error))

    def _trouble(self, message: IncomingMessage, error: Exception) -> str:
        """A sentence for its author; the log knows more."""
        error_id = self._new_id("err", self._clock.now())
        known = error if isinstance(error, Failure) else Failure(UNEXPECTED, reason=type(error).__name__)
        _log.error(
            "message not taken",
            message=message.id,
            error_id=error_id,
            reason=known.reason,
            exc_info=None if known is error else error,
        )
        return sentence("{advice} (`{error_id}`)", advice=known.advice, error_id=error_id)

    async def _tell(self, message: IncomingMessage, trouble: str) -> None:
        """With the nonce of its reply: should it be answered later after all, the answer takes this place."""
        nonce = nonce_for(str(message.id), 0)
        try:
            await self._channels.post(
                message.channel_id, Post(text=trouble, nonce=nonce, reply_to=message.id)
            )
        except DeliveryError as error:
            _log.info("trouble not told", channel=message.channel_id, error=type(error).__name__)

    async def _accept(self, message: IncomingMessage) -> None:
        binding = ChannelBinding(channel_id=message.channel_id, guild_id=message.guild_id)
        session = await self._sessions.open(binding, self._clock.now())
        new = await self._inbox.accept(
            NewMessage(
                message_id=str(message.id),
                session_id=binding.session_id,
                payload=to_json(message),
                at=message.at,
            )
        )
        if new:
            self._room.answered(message)
            await self._room.enter(message, session)
            turn = await self._content.turn_of(message)
            # Read again: a reset may have come between, and the row belongs to what came last.
            session = await self._sessions.open(binding, self._clock.now())
            self._submit((turn,), session, reply_id_for(str(message.id)), begun=False)

    async def _meet(self, message: IncomingMessage) -> None:
        """Notices in direct messages come in the language of whoever writes there (CMD-1)."""
        if message.guild_id is None:
            await self._readers.meet(message.channel_id, message.author.id)

    def _order_of(self, channel_id: int) -> asyncio.Lock:
        return self._order.setdefault(channel_id, asyncio.Lock())

    async def _resubmit(self, reply: UnfinishedReply) -> None:
        try:
            messages = tuple(from_json(row.payload) for row in reply.rows)
        except ValueError:
            message_ids = [row.message_id for row in reply.rows]
            _log.error("unfinished message is unreadable", messages=message_ids)
            await self._replies.abandon(reply.reply_id, message_ids, "unreadable")
            return
        await self._meet(messages[0])
        binding = ChannelBinding(channel_id=messages[0].channel_id, guild_id=messages[0].guild_id)
        turns = tuple([await self._content.turn_of(message) for message in messages])
        session = await self._sessions.open(binding, self._clock.now())
        self._submit(turns, session, reply.reply_id, begun=reply.begun)

    def _submit(self, turns: tuple[UserTurn, ...], session: Session, reply_id: str, *, begun: bool) -> None:
        send = Send(
            session_id=session.session_id,
            generation=session.generation,
            reply_id=reply_id,
            turns=turns,
            place=self._resumed_place if begun else self._place,
            options=self._options(_binding_of(session)),
            may_join=not begun,
        )
        self._orchestrator.submit(send, belongs_to_running=self._is_burst(send))

    def _is_burst(self, send: Send) -> bool:
        """Whether the author of what runs went on writing at once (SCENE-5)."""
        running = self._orchestrator.running(send.session_id)
        if running is None:
            return False
        last, first = running.turns[-1], send.turns[0]
        return last.speaker == first.speaker and first.at - last.at < self._burst_window

    async def _show_typing(self, channel_id: int) -> None:
        try:
            await self._channels.show_typing(channel_id)
        except DeliveryError as error:
            _log.info("typing sign refused", channel=channel_id, error=type(error).__name__)


def _binding_of(session: Session) -> ChannelBinding:
    binding = session.binding
    if not isinstance(binding, ChannelBinding):
        raise TypeError("a scene of Discord is a channel")
    return binding
