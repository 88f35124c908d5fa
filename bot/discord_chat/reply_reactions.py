"""Stopping a reply and asking again by a reaction: works on every message, also after a restart (TEXT-6).

    🛑 on a reply that is being written, or on its question: stop
    🔁 on a message of the bot: ask the last question again, when it got no whole answer

Who may is decided as for the commands; a reaction that is not allowed, or fits nothing, does nothing.
"""

import discord
import structlog

from bot.discord_chat.incoming_message import IncomingReaction, turn_id_of
from bot.discord_chat.reply_controls import Asker, ReplyControls
from core.clock import Clock
from core.orchestration.orchestrator import Orchestrator
from sessions.bindings import ChannelBinding
from sessions.outbox import Outbox

_log = structlog.get_logger()
STOP = "🛑"
RETRY = "🔁"
_STOPS = frozenset({STOP, "⏹️", "⏹", "✋"})
_RETRIES = frozenset({RETRY, "🔄", "🔃"})
_LOW_BITS = (1 << 22) - 1


class ReplyReactions:
    """Acts on reactions of people."""

    def __init__(
        self, *, controls: ReplyControls, orchestrator: Orchestrator, outbox: Outbox, clock: Clock
    ) -> None:
        self._controls = controls
        self._orchestrator = orchestrator
        self._outbox = outbox
        self._clock = clock

    async def reacted(self, reaction: IncomingReaction) -> None:
        """Stop, ask again, or nothing."""
        binding = ChannelBinding(channel_id=reaction.channel_id, guild_id=reaction.guild_id)
        asker = Asker(user_id=reaction.user_id, is_manager=reaction.by_manager)
        if reaction.emoji in _STOPS and await self._is_running(binding, reaction.message_id):
            result, _ = await self._controls.stop(binding, asker)
            _log.info("stop asked by reaction", channel=reaction.channel_id, result=result.name)
        elif reaction.emoji in _RETRIES and reaction.on_own_message:
            result = await self._controls.retry(binding, asker, request_id=self._request_id(reaction))
            _log.info("retry asked by reaction", channel=reaction.channel_id, result=result.name)

    async def _is_running(self, binding: ChannelBinding, message_id: int) -> bool:
        running = self._orchestrator.running(binding.session_id)
        if running is None:
            return False
        if turn_id_of(message_id) in {turn.id for turn in running.turns}:
            return True
        pieces = await self._outbox.pieces(running.reply_id)
        return str(message_id) in {piece.message_id for piece in pieces}

    def _request_id(self, reaction: IncomingReaction) -> int:
        """A snowflake of now: reactions have none of their own."""
        return discord.utils.time_snowflake(self._clock.now()) | (reaction.message_id & _LOW_BITS)
