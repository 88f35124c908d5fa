"""Tasks as Discord shows them: news, progress cards, requests for permission, questions."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

from bot.discord_chat.cards.permission_card import PermissionCards
from bot.discord_chat.cards.task_card import TaskCards
from bot.discord_chat.channels import Channels
from bot.discord_chat.client import ParleyClient
from bot.discord_chat.readers import Readers
from bot.discord_chat.sleep import Sleep
from bot.discord_chat.task_news import DiscordTaskNews
from bot.domains.tasks import TaskDisplay
from bot.task_questions import TaskQuestions
from bot.voice_scenes.said_aside import SaidAside
from bot.voice_scenes.task_floor import TaskFloor
from bot.voice_scenes.voice_talks import VoiceTalks
from bot.wiring.core import Core
from bot.wiring.discord_parts import link_policy
from core.orchestration.orchestrator import Orchestrator
from core.orchestration.sends import ReplyPlace, SceneKind, SendOptions
from recipes.tasks.deliveries import TaskAnnouncement, VoiceFloor
from recipes.tasks.permission_rules import PermissionRequest
from recipes.tasks.task import Task


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRooms:
    """Where tasks are told: `place` brings replies; `talks` None: the bot joins no voice channel."""

    core: Core
    client: ParleyClient
    channels: Channels
    readers: Readers
    orchestrator: Orchestrator
    place: ReplyPlace
    talks: VoiceTalks | None
    sleep: Sleep


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskFront:
    """What tells the ends of tasks, what shows how far they are, and what asks for permission."""

    news: TaskAnnouncement
    display: TaskDisplay
    ask: Callable[[PermissionRequest, Task], Awaitable[None]]


TaskAnnouncementFactory = Callable[[TaskRooms], AbstractAsyncContextManager[TaskFront]]
"""The one seam for how tasks are told (TASK-31): a deployment of its own hands in another one."""


@asynccontextmanager
async def task_announcement_factory(rooms: TaskRooms) -> AsyncGenerator[TaskFront]:
    """Results as messages and by voice, one card for each task, permission on cards and by voice."""
    core, talks = rooms.core, rooms.talks
    tasks = core.domains.tasks

    def floor(task: Task, shown: DiscordTaskNews) -> VoiceFloor | None:
        talk = None if talks is None else talks.talk_of(task.request.place.session_id)
        if talk is None:
            return None
        return TaskFloor(talk=talk, clock=core.clock, written=shown.post_heard, sleeps=rooms.sleep.holds)

    news = DiscordTaskNews(
        client=rooms.client,
        channels=rooms.channels,
        readers=rooms.readers,
        sessions=core.stores.sessions,
        history=core.stores.history,
        ledger=tasks.store,
        orchestrator=rooms.orchestrator,
        place=rooms.place,
        links=link_policy(core.settings.text),
        clock=core.clock,
        sleep=rooms.sleep,
        floors=floor,
    )
    permission_cards = PermissionCards(rooms.client, rooms.readers)
    async with (
        TaskQuestions(
            sessions=core.stores.sessions,
            orchestrator=rooms.orchestrator,
            place=rooms.place,
            options=SendOptions(scene=SceneKind.DISCORD),
            permissions=tasks.permissions,
            inputs=tasks.inputs,
            aloud=None if talks is None else SaidAside(talks, rooms.sleep.holds),
            clock=core.clock,
            new_id=core.new_id,
        ) as questions,
        TaskCards(
            client=rooms.client,
            readers=rooms.readers,
            desk=tasks.desk,
            ledger=tasks.store,
            clock=core.clock,
        ) as cards,
    ):

        async def ask(request: PermissionRequest, task: Task) -> None:
            questions.permission(request, task)
            await permission_cards.show(request, task)

        yield TaskFront(news=news, display=cards, ask=ask)


@asynccontextmanager
async def announcing_tasks(
    rooms: TaskRooms, factory: TaskAnnouncementFactory = task_announcement_factory
) -> AsyncGenerator[None]:
    """While the client is there: news, progress and requests go out, as `factory` would have it."""
    tasks = rooms.core.domains.tasks
    async with factory(rooms) as front:
        tasks.permissions.show_by(front.ask)
        try:
            async with tasks.announcing(front.news, front.display, tells=_is_of_discord):
                yield
        finally:
            tasks.permissions.show_by(None)


def _is_of_discord(task: Task) -> bool:
    return task.request.place.channel_id is not None
