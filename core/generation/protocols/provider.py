"""One endpoint under one key: its address, its headers, and its connections, which are kept and used again.

Both are made once. The protocols need a key, an address and a stream of bytes, so there is no SDK here: its
types alone took a second of the start, and its way to a request half of the request's price.

A server may close a kept connection while the next request is on its way to it. Neither side is at fault and
nothing was answered, so that request, and no other, goes out once more on a connection of its own (CORE-14).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Self

import httpx2

from core.generation.requests import ModelEndpoint

_SENT_WITH_ALL = {"Accept": "application/json", "Content-Type": "application/json", "User-Agent": "Parley"}
_THIS_MACHINE = {"127.0.0.1", "::1", "localhost"}
_LAST_PORT = 65535
_KEPT = httpx2.Limits(max_connections=1000, max_keepalive_connections=100)
_NEVER_KEPT = httpx2.Limits(max_connections=1000, max_keepalive_connections=0)


@dataclass(slots=True, kw_only=True)
class Provider:
    """`base_url` ends with a slash; `unkept` closes each connection after its request."""

    base_url: httpx2.URL
    headers: httpx2.Headers
    kept: httpx2.AsyncClient
    unkept: httpx2.AsyncClient
    addresses: dict[str, httpx2.URL] = field(default_factory=dict[str, httpx2.URL])

    @classmethod
    def at(cls, endpoint: ModelEndpoint, timeout: httpx2.Timeout) -> Self:
        """Connect to nothing yet; reads the certificates of the system where TLS is used, which blocks."""
        kept, unkept = _transports(endpoint.base_url, timeout)
        headers = httpx2.Headers(_SENT_WITH_ALL)
        if endpoint.api_key:
            headers["Authorization"] = f"Bearer {endpoint.api_key}"
        base_url = httpx2.URL(endpoint.base_url.rstrip("/") + "/")
        return cls(base_url=base_url, headers=headers, kept=kept, unkept=unkept)

    async def aclose(self) -> None:
        """Close every connection; requests that run fail."""
        await self.kept.aclose()
        await self.unkept.aclose()

    async def post(self, path: str, body: str, headers: Mapping[str, str]) -> httpx2.Response:
        """The response with its body still to come, whatever its status.

        Raises:
            httpx2.HTTPError: no response came, on a connection made for this request.
        """
        trace = _RequestTrace()
        request = self._request(path, body, headers)
        request.extensions["trace"] = trace
        try:
            return await self.kept.send(request, stream=True)
        except (httpx2.RemoteProtocolError, httpx2.NetworkError):
            if trace.has_connected or trace.has_been_answered:
                raise
        return await self.unkept.send(self._request(path, body, headers), stream=True)

    def _request(self, path: str, body: str, headers: Mapping[str, str]) -> httpx2.Request:
        request = httpx2.Request("POST", self._address(path), headers=self.headers, content=body.encode())
        request.headers.update(headers)
        return request

    def _address(self, path: str) -> httpx2.URL:
        if path not in self.addresses:
            whole = self.base_url.raw_path + path.lstrip("/").encode()
            self.addresses[path] = self.base_url.copy_with(raw_path=whole)
        return self.addresses[path]


@dataclass(slots=True)
class _RequestTrace:
    """What the transport did for one request: its `trace` extension calls this at each step."""

    has_connected: bool = False
    has_been_answered: bool = False

    async def __call__(self, event: str, details: Mapping[str, object]) -> None:
        if event.endswith(".connect_tcp.started"):
            self.has_connected = True
        elif event.endswith(".receive_response_headers.failed"):
            # A closed connection has no cause before this; bytes that are no HTTP have the parser's error.
            error = details["exception"]
            self.has_been_answered = isinstance(error, BaseException) and _is_from_parser(error)


def _is_from_parser(error: BaseException) -> bool:
    return error.__cause__ is not None and type(error.__cause__).__module__.startswith("h11")


def _transports(base_url: str, timeout: httpx2.Timeout) -> tuple[httpx2.AsyncClient, httpx2.AsyncClient]:
    address = httpx2.URL(base_url)
    if address.port is not None and not 0 < address.port <= _LAST_PORT:
        raise httpx2.InvalidURL(f"there is no port {address.port}")
    has_tls = address.scheme == "https"
    # Without TLS there is nothing to check, and reading the system's certificates takes 0.1 s. A redirect
    # could lead to where there is. A server on this machine is not behind the proxy of the environment.
    transport = partial(
        httpx2.AsyncClient,
        timeout=timeout,
        verify=httpx2.create_ssl_context() if has_tls else False,
        follow_redirects=has_tls,
        trust_env=has_tls or address.host not in _THIS_MACHINE,
    )
    return transport(limits=_KEPT), transport(limits=_NEVER_KEPT)
