"""A small real discord.py client that connects to the fake: for the fake's own tests and for measurements."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import discord
import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route

from tests.fake_discord.server import FakeDiscord


class ProbeClient(discord.Client):
    """Keeps the names of the gateway events it handled and the messages that it got."""

    def __init__(self, *, intents: discord.Intents, connector: aiohttp.BaseConnector, **more: Any) -> None:
        more.setdefault("guild_ready_timeout", 0.05)  # discord.py waits 2 s for more guilds before READY
        super().__init__(intents=intents, connector=connector, **more)
        self.events: list[str] = []
        self.received: list[discord.Message] = []
        self.interactions: asyncio.Queue[discord.Interaction] = asyncio.Queue()

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Identifies again at once; discord.py would wait 5 s."""

    def dispatch(self, event: str, /, *args: Any, **kwargs: Any) -> None:
        self.events.append(event)
        if event == "message":
            self.received.append(args[0])
        elif event == "interaction":
            self.interactions.put_nowait(args[0])
        super().dispatch(event, *args, **kwargs)


def point_at(server: FakeDiscord) -> aiohttp.TCPConnector:
    """Sets discord.py's addresses, which are global, and gives a connector that trusts the fake."""
    Route.BASE = server.api_base_url
    DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(server.gateway_url)
    return aiohttp.TCPConnector(limit=0, ssl=ssl.create_default_context(cafile=server.ca_file))


@asynccontextmanager
async def _own_error() -> AsyncIterator[None]:
    """A single error comes out as itself, not as a group."""
    try:
        yield
    except BaseExceptionGroup as group:
        if len(group.exceptions) == 1:
            raise group.exceptions[0] from None
        raise


@asynccontextmanager
async def connected(
    server: FakeDiscord, *, intents: discord.Intents | None = None, token: str | None = None, **more: Any
) -> AsyncIterator[ProbeClient]:
    """A client that is ready; it ends with the block."""
    base, gateway = Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY
    connector = point_at(server)
    client = ProbeClient(intents=intents or discord.Intents.all(), connector=connector, **more)
    try:
        async with _own_error(), asyncio.TaskGroup() as tasks:
            running = tasks.create_task(client.start(token or server.token))
            ready = tasks.create_task(client.wait_until_ready())
            await asyncio.wait((running, ready), return_when=asyncio.FIRST_COMPLETED)
            if running.done():
                ready.cancel()
            try:
                if not running.done():
                    yield client
            finally:
                await client.close()
    finally:
        await connector.close()
        Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY = base, gateway
