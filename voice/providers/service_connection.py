"""The way to one speech service over HTTP or a websocket: address, key, one pool of connections."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import aiohttp

from core.this_machine import is_this_machine

_CONNECT_S = 10.0
_LONGEST_MESSAGE = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceAddress:
    """Where a service is. `base_url` has no slash at its end; `headers` hold the key, if there is one."""

    base_url: str
    headers: dict[str, str] = field(default_factory=dict[str, str], repr=False)
    silence_s: float = 15.0
    """How long it may say nothing while it is waited for."""


@asynccontextmanager
async def service_session(address: ServiceAddress) -> AsyncGenerator[aiohttp.ClientSession]:
    """Connections that are shared until the block ends.

    Reading has no timeout here, since each adapter counts what it waits for. A server on this machine is not
    behind the proxy of the environment.
    """
    timeout = aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_S)
    on_this_machine = is_this_machine(urlsplit(address.base_url).hostname)
    async with aiohttp.ClientSession(
        headers=address.headers, timeout=timeout, trust_env=not on_this_machine
    ) as session:
        yield session


def websocket_url(address: ServiceAddress, path: str) -> str:
    """The same host by websocket."""
    scheme, _, rest = address.base_url.partition("://")
    return f"{'ws' if scheme == 'http' else 'wss'}://{rest}{path}"


async def websocket(
    session: aiohttp.ClientSession, url: str, params: dict[str, str]
) -> aiohttp.ClientWebSocketResponse:
    """An open websocket; raises what aiohttp raises."""
    return await session.ws_connect(
        url, params=params, max_msg_size=_LONGEST_MESSAGE, heartbeat=20, autoclose=True
    )
