"""The news of tasks in Discord: the whole result as a message that answers the request, once (TASK-11).

post             into the channel that asked; after a crash what stands there is found again by its nonce
write_directly   to the requester, when the channel is gone
remember         the notice for the conversation; fresh news the bot may comment on, or stay quiet
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Final

import discord
import structlog

from bot.discord_chat.channels import Channels
from bot.discord_chat.delivery_errors import DeliveryError, Unavailable
from bot.discord_chat.incoming_message import message_id_of
from bot.discord_chat.languages import speaking
from bot.discord_chat.mention_rules import LinkPolicy
from bot.discord_chat.readers import Readers
from bot.discord_chat.sleep import Sleep
from bot.discord_chat.task_posts import ResultPosts
from bot.discord_chat.task_result_view import shown_result
from bot.task_notice import news_of
from core.clock import Clock
from core.orchestration.orchestrator import Orchestrator
from core.orchestration.sends import ReplyPlace, SceneKind, Send, SendOptions
from recipes.tasks.deliveries import RoomBusy, RoomGone, VoiceFloor
from recipes.tasks.task import Task, TaskKind
from recipes.tasks.task_store import EffectsLedger
from sessions.bindings import ChannelBinding
from sessions.failures import StaleGeneration
from sessions.history import History
from sessions.outbox_rules import reply_id_for
from sessions.scene import Session, Sessions

_log = structlog.get_logger()
_READY_POLL_S: Final = 0.05
_DIRECT: Final = "direct"


class DiscordTaskNews:
    """The `TaskAnnouncement` of Discord's channels; `floors` gives the talk in a task's scene."""

    def __init__(
        self,
        *,
        client: discord.Client,
        channels: Channels,
        readers: Readers,
        sessions: Sessions,
        history: History,
        ledger: EffectsLedger,
        orchestrator: Orchestrator,
        place: ReplyPlace,
        links: LinkPolicy,
        clock: Clock,
        sleep: Sleep | None = None,
        floors: "Callable[[Task, DiscordTaskNews], VoiceFloor | None]" = lambda _task, _news: None,
    ) -> None:
        self._client = client
        self._channels = channels
        self._readers = readers
        self._sessions = sessions
        self._history = history
        self._ledger = ledger
        self._orchestrator = orchestrator
        self._place = place
        self._links = links
        self._clock = clock
        self._sleep = sleep
        self._floors = floors

    def floor(self, task: Task) -> VoiceFloor | None:
        """See `TaskAnnouncement`; `floors` knows the talks."""
        return self._floors(task, self)

    async def post_heard(self, task: Task) -> None:
        """A result that was heard stands in the chat, too, where that is possible."""
        with suppress(RoomGone, RoomBusy):
            await self.post(task)

    async def post(self, task: Task) -> None:
        """See `TaskAnnouncement`."""
        await self._ready()
        channel_id = task.request.place.channel_id
        if channel_id is None:
            raise RoomGone(task.id)
        await self._readers.meet_in(task.request.place)
        posts = ResultPosts(
            channels=self._channels,
            ledger=self._ledger,
            clock=self._clock,
            task_id=task.id,
            channel_id=int(channel_id),
            question_id=_question_of(task),
            pinged=_pinged(task),
        )
        try:
            with self._readers.speaking(int(channel_id)):
                texts, files = shown_result(task, self._links)
            await posts.bring(texts, files)
        except Unavailable as error:
            raise RoomBusy(task.id) from error
        except DeliveryError as error:
            _log.info("result not posted", task=task.id, error=type(error).__name__)
            raise RoomGone(task.id) from error

    async def write_directly(self, task: Task) -> bool:
        """See `TaskAnnouncement`. What may have arrived before a crash is not written twice."""
        await self._ready()
        requester = task.request.requester.id
        if not requester.isdecimal():
            return False
        effect = await self._ledger.intend(task.id, _DIRECT, self._clock.now())
        if not effect.is_new:
            return effect.receipt is not None
        with speaking(await self._readers.language_of_person(int(requester))):
            texts, files = shown_result(task, self._links)
        try:
            for text in texts[:-1]:
                await self._channels.say_to(int(requester), text)
            await self._channels.say_to(int(requester), texts[-1], files)
        except DeliveryError as error:
            _log.info("result not written directly", task=task.id, error=type(error).__name__)
            return False
        await self._ledger.settle(task.id, _DIRECT, "sent")
        return True

    async def remember(self, task: Task, *, asks: bool) -> None:
        """See `TaskAnnouncement`."""
        session = await self._session(task)
        if session is None:
            return
        turn = news_of(task)
        if asks and session.closed_at is None and not await self._sleeps(task):
            send = Send(
                session_id=session.session_id,
                generation=session.generation,
                reply_id=reply_id_for(task.id.removeprefix("task_")),
                turns=(turn,),
                place=self._place,
                options=SendOptions(scene=SceneKind.DISCORD),
                may_join=False,
            )
            await self._orchestrator.submit(send).outcome()
            return
        try:
            await self._history.append(session.session_id, session.generation, turn)
        except (ValueError, StaleGeneration):
            return  # it stands there already, or was reset in this moment

    async def _sleeps(self, task: Task) -> bool:
        """Where the bot sleeps it says nothing of its own accord (TASK-16)."""
        binding = _binding(task)
        return self._sleep is not None and binding is not None and await self._sleep.holds(binding)

    async def _session(self, task: Task) -> Session | None:
        binding = _binding(task)
        return None if binding is None else await self._sessions.open(binding, self._clock.now())

    async def _ready(self) -> None:
        while not self._client.is_ready():
            await self._clock.sleep(_READY_POLL_S)


def _binding(task: Task) -> ChannelBinding | None:
    place = task.request.place
    if place.channel_id is None:
        return None
    guild_id = None if place.guild_id is None else int(place.guild_id)
    return ChannelBinding(channel_id=int(place.channel_id), guild_id=guild_id)


def _pinged(task: Task) -> int | None:
    """A reminder pings its person; a result pings by what it answers."""
    requester = task.request.requester.id
    return int(requester) if task.kind is TaskKind.REMINDER and requester.isdecimal() else None


def _question_of(task: Task) -> int | None:
    return None if task.request.asked_by is None else message_id_of(task.request.asked_by)
