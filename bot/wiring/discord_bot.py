"""settings -> core -> Discord: text, voice, commands and tasks on one client, from start to clean end."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

from bot.discord_chat.addresses import DiscordAddresses
from bot.discord_chat.cdn import Cdn
from bot.discord_chat.client import ConnectionRefused, ParleyClient, stay_connected
from bot.discord_chat.scene_facts import DiscordDirectory
from bot.settings import Settings
from bot.settled_heap import settle_heap
from bot.settled_work import forget_settled_daily
from bot.speech_services import SpeechServices
from bot.wiring.core import Core, running_core
from bot.wiring.discord_commands import add_commands
from bot.wiring.discord_parts import discord_parts
from bot.wiring.discord_text import discord_chat, reply_controls
from bot.wiring.signals import stop_on_signals
from bot.wiring.talk import running_talks
from bot.wiring.tasks import (
    TaskAnnouncementFactory,
    TaskRooms,
    announcing_tasks,
    task_announcement_factory,
)
from core.failures import Failure
from core.orchestration.orchestrator import Orchestrator

_GRACE_S = 8.0


async def run_discord(settings: Settings) -> int:
    """Run the Discord bot until a signal; returns the exit code.

    Raises:
        Failure: Discord refuses the bot, or a part cannot start; one sentence says what to do.
    """
    stopping = asyncio.Event()
    stop_on_signals(stopping)  # before anything is begun that a stop must end in order
    async with running_discord(settings, stopping):
        settle_heap()
        await stopping.wait()
    return 0


@asynccontextmanager
async def running_discord(
    settings: Settings,
    stopping: asyncio.Event,
    *,
    grace_s: float = _GRACE_S,
    speech: SpeechServices | None = None,
    task_announcement_factory: TaskAnnouncementFactory = task_announcement_factory,
) -> AsyncGenerator[Core]:
    """The Discord bot, connecting. `stopping` is set when the connection ends by itself.

    The end of the block lets running replies finish for `grace_s` seconds, cuts the others so that the next
    start goes on with them, and closes all parts in order: no reply outlives the client that posts it.
    `speech` stands in for the speech services that the settings name, `task_announcement_factory` for how
    tasks are told.

    Raises:
        Failure: a part cannot start; or, at the end of the block, Discord has refused the bot.
    """
    token = settings.discord.token
    if token is None:
        raise Failure("Set DISCORD_TOKEN.", reason="no token")
    async with (
        running_core(settings, for_console=False) as core,
        ParleyClient(_addresses(settings)) as client,
        Cdn(_addresses(settings)) as cdn,
        asyncio.TaskGroup() as tasks,
    ):
        parts = await discord_parts(core, client, cdn)
        directory = DiscordDirectory(client, time_zone="UTC")
        async with (
            core.running_orchestrator(directory, parts.extras, parts.room) as running,
            running_talks(parts, running, services=speech) as talks,
        ):
            orchestrator = running.orchestrator
            controls = reply_controls(parts, orchestrator, talks)
            chat = discord_chat(parts, orchestrator, controls)
            client.attach(chat)
            add_commands(parts, orchestrator, controls, chat.scenes)
            connection = tasks.create_task(_connected(client, token.get_secret_value(), stopping))
            forgetting = tasks.create_task(forget_settled_daily(core.retentions, core.clock))
            rooms = TaskRooms(
                core=core,
                client=client,
                channels=parts.channels,
                readers=parts.readers,
                orchestrator=orchestrator,
                place=parts.place,
                talks=talks,
                sleep=parts.decides.sleep,
            )
            async with announcing_tasks(rooms, task_announcement_factory):
                yield core
            await client.detach()
            if not connection.done():
                await _finish_replies(orchestrator, grace_s)
        forgetting.cancel()
        await client.close()
        connection.cancel()
        await asyncio.wait([connection])
        refused = None if connection.cancelled() else connection.result()
    if refused is not None:
        raise refused


async def _connected(client: ParleyClient, token: str, stopping: asyncio.Event) -> Failure | None:
    """Stay connected; an end of the connection, for whatever reason, ends the run."""
    try:
        await stay_connected(client, token)
    except ConnectionRefused as refused:
        return refused
    finally:
        stopping.set()
    return None


async def _finish_replies(orchestrator: Orchestrator, grace_s: float) -> None:
    """Let running replies end within the time that a stop may take (SET-3); the rest resumes next time."""
    with suppress(TimeoutError):
        async with asyncio.timeout(grace_s):
            await orchestrator.drained()


def _addresses(settings: Settings) -> DiscordAddresses:
    discord = settings.discord
    return DiscordAddresses(
        api_base_url=discord.api_base_url, gateway_url=discord.gateway_url, ca_file=discord.ca_file
    )
