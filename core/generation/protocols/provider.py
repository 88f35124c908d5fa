"""One endpoint under one key: its address, its headers, and its connections, which are kept and used again.

All of it is made once. The protocols need a key, an address and a stream of bytes, so there is no SDK here
(decision 20).

A server may close a kept connection while the next request is on its way to it. Neither side is at fault and
nothing was answered, so that request, and no other, goes out once more on a connection of its own (CORE-14).
"""

import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self
from urllib.request import getproxies, proxy_bypass

import aiohttp
from multidict import CIMultiDict
from yarl import URL

from core.generation.requests import ModelEndpoint
from core.this_machine import is_this_machine

_SENT_WITH_ALL = {"Accept": "application/json", "Content-Type": "application/json", "User-Agent": "Parley"}
_PROXY_SCHEMES = ("http", "https")
_LONGEST_FIELD = 64 * 1024  # of an answer's head; cookies and policies of gateways are long


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where a provider is and how it is reached. Made on a thread: reading certificates blocks."""

    base_url: URL
    headers: Mapping[str, str]
    proxy: str | None
    certificates: ssl.SSLContext | None

    @classmethod
    def of(cls, endpoint: ModelEndpoint) -> Self:
        """Connect to nothing yet.

        Raises:
            ValueError: the address or the key cannot be sent, or the proxy cannot be used.
        """
        base_url = URL(endpoint.base_url)
        if base_url.scheme not in ("http", "https") or not base_url.host or not base_url.port:
            raise ValueError("no address of a server")
        headers = dict(_SENT_WITH_ALL)
        if endpoint.api_key:
            headers["Authorization"] = f"Bearer {endpoint.api_key}".encode("ascii").decode()
        has_tls = base_url.scheme == "https"
        return cls(
            base_url=base_url,
            headers=headers,
            proxy=_proxy_for(base_url),
            # Without TLS there is nothing to check, and reading the system's certificates takes 0.1 s.
            certificates=ssl.create_default_context() if has_tls else None,
        )


class Provider:
    """Belongs to the running loop, which it is made in."""

    def __init__(self, address: Address, timeout: aiohttp.ClientTimeout) -> None:
        self._address = address
        self._kept = _session(address, timeout, keeps=True)
        self._unkept = _session(address, timeout, keeps=False)
        self._urls: dict[str, URL] = {}

    async def aclose(self) -> None:
        """Close every connection; requests that run fail."""
        await self._kept.close()
        await self._unkept.close()

    async def post(self, path: str, body: str, headers: Mapping[str, str]) -> aiohttp.ClientResponse:
        """The response with its body still to come, whatever its status.

        Raises:
            aiohttp.ClientError, TimeoutError: no response came, on a connection made for this request.
        """
        content, connecting = body.encode(), _Connecting()
        try:
            return await self._send(self._kept, path, content, headers, connecting)
        except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError) as error:
            if connecting.has_begun or _was_answered(error):
                raise
        return await self._send(self._unkept, path, content, headers, connecting)

    async def _send(
        self,
        session: aiohttp.ClientSession,
        path: str,
        content: bytes,
        headers: Mapping[str, str],
        connecting: "_Connecting",
    ) -> aiohttp.ClientResponse:
        # As headers of the session a proxy would see them, too, the key among them.
        sent = CIMultiDict(self._address.headers)
        sent.update(headers)
        return await session.post(
            self._url(path),
            data=content,
            headers=sent,
            proxy=self._address.proxy,
            allow_redirects=False,  # where it leads was not what the owner wrote
            trace_request_ctx=connecting,
        )

    def _url(self, path: str) -> URL:
        if path not in self._urls:
            base_url = self._address.base_url
            whole = f"{base_url.raw_path.rstrip('/')}/{path.lstrip('/')}"
            self._urls[path] = base_url.with_path(whole, encoded=True, keep_query=True)
        return self._urls[path]


@dataclass(slots=True)
class _Connecting:
    """Whether a request had a connection made for it."""

    has_begun: bool = field(default=False)


def _session(address: Address, timeout: aiohttp.ClientTimeout, *, keeps: bool) -> aiohttp.ClientSession:
    tracing = aiohttp.TraceConfig()
    tracing.on_connection_create_start.append(_note_connection)
    connector = aiohttp.TCPConnector(
        limit=0, force_close=not keeps, ssl=address.certificates or True, enable_cleanup_closed=False
    )
    return aiohttp.ClientSession(
        connector=connector,
        timeout=timeout,
        max_line_size=_LONGEST_FIELD,
        max_field_size=_LONGEST_FIELD,
        cookie_jar=aiohttp.DummyCookieJar(),
        trace_configs=[tracing],
    )


async def _note_connection(
    _session: aiohttp.ClientSession,
    context: object,
    _parameters: aiohttp.TraceConnectionCreateStartParams,
) -> None:
    connecting = getattr(context, "trace_request_ctx", None)
    if isinstance(connecting, _Connecting):
        connecting.has_begun = True


def _was_answered(error: aiohttp.ClientError) -> bool:
    """A connection that closed in the middle of an answer's head tells what came of it."""
    return isinstance(error, aiohttp.ServerDisconnectedError) and not isinstance(error.message, str)


def _proxy_for(url: URL) -> str | None:
    """That of the environment; a server on this machine is not behind it.

    Raises:
        ValueError: it is of a kind that is not spoken here, such as SOCKS.
    """
    host = url.host
    if host is None or is_this_machine(host) or proxy_bypass(host) or proxy_bypass(f"{host}:{url.port}"):
        return None
    proxies = getproxies()
    proxy = proxies.get(url.scheme) or proxies.get("all")
    if not proxy:
        return None
    proxy = proxy if "://" in proxy else f"http://{proxy}"
    scheme = proxy.partition("://")[0].lower()
    if scheme not in _PROXY_SCHEMES:
        raise ValueError(f"the environment names a {scheme} proxy, and only HTTP ones can be used")
    return proxy
