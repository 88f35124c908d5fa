"""What the news of tasks needs of Discord."""

from bot.discord_chat.channels import Channels
from bot.discord_chat.client import ParleyClient
from bot.discord_chat.task_news import DiscordTaskNews
from bot.wiring.core import Core
from core.orchestration.orchestrator import Orchestrator
from core.orchestration.sends import ReplyPlace


def task_news(
    core: Core, client: ParleyClient, channels: Channels, orchestrator: Orchestrator, place: ReplyPlace
) -> DiscordTaskNews:
    """The announcement of tasks in text channels (TASK-31: the one place that chooses it)."""
    return DiscordTaskNews(
        client=client,
        channels=channels,
        sessions=core.stores.sessions,
        history=core.stores.history,
        ledger=core.domains.tasks.store,
        orchestrator=orchestrator,
        place=place,
        clock=core.clock,
    )
