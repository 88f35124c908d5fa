"""The `Admissions` of talks: speech counts for the same lists and limits as messages do (TEXT-9).

Trigger modes are for messages; when speech is meant for the bot is the voice mode's business. Where the bot
sleeps, speech is overheard, until a message mentions it (TASK-16).
"""

from datetime import datetime
from typing import Final

from bot.discord_chat.incoming_message import Author, IncomingMessage
from bot.discord_chat.message_decisions import MessageDecisions
from bot.discord_chat.sleep import Sleep
from bot.discord_chat.usage_limits import UsageLimits
from bot.voice_scenes.admissions import Admission, Admitted
from core.conversation.turns import Speaker
from sessions.bindings import ChannelBinding

_NO_MESSAGE: Final = 0


class SpokenDecisions:
    """Asks the decisions about messages."""

    def __init__(self, messages: MessageDecisions, limits: UsageLimits, sleep: Sleep) -> None:
        self._messages = messages
        self._limits = limits
        self._sleep = sleep

    async def foresee(self, place: ChannelBinding, speaker: Speaker, at: datetime) -> Admitted:
        """See `Admissions`."""
        said = _as_message(place, speaker, at)
        if not await self._messages.is_served(said):
            return Admitted.IGNORED
        if await self._sleep.holds(place):
            return Admitted.OVERHEARD
        return Admitted.ANSWERED if await self._limits.breach(said) is None else Admitted.OVERHEARD

    async def decide(self, place: ChannelBinding, speaker: Speaker, at: datetime) -> Admission:
        """See `Admissions`."""
        said = _as_message(place, speaker, at)
        if not await self._messages.is_served(said):
            return Admission(admitted=Admitted.IGNORED)
        if await self._sleep.holds(place):
            return Admission(admitted=Admitted.OVERHEARD)
        breach = await self._limits.breach(said)
        if breach is not None:
            return Admission(admitted=Admitted.OVERHEARD, notice=self._limits.notice(breach))
        self._limits.let_through(said)
        return Admission(admitted=Admitted.ANSWERED)


def _as_message(place: ChannelBinding, speaker: Speaker, at: datetime) -> IncomingMessage:
    return IncomingMessage(
        id=_NO_MESSAGE,
        channel_id=place.channel_id,
        guild_id=place.guild_id,
        author=Author(id=int(speaker.id), name=speaker.name),
        at=at,
        text="",
    )
