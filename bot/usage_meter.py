"""Counts what each reply took: for who asked, for the channel, for the server, and in all (TEXT-9).

A reply to several people counts for each of them in equal parts. One that was stopped is estimated, since no
provider tells what it took; one that failed counts nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bot.tokens_beside import Served
from core.clock import Clock
from core.context.token_estimates import raw_conversation_tokens, raw_turn_tokens
from core.conversation.turns import AssistantTurn, Turn, Usage, UserTurn
from core.orchestration.hooks import Hooks, ReplyDelivered, RunInterrupted
from sessions.bindings import Binding, ChannelBinding, read_binding
from sessions.history import History
from sessions.scene import Sessions
from sessions.usage import Consumed, UsageCounts, UsageKind, UsageScope

_LOOKED_AT: Final = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """Of the deployment's model, for a million tokens; a millionth of it is the price of one in micros."""

    read: float = 0.0
    written: float = 0.0

    def of(self, read: int, written: int) -> Consumed:
        """What so many tokens are and cost."""
        cost_micros = round(read * self.read + written * self.written)
        return Consumed(tokens=read + written, cost_micros=cost_micros)


class UsageMeter:
    """Hears of replies that are over. `context_tokens`: more than this no estimate reads at once."""

    def __init__(
        self,
        *,
        history: History,
        sessions: Sessions,
        counts: UsageCounts,
        prices: Prices,
        context_tokens: int,
        clock: Clock,
    ) -> None:
        self._history = history
        self._sessions = sessions
        self._counts = counts
        self._prices = prices
        self._context_tokens = context_tokens
        self._clock = clock

    def listen(self, hooks: Hooks) -> None:
        """Count from now on."""
        hooks.subscribe(ReplyDelivered, self._over)
        hooks.subscribe(RunInterrupted, self._over)

    async def _over(self, event: ReplyDelivered | RunInterrupted) -> None:
        window = await self._history.window(event.session_id, _LOOKED_AT)
        turns = [stored.turn for stored in window.turns]
        places = [
            place
            for place, turn in enumerate(turns)
            if isinstance(turn, AssistantTurn) and turn.run_id == event.run_id
        ]
        if not places:
            return
        before, reply = turns[: places[-1]], turns[places[-1]]
        consumed = self._consumed(reply, before)
        session = await self._sessions.open(read_binding(event.session_id), self._clock.now())
        counts = _shared(consumed, session.binding, _askers(before))
        await self._counts.add(self._clock.now().date(), counts)

    async def spent_beside(self, served: Served, usages: Sequence[Usage]) -> None:
        """What requests took that are no reply: for the channel and its server, for a person who asked."""
        consumed = self._prices.of(
            sum(usage.input_tokens for usage in usages), sum(usage.output_tokens for usage in usages)
        )
        session = await self._sessions.open(read_binding(served.session_id), self._clock.now())
        counts = _shared(consumed, session.binding, () if served.person is None else (served.person,))
        await self._counts.add(self._clock.now().date(), counts)

    def _consumed(self, reply: Turn, before: Sequence[Turn]) -> Consumed:
        usages = [one.usage for one in reply.rounds] if isinstance(reply, AssistantTurn) else []
        known = [usage for usage in usages if usage is not None]
        if known:
            return self._prices.of(
                sum(usage.input_tokens for usage in known), sum(usage.output_tokens for usage in known)
            )
        read = min(raw_conversation_tokens(before), self._context_tokens)
        return self._prices.of(read, raw_turn_tokens(reply))


def _askers(before: Sequence[Turn]) -> list[str]:
    """Who wrote what stands directly before the reply, each once."""
    askers: dict[str, None] = {}
    for turn in reversed(before):
        if not isinstance(turn, UserTurn):
            break
        if turn.speaker is not None:
            askers.setdefault(turn.speaker.id)
    return list(askers)


def _shared(consumed: Consumed, binding: Binding, askers: Sequence[str]) -> dict[UsageScope, Consumed]:
    counts = {UsageScope(kind=UsageKind.ALL): consumed}
    if isinstance(binding, ChannelBinding):
        counts[UsageScope(kind=UsageKind.CHANNEL, id=str(binding.channel_id))] = consumed
        if binding.guild_id is not None:
            counts[UsageScope(kind=UsageKind.GUILD, id=str(binding.guild_id))] = consumed
    for asker in askers:
        share = Consumed(
            tokens=-(-consumed.tokens // len(askers)), cost_micros=-(-consumed.cost_micros // len(askers))
        )
        counts[UsageScope(kind=UsageKind.USER, id=asker)] = share
    return counts
