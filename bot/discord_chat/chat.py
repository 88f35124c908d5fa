"""What the bot does with what Discord tells it: the `ChatListener` of the text road.

What is told of one message is heard in its order: one that is deleted or changed while it is still decided
about is accepted first, and then taken back or answered as it reads now.
"""

import asyncio
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from weakref import WeakValueDictionary

import structlog

from bot.discord_chat.incoming_message import IncomingMessage, IncomingReaction
from bot.discord_chat.latest_edits import LatestEdits
from bot.discord_chat.missed_messages import MissedMessages, Place
from bot.discord_chat.reply_reactions import ReplyReactions
from bot.discord_chat.room_context import RoomContext
from bot.discord_chat.text_scenes import TextScenes
from core.clock import Clock
from sessions.bindings import ChannelBinding
from sessions.scene import Sessions

_log = structlog.get_logger()
_MOST_DIRECT = 50
_PLACES_AT_ONCE = 8


class DiscordChat:
    """Hears live messages at once, and looks back whenever a gateway session begins anew."""

    def __init__(
        self,
        *,
        scenes: TextScenes,
        room: RoomContext,
        missed: MissedMessages,
        reactions: ReplyReactions,
        sessions: Sessions,
        clock: Clock,
        answer_missed_within: timedelta,
    ) -> None:
        self._scenes = scenes
        self._room = room
        self._missed = missed
        self._reactions = reactions
        self._sessions = sessions
        self._clock = clock
        self._answer_missed_within = answer_missed_within
        self._order: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()
        self._edits = LatestEdits()
        self._catching_up = asyncio.Lock()
        self._resumed = False

    @property
    def scenes(self) -> TextScenes:
        """Where what was heard goes on."""
        return self._scenes

    async def message_written(self, message: IncomingMessage) -> None:
        """See `ChatListener`."""
        async with self._order_of(message.id):
            await self._scenes.hear(message)

    async def message_deleted(self, channel_id: int, message_id: int) -> None:
        """What waits is taken back (TEXT-6), what was overheard is forgotten (SCENE-4)."""
        async with self._order_of(message_id):
            self._room.removed(channel_id, message_id)
            await self._scenes.withdraw(channel_id, message_id)

    async def message_edited(self, message: IncomingMessage) -> None:
        """What was overheard follows its author's edits (SCENE-4), and so does a reply (TEXT-6)."""
        async with self._order_of(message.id):
            self._room.edited(message)
            if self._edits.is_new(message):
                await self._scenes.edited(message)

    async def reacted(self, reaction: IncomingReaction) -> None:
        """Stop a reply, or ask again (TEXT-6)."""
        await self._reactions.reacted(reaction)

    async def channel_deleted(self, channel_id: int) -> None:
        """The scene is over (SCENE-2)."""
        self._room.forget(channel_id)
        await self._scenes.close(channel_id)

    async def session_began(self) -> None:
        """Take up what was left unfinished, then look back in every place, and let live messages pass."""
        self._room.lost_touch()
        async with self._catching_up:
            try:
                if not self._resumed:
                    await self._scenes.resume()
                    self._resumed = True
                places = self._missed.places(self._since(), direct_channels=await self._direct_channels())
                await self._look_back(places)
            finally:
                self._scenes.release()

    async def guild_came(self, guild_id: int) -> None:
        """Bring back what was missed in this server while it could not be seen."""
        self._room.lost_touch()
        async with self._catching_up:
            await self._look_back(self._missed.places(self._since(), guild_id=guild_id))

    def _order_of(self, message_id: int) -> asyncio.Lock:
        return self._order.setdefault(message_id, asyncio.Lock())

    def _since(self) -> datetime:
        return self._clock.now() - self._answer_missed_within

    async def _look_back(self, places: Iterable[Place]) -> None:
        if not self._answer_missed_within:
            return
        asked_at_once = asyncio.Semaphore(_PLACES_AT_ONCE)
        async with asyncio.TaskGroup() as tasks:
            looks = [tasks.create_task(self._look_back_in(place, asked_at_once)) for place in places]
            await asyncio.sleep(0)  # from here on each of them holds the order of its channel
            self._scenes.release()
        _log.info("looked back", places=len(looks))

    async def _look_back_in(self, place: Place, asked_at_once: asyncio.Semaphore) -> None:
        async def missed() -> Sequence[IncomingMessage]:
            async with asked_at_once:
                return await self._missed.unanswered(place, self._since())

        try:
            await self._scenes.catch_up(place.channel_id, missed)
        except Exception:  # noqa: BLE001 - one place that cannot be read hides no other
            _log.exception("place not looked back in", channel=place.channel_id)

    async def _direct_channels(self) -> list[int]:
        return [
            session.binding.channel_id
            for session in await self._sessions.direct(_MOST_DIRECT)
            if isinstance(session.binding, ChannelBinding)
        ]
