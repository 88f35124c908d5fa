"""Where Discord is: the only place that reaches into discord.py for its addresses (SET-4).

discord.py keeps them on classes, so they hold for the process. They are set once, before the client logs in.
"""

import ssl
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import discord
import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscordAddresses:
    """`gateway_url` None: the gateway that the API names. `ca_file`: one more certificate to trust."""

    api_base_url: str
    gateway_url: str | None = None
    ca_file: Path | None = None

    def connector(self) -> aiohttp.TCPConnector:
        """Connections for REST and gateway; made inside the running loop."""
        trust = self.trust()
        return aiohttp.TCPConnector(limit=0) if trust is None else aiohttp.TCPConnector(limit=0, ssl=trust)

    def trust(self) -> ssl.SSLContext | None:
        """Whom to trust, for voice servers too; None: whom everybody trusts."""
        if self.ca_file is None:
            return None
        trust = ssl.create_default_context()
        trust.load_verify_locations(cafile=self.ca_file)
        return trust

    def use_api(self) -> None:
        """Send every REST request to `api_base_url`."""
        Route.BASE = self.api_base_url

    async def use_gateway(self, client: discord.AutoShardedClient) -> None:
        """Connect to `gateway_url`; the number of shards is still what the API recommends."""
        if self.gateway_url is None:
            return
        DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(self.gateway_url)
        if not client.shard_count:
            client.shard_count, _, _ = await client.http.get_bot_gateway()
