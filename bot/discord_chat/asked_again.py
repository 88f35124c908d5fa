"""The `MayAskAgain` of people: asking again counts for the same lists and limits as a message does (TEXT-9).

A command, a button or a reaction is no message, so what decides about messages is asked about an empty one.
"""

from typing import Final

from bot.discord_chat.incoming_message import Author, IncomingMessage
from bot.discord_chat.message_decisions import MessageDecisions
from bot.discord_chat.usage_limits import UsageLimits
from core.clock import Clock
from sessions.bindings import ChannelBinding

_NO_MESSAGE: Final = 0


class AskedAgain:
    """Asks the decisions about messages."""

    def __init__(self, messages: MessageDecisions, limits: UsageLimits, clock: Clock) -> None:
        self._messages = messages
        self._limits = limits
        self._clock = clock

    async def may(self, place: ChannelBinding, user_id: int) -> bool:
        """See `MayAskAgain`."""
        asked = IncomingMessage(
            id=_NO_MESSAGE,
            channel_id=place.channel_id,
            guild_id=place.guild_id,
            author=Author(id=user_id, name=""),
            at=self._clock.now(),
            text="",
        )
        if not await self._messages.is_served(asked) or await self._limits.breach(asked) is not None:
            return False
        self._limits.let_through(asked)
        return True
