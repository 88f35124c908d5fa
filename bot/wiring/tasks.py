"""Tasks as Discord shows them: news, progress cards, requests for permission."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from bot.discord_chat.cards.permission_card import PermissionCards
from bot.discord_chat.cards.task_card import TaskCards
from bot.discord_chat.channels import Channels
from bot.discord_chat.client import ParleyClient
from bot.discord_chat.task_news import DiscordTaskNews
from bot.voice_scenes.task_floor import TaskFloor
from bot.voice_scenes.voice_talks import VoiceTalks
from bot.wiring.core import Core
from core.orchestration.orchestrator import Orchestrator
from core.orchestration.sends import ReplyPlace
from recipes.tasks.deliveries import VoiceFloor
from recipes.tasks.task import Task


@asynccontextmanager
async def announcing_tasks(
    core: Core,
    client: ParleyClient,
    channels: Channels,
    orchestrator: Orchestrator,
    place: ReplyPlace,
    talks: VoiceTalks | None,
) -> AsyncGenerator[None]:
    """While the client is there: news and progress go out. The one place that chooses how (TASK-31)."""
    tasks = core.domains.tasks

    def floor(task: Task, shown: DiscordTaskNews) -> VoiceFloor | None:
        talk = None if talks is None else talks.talk_of(task.request.place.session_id)
        if talk is None:
            return None
        return TaskFloor(talk=talk, clock=core.clock, written=shown.post_heard)

    news = DiscordTaskNews(
        client=client,
        channels=channels,
        sessions=core.stores.sessions,
        history=core.stores.history,
        ledger=tasks.store,
        orchestrator=orchestrator,
        place=place,
        clock=core.clock,
        floors=floor,
    )
    tasks.permissions.show_by(PermissionCards(client, tasks.permissions).show)
    async with (
        TaskCards(client=client, desk=tasks.desk, ledger=tasks.store, clock=core.clock) as cards,
        tasks.announcing(news, cards),
    ):
        yield
