"""Reads the bot's account from Discord's REST API, for the doctor and the invite link.

Plain HTTP, not the client: a look must neither connect to the gateway nor wait for its limits.
"""

import asyncio
import ssl
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import aiohttp
from pydantic import BaseModel, TypeAdapter

from bot.settings import DiscordSettings

GUILDS_READ = 200
"""Discord lists this many servers at once."""


class TokenRefused(Exception):
    """Discord does not know the token (HTTP 401)."""


class DiscordUnreachable(Exception):
    """No usable answer from the API; the message says which."""


class Application(BaseModel):
    """`GET /applications/@me`: what the Developer Portal shows."""

    id: int
    name: str
    flags: int = 0


class Guild(BaseModel):
    """`GET /users/@me/guilds`: a server and the bot's permissions there, apart from channel overwrites."""

    id: int
    name: str
    permissions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """The bot as Discord sees it. `clock_ahead_s`: this machine's clock against Discord's, in seconds."""

    application: Application
    guilds: Sequence[Guild]
    clock_ahead_s: float | None


class DiscordAccount:
    """Asks Discord about the bot whose token the settings hold."""

    def __init__(self, settings: DiscordSettings) -> None:
        self._settings = settings

    async def application(self) -> Application:
        """The application alone.

        Raises: TokenRefused, DiscordUnreachable.
        """
        async with self._connected() as http:
            body, _ = await _get(http, f"{self._settings.api_base_url}/applications/@me")
        return _read(TypeAdapter(Application), body)

    async def account(self) -> Account:
        """Everything that the doctor looks at.

        Raises: TokenRefused, DiscordUnreachable.
        """
        root = self._settings.api_base_url
        async with self._connected() as http:
            application, ahead_s = await _get(http, f"{root}/applications/@me")
            guilds, _ = await _get(http, f"{root}/users/@me/guilds?limit={GUILDS_READ}")
        return Account(
            application=_read(TypeAdapter(Application), application),
            guilds=_read(TypeAdapter(list[Guild]), guilds),
            clock_ahead_s=ahead_s,
        )

    @asynccontextmanager
    async def _connected(self) -> AsyncGenerator[aiohttp.ClientSession]:
        if self._settings.token is None:
            raise TokenRefused
        trust = await asyncio.to_thread(self._trust)
        headers = {
            "Authorization": f"Bot {self._settings.token.get_secret_value()}",
            "User-Agent": "DiscordBot (Parley, 1)",
        }
        connector = aiohttp.TCPConnector(ssl=trust)
        async with aiohttp.ClientSession(connector=connector, headers=headers, trust_env=True) as http:
            yield http

    def _trust(self) -> ssl.SSLContext:
        context = ssl.create_default_context()
        if self._settings.ca_file is not None:
            context.load_verify_locations(self._settings.ca_file)
        return context


async def _get(http: aiohttp.ClientSession, url: str) -> tuple[bytes, float | None]:
    """The body, and how far this machine's clock is ahead of the answer's Date."""
    try:
        async with http.get(url) as response:
            body = await response.read()
    except aiohttp.ClientError as error:
        raise DiscordUnreachable(f"{type(error).__name__} at {http_host(url)}") from error
    if response.status == 401:
        raise TokenRefused
    if response.status != 200:
        raise DiscordUnreachable(f"HTTP {response.status} from {http_host(url)}")
    date = response.headers.get("Date")
    ahead_s = (datetime.now(UTC) - parsedate_to_datetime(date)).total_seconds() if date else None
    return body, ahead_s


def http_host(url: str) -> str:
    """Scheme, host and port of an address, for a message."""
    return "/".join(url.split("/", 3)[:3])


def _read(shape: TypeAdapter[Any], body: bytes) -> Any:
    try:
        return shape.validate_json(body)
    except ValueError as error:
        raise DiscordUnreachable("an answer that is not Discord's") from error
