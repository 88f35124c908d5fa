"""From a message at the door to a send in its scene, and nothing lost in between (SCENE-1, SCENE-4, SCENE-7).

    decide -> typing sign -> scene opened -> inbox row -> send

The typing request may go first; the inbox row stands before any work. Messages of one channel pass in the
order in which they came, channels beside each other. Live messages wait until the start has brought back what
was left unfinished and what was missed.
"""

import asyncio
from weakref import WeakValueDictionary

import structlog

from bot.discord_chat.channels import Channels, DeliveryError
from bot.discord_chat.incoming_message import IncomingMessage, from_json, to_json, turn_id_of
from bot.discord_chat.trigger_rules import Decision, TriggerSettings, Verdict, decide
from core.clock import Clock
from core.conversation.content import Text, UserContent
from core.conversation.turns import Speaker, UserTurn
from core.orchestration.orchestrator import Orchestrator
from core.orchestration.sends import ReplyPlace, SceneKind, Send, SendOptions
from sessions.bindings import ChannelBinding
from sessions.inbox import Inbox, InboxRow, NewMessage
from sessions.inbox_rules import InboxState
from sessions.outbox_rules import reply_id_for
from sessions.scene import Session, Sessions

_log = structlog.get_logger()
_DISCORD = SendOptions(scene=SceneKind.DISCORD)


class TextScenes:
    """Hears messages; owns the order of each channel.

    `tasks` carries the typing requests. Replies that an earlier process began go to `resumed_place`, which
    looks for what is posted already.
    """

    def __init__(
        self,
        *,
        sessions: Sessions,
        inbox: Inbox,
        orchestrator: Orchestrator,
        channels: Channels,
        place: ReplyPlace,
        resumed_place: ReplyPlace,
        trigger: TriggerSettings,
        clock: Clock,
        tasks: asyncio.TaskGroup,
    ) -> None:
        self._sessions = sessions
        self._inbox = inbox
        self._orchestrator = orchestrator
        self._channels = channels
        self._place = place
        self._resumed_place = resumed_place
        self._trigger = trigger
        self._clock = clock
        self._tasks = tasks
        self._order: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()
        self._resumed = asyncio.Event()

    async def hear(self, message: IncomingMessage) -> Decision:
        """A live message; answered when the rules say so."""
        decision = decide(message, self._trigger)
        _log.debug("message heard", message=message.id, verdict=decision.verdict, reason=decision.reason.name)
        if decision.verdict is Verdict.ANSWER:
            self._tasks.create_task(self._show_typing(message.channel_id))
            await self._accept(message, live=True)
        return decision

    async def hear_missed(self, message: IncomingMessage) -> Decision:
        """A message that came while nobody listened; known ones change nothing."""
        decision = decide(message, self._trigger)
        if decision.verdict is Verdict.ANSWER:
            await self._accept(message, live=False)
        return decision

    async def resume(self) -> None:
        """Submit what an earlier process left unfinished, grouped as it was being answered."""
        rows = await self._inbox.unfinished()
        begun: dict[str | None, list[InboxRow]] = {}
        for row in rows:
            if row.state is InboxState.ANSWERING:
                begun.setdefault(row.run_id, []).append(row)
        for group in begun.values():
            await self._resubmit(tuple(group), self._resumed_place, may_join=False)
        for row in rows:
            if row.state is InboxState.ACCEPTED:
                await self._resubmit((row,), self._place, may_join=True)
        if rows:
            _log.info("unfinished messages resumed", count=len(rows))

    def release(self) -> None:
        """Let live messages pass: the start is complete."""
        self._resumed.set()

    async def withdraw(self, channel_id: int, message_id: int) -> None:
        """The message was deleted: while it waits for its turn it is not answered any more."""
        session_id = ChannelBinding(channel_id=channel_id).session_id
        await self._resumed.wait()
        async with self._order_of(channel_id):
            if self._orchestrator.withdraw(session_id, turn_id_of(message_id)):
                await self._inbox.finish([str(message_id)], dropped="deleted")

    async def close(self, channel_id: int) -> None:
        """The channel is gone: nothing of its scene runs or waits any more (SCENE-2)."""
        session_id = ChannelBinding(channel_id=channel_id).session_id
        await self._resumed.wait()
        async with self._order_of(channel_id):
            self._orchestrator.cancel_pending(session_id)
            self._orchestrator.stop(session_id)
            await self._orchestrator.idle(session_id)
            await self._sessions.close(session_id, self._clock.now())

    async def _accept(self, message: IncomingMessage, *, live: bool) -> None:
        if live:
            await self._resumed.wait()
        async with self._order_of(message.channel_id):
            binding = ChannelBinding(channel_id=message.channel_id, guild_id=message.guild_id)
            await self._sessions.open(binding, self._clock.now())
            new = await self._inbox.accept(
                NewMessage(
                    message_id=str(message.id),
                    session_id=binding.session_id,
                    payload=to_json(message),
                    at=message.at,
                )
            )
            if new:
                # Read again: a reset may have come between, and the row belongs to what came last.
                session = await self._sessions.open(binding, self._clock.now())
                self._submit((message,), session, self._place, may_join=True)

    def _order_of(self, channel_id: int) -> asyncio.Lock:
        return self._order.setdefault(channel_id, asyncio.Lock())

    async def _resubmit(self, rows: tuple[InboxRow, ...], place: ReplyPlace, *, may_join: bool) -> None:
        try:
            messages = tuple(from_json(row.payload) for row in rows)
        except ValueError:
            _log.error("unfinished message is unreadable", messages=[row.message_id for row in rows])
            await self._inbox.finish([row.message_id for row in rows], dropped="unreadable")
            return
        binding = ChannelBinding(channel_id=messages[0].channel_id, guild_id=messages[0].guild_id)
        session = await self._sessions.open(binding, self._clock.now())
        self._submit(messages, session, place, may_join=may_join)

    def _submit(
        self, messages: tuple[IncomingMessage, ...], session: Session, place: ReplyPlace, *, may_join: bool
    ) -> None:
        first = messages[0]
        self._orchestrator.submit(
            Send(
                session_id=session.session_id,
                generation=session.generation,
                reply_id=reply_id_for(str(first.id)),
                turns=tuple(user_turn(message) for message in messages),
                place=place,
                options=_DISCORD,
                may_join=may_join,
            )
        )

    async def _show_typing(self, channel_id: int) -> None:
        try:
            await self._channels.show_typing(channel_id)
        except DeliveryError as error:
            _log.info("typing sign refused", channel=channel_id, error=type(error).__name__)


def user_turn(message: IncomingMessage) -> UserTurn:
    """The message as a turn of its scene, with what it replies to and what is attached named in words."""
    content: list[UserContent] = []
    if message.quoted is not None and message.quoted.author is not None and not message.replies_to_bot:
        quoted = message.quoted.text[:500]
        content.append(Text(text=f"(in reply to {message.quoted.author.name}: {quoted})\n"))
    content.append(Text(text=message.text))
    content += [
        Text(text=f"\n[attachment: {file.name}, {file.media_type or 'unknown type'}, {file.size} bytes]")
        for file in message.attachments
    ]
    return UserTurn(
        id=message.turn_id,
        at=message.at,
        speaker=Speaker(id=str(message.author.id), name=message.author.name),
        content=tuple(content),
    )
