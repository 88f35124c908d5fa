"""What becomes of a message: the rules of SCENE-4 and TEXT-9 with what they need to know, and a record.

    lists -> trigger rules in the mode of the channel -> sleep -> permissions -> limits -> recorded for `/why`

Messages of one channel are decided about in the order in which they came.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Protocol
from weakref import WeakValueDictionary

from bot.discord_chat.access_list_rules import AccessLists, admits
from bot.discord_chat.decisions import Decisions
from bot.discord_chat.incoming_message import IncomingMessage
from bot.discord_chat.sleep import Sleep
from bot.discord_chat.trigger_modes import TriggerModes
from bot.discord_chat.trigger_rules import Decision, Reason, TriggerSettings, Verdict, decide
from bot.discord_chat.usage_limit_rules import LimitKind
from bot.discord_chat.usage_limits import UsageLimits
from sessions.bindings import ChannelBinding

_OVER: dict[LimitKind, Reason] = {
    LimitKind.MESSAGES_PER_MINUTE: Reason.TOO_MANY_MESSAGES,
    LimitKind.TOKENS_PER_DAY: Reason.TOKENS_USED_UP,
    LimitKind.COST_PER_MONTH: Reason.MONEY_USED_UP,
}


class People(Protocol):
    """Knows people and places where a message does not say enough of them."""

    def is_owner(self, user_id: int) -> bool:
        """Whether this is the bot's owner, whom no list keeps out."""
        ...

    async def role_ids(self, guild_id: int, user_id: int) -> tuple[int, ...]:
        """The roles of a member; none where they cannot be found out."""
        ...

    def parent_id(self, channel_id: int) -> int | None:
        """The channel that a thread stands in; None for what is no thread."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """A decision, and a sentence for the author where there is something to tell."""

    decision: Decision
    notice: str = ""


class MessageDecisions:
    """Decides and remembers. `may_answer` tells whether the bot can post in a channel, and says so once."""

    def __init__(
        self,
        *,
        trigger: TriggerSettings,
        modes: TriggerModes,
        lists: AccessLists,
        limits: UsageLimits,
        people: People,
        sleep: Sleep,
        may_answer: Callable[[int], Awaitable[bool]],
        decisions: Decisions,
    ) -> None:
        self._trigger = trigger
        self._modes = modes
        self._lists = lists
        self._limits = limits
        self._people = people
        self._sleep = sleep
        self._may_answer = may_answer
        self._decisions = decisions
        self._bot_turns: dict[int, int] = {}
        self._order: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    async def decide(self, message: IncomingMessage) -> Heard:
        """Decide about a message, once; what was let through stays so when it is heard again."""
        order = self._order.setdefault(message.channel_id, asyncio.Lock())
        async with order:
            is_new = self._decisions.of(message.channel_id, message.id) is None
            heard = await self._decided(message)
            if heard.decision.verdict is Verdict.ANSWER and message.mentions_bot and not message.is_direct:
                await self._sleep.wake(_binding(message))
            self._count(message, heard.decision, is_new=is_new)
            self._decisions.record(message, heard.decision)
            return heard

    def give_up(self, message: IncomingMessage) -> Decision:
        """It could not be decided: the message stays without an answer, and `/why` says so."""
        decision = Decision(verdict=Verdict.IGNORE, reason=Reason.UNDECIDED)
        self._decisions.record(message, decision)
        return decision

    async def without_record(self, message: IncomingMessage) -> Decision:
        """What would be decided now, by the settings of now; nothing is counted."""
        return await self._by_rules(message)

    async def is_served(self, message: IncomingMessage) -> bool:
        """Whether no list leaves out its author or its place."""
        lists, author, guild_id = self._lists, message.author.id, message.guild_id
        if lists.are_empty or self._people.is_owner(author):
            return True
        role_ids = message.role_ids
        if role_ids is None:
            ask = lists.look_at_roles and guild_id is not None
            role_ids = await self._people.role_ids(guild_id or 0, author) if ask else ()
        parent_id = self._parent_of(message)
        channel_ids = [message.channel_id, *([] if parent_id is None else [parent_id])]
        return admits(lists, guild_id=guild_id, channel_ids=channel_ids, user_id=author, role_ids=role_ids)

    def forget(self, channel_id: int) -> None:
        """The channel is gone."""
        self._decisions.forget(channel_id)
        self._bot_turns.pop(channel_id, None)

    async def _decided(self, message: IncomingMessage) -> Heard:
        decision = await self._by_rules(message)
        if decision.verdict is not Verdict.ANSWER:
            return Heard(decision=decision)
        if not await self._may_answer(message.channel_id):
            return Heard(decision=Decision(verdict=Verdict.AMBIENT, reason=Reason.MAY_NOT_SEND))
        known = self._decisions.of(message.channel_id, message.id)
        if known is not None:
            return Heard(decision=known.decision if known.decision.reason in _OVER.values() else decision)
        breach = await self._limits.breach(message)
        if breach is None:
            return Heard(decision=decision)
        over = Decision(verdict=Verdict.AMBIENT, reason=_OVER[breach.kind])
        return Heard(decision=over, notice=self._limits.notice(breach))

    async def _by_rules(self, message: IncomingMessage) -> Decision:
        if not await self.is_served(message):
            return Decision(verdict=Verdict.IGNORE, reason=Reason.NOT_SERVED)
        trigger, bot_turns = self._trigger, self._bot_turns.get(message.channel_id, 0)
        if message.is_direct:
            return decide(message, trigger, bot_turns=bot_turns)
        choice = await self._modes.choice(_binding(message), parent_id=self._parent_of(message))
        decision = decide(message, replace(trigger, mode=choice.mode), bot_turns=bot_turns)
        sleeps_on = decision.verdict is Verdict.ANSWER and not message.mentions_bot
        if sleeps_on and await self._sleep.holds(_binding(message)):
            return Decision(verdict=Verdict.AMBIENT, reason=Reason.ASLEEP)
        return decision

    def _parent_of(self, message: IncomingMessage) -> int | None:
        """Commands and buttons make messages that do not name it."""
        return message.parent_id or self._people.parent_id(message.channel_id)

    def _count(self, message: IncomingMessage, decision: Decision, *, is_new: bool) -> None:
        answers = decision.verdict is Verdict.ANSWER
        if answers and is_new:
            self._limits.let_through(message)
        if message.author.is_bot and answers:
            turns = self._bot_turns.get(message.channel_id, 0)
            self._bot_turns[message.channel_id] = turns + is_new
        elif not (message.author.is_bot or message.from_webhook or message.is_event):
            self._bot_turns.pop(message.channel_id, None)


def _binding(message: IncomingMessage) -> ChannelBinding:
    return ChannelBinding(channel_id=message.channel_id, guild_id=message.guild_id)
