"""What the room said without addressing the bot, as context of its scene (SCENE-4, SCENE-7).

Data, never instructions; bounded; edits and deletions are followed. On the first message in a channel since
the start, and again after a gap in what was told, the latest messages are read from Discord, whose history is
the truth: a restart forgets nothing. What is a turn of the scene, or was forgotten by a reset, is no context.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeAlias

import structlog

from bot.discord_chat.channels import Channels, DeliveryError
from bot.discord_chat.incoming_message import IncomingMessage, message_id_of, turn_id_of
from bot.discord_chat.message_words import all_words
from core.conversation.turns import Authority, Conversation, Speaker, SystemTurn, UserTurn
from core.prompts.user_messages import minute, speaker_label
from sessions.ambient import AmbientContext, AmbientMessage
from sessions.bindings import ChannelBinding
from sessions.scene import Session

_log = structlog.get_logger()
_BACKFILL_PATIENCE_S = 3.0
_LONGEST_TEXT = 600
_WRITER = "the room"
_HEADING = "Said in this room lately, not to you:"


IsServed: TypeAlias = Callable[[IncomingMessage], Awaitable[bool]]
"""Whether the owner's lists let the bot hear this person there (TEXT-9)."""


class RoomContext:
    """The latest messages of each channel. `backfill` is how many are read on entering one; 0 reads none."""

    def __init__(
        self, *, ambient: AmbientContext, channels: Channels, backfill: int, is_served: IsServed
    ) -> None:
        self._ambient = ambient
        self._channels = channels
        self._backfill = backfill
        self._is_served = is_served
        self._entered: set[int] = set()

    def heard(self, message: IncomingMessage) -> None:
        """A message that is not answered."""
        self._ambient.heard(_session_of(message.channel_id), _ambient_message(message))

    def answered(self, message: IncomingMessage) -> None:
        """A message became a turn of the scene, so it is no context any more."""
        self._ambient.removed(_session_of(message.channel_id), message.id)

    def edited(self, message: IncomingMessage) -> None:
        """Follow an edit."""
        edited = _ambient_message(message)
        self._ambient.edited(_session_of(message.channel_id), message.id, edited.text)

    def removed(self, channel_id: int, message_id: int) -> None:
        """Follow a deletion."""
        self._ambient.removed(_session_of(channel_id), message_id)

    def forget(self, channel_id: int) -> None:
        """The scene was reset or is gone; what was said before stays forgotten."""
        self._ambient.forget(_session_of(channel_id))

    def lost_touch(self) -> None:
        """Something may have been said unheard: every channel is read again when it is entered next."""
        self._entered.clear()

    async def enter(self, question: IncomingMessage, session: Session) -> None:
        """Read what stands before `question`, the first time in each channel; never fails."""
        channel_id = question.channel_id
        if self._backfill == 0 or question.is_direct or channel_id in self._entered:
            return
        self._entered.add(channel_id)
        try:
            async with asyncio.timeout(_BACKFILL_PATIENCE_S):
                messages = await self._channels.messages_before(
                    channel_id, question.id, limit=self._backfill, guild_id=question.guild_id
                )
        except (DeliveryError, TimeoutError) as error:
            _log.info("room not read", channel=channel_id, error=type(error).__name__)
            return
        for message in self._channels.read(messages):
            if _may_be_context(message, session) and await self._is_served(message):
                self.heard(message)

    def turns(self, conversation: Conversation, said_now: tuple[UserTurn, ...]) -> tuple[SystemTurn, ...]:
        """One turn of context with what was said before `said_now` and is no turn; none where nothing was."""
        known = {turn.id for turn in conversation.turns}
        ids = [message_id for turn in said_now if (message_id := message_id_of(turn.id)) is not None]
        before = self._ambient.recent(conversation.id, before=min(ids, default=None))
        recent = [message for message in before if turn_id_of(message.message_id) not in known]
        if not recent:
            return ()
        lines = [_HEADING, *(_line(message) for message in recent)]
        return (
            SystemTurn(
                id=f"room:{recent[-1].message_id}",
                authority=Authority.CONTEXT,
                text="\n".join(lines),
                writer=_WRITER,
            ),
        )


def _may_be_context(message: IncomingMessage, session: Session) -> bool:
    """As live messages: nothing of bots, this one included, and nothing that a reset has forgotten."""
    from_program = message.from_webhook or message.author.is_bot
    return not from_program and (session.reset_at is None or message.at > session.reset_at)


def _session_of(channel_id: int) -> str:
    return ChannelBinding(channel_id=channel_id).session_id


def _ambient_message(message: IncomingMessage) -> AmbientMessage:
    return AmbientMessage(
        message_id=message.id,
        speaker=Speaker(id=str(message.author.id), name=message.author.name),
        at=message.at,
        text=all_words(message)[:_LONGEST_TEXT],
    )


def _line(message: AmbientMessage) -> str:
    """One message on one line, so that none can be taken for two."""
    return f"({minute(message.at)}) {speaker_label(message.speaker)}: {' '.join(message.text.split())}"
