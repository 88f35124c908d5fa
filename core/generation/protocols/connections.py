"""Connections to providers: one SDK client for each endpoint and key, closed together."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing, suppress
from types import TracebackType
from typing import Self

import httpx2
from openai import AsyncOpenAI, DefaultAsyncHttpxClient, Omit

from core.failures import GenerationFailed
from core.generation import failure_advice
from core.generation.protocols.event_stream import LINE_LIMIT, EventStreamDecoder, LineTooLong
from core.generation.protocols.provider_errors import translated
from core.generation.requests import ModelEndpoint

_WITHOUT_KEY = "no-key"  # the SDK wants one; the header itself is left out
_LONGEST_WHOLE_ANSWER = 8 * LINE_LIMIT
_THIS_MACHINE = {"127.0.0.1", "::1", "localhost"}
_DRAIN_S = 0.1
_LAST_PORT = 65535
_STREAMED: bool = True  # for a literal True the SDK's types ask for a stream class of its own


class ProviderConnections:
    """Shared by both protocols; an async context manager."""

    def __init__(self, *, connect_timeout_s: float = 10.0) -> None:
        # Reading has no timeout here: the generation counts events, not bytes (CORE-45).
        self._timeout = httpx2.Timeout(None, connect=connect_timeout_s)
        self._clients: dict[tuple[str, str | None], AsyncOpenAI] = {}
        self._creation = asyncio.Lock()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close every connection; requests that run fail."""
        clients, self._clients = self._clients, {}
        for client in clients.values():
            await client.close()

    async def events(
        self,
        endpoint: ModelEndpoint,
        path: str,
        body: str,
        *,
        headers: Mapping[str, str],
        is_last: Callable[[str], bool],
    ) -> AsyncGenerator[str, None]:
        """Post `body` (JSON text) to `path` and give the data of each server-sent event.

        `is_last` knows the terminal event; iterate past it, so that the connection can be used again. A
        server that answers with one JSON document instead of a stream gives that document alone. Closing
        the generator closes the connection.

        Raises:
            StatusRefused, GenerationFailed: see `ModelProtocol`.
        """
        with translated(api_key=endpoint.api_key):
            with translated(api_key=endpoint.api_key, unreadable=failure_advice.MALFORMED):
                response = await self._open(endpoint, path, body, headers)
            try:
                kind = response.headers.get("content-type", "").lower()
                if kind.startswith("application/json"):
                    yield await _whole_body(response)
                    return
                if kind.startswith("text/html"):
                    raise GenerationFailed(failure_advice.NOT_A_STREAM, reason="answered with HTML")
                decoder = EventStreamDecoder()
                async with aclosing(response.aiter_bytes()) as chunks:
                    async for chunk in chunks:
                        for data in decoder.feed(chunk):
                            yield data
                            if is_last(data):
                                await _drain(chunks)
                                return
                for data in decoder.end():
                    yield data
            finally:
                await response.aclose()

    async def _open(
        self, endpoint: ModelEndpoint, path: str, body: str, headers: Mapping[str, str]
    ) -> httpx2.Response:
        omitted = {} if endpoint.api_key else {"Authorization": Omit()}
        client = await self._client(endpoint)
        return await client.post(
            path,
            cast_to=httpx2.Response,
            content=body.encode(),
            options={"headers": {"Content-Type": "application/json", **omitted, **headers}},
            stream=_STREAMED,
        )

    async def _client(self, endpoint: ModelEndpoint) -> AsyncOpenAI:
        key = (endpoint.base_url, endpoint.api_key)
        if key not in self._clients:
            async with self._creation:
                if key not in self._clients:
                    # Reading the certificates of the system blocks.
                    self._clients[key] = await asyncio.to_thread(self._new_client, endpoint)
        return self._clients[key]

    def _new_client(self, endpoint: ModelEndpoint) -> AsyncOpenAI:
        return AsyncOpenAI(
            api_key=endpoint.api_key or _WITHOUT_KEY,
            base_url=endpoint.base_url,
            max_retries=0,
            http_client=self._new_transport(endpoint.base_url),
        )

    def _new_transport(self, base_url: str) -> httpx2.AsyncClient:
        address = httpx2.URL(base_url)
        if address.port is not None and not 0 < address.port <= _LAST_PORT:
            raise httpx2.InvalidURL(f"there is no port {address.port}")
        if address.scheme == "https":
            return DefaultAsyncHttpxClient(timeout=self._timeout)
        # Without TLS there is nothing to check, and reading the system's certificates takes 0.1 s. A redirect
        # could lead to where there is. A server on this machine is not behind the proxy of the environment.
        return DefaultAsyncHttpxClient(
            timeout=self._timeout,
            verify=False,
            follow_redirects=False,
            trust_env=address.host not in _THIS_MACHINE,
        )


async def _whole_body(response: httpx2.Response) -> str:
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > _LONGEST_WHOLE_ANSWER:
            raise LineTooLong(f"an answer of more than {_LONGEST_WHOLE_ANSWER} bytes")
    return body.decode("utf-8-sig")


async def _drain(chunks: AsyncGenerator[bytes, None]) -> None:
    """HTTP/1.1 uses a connection again only when the body was read to its end."""
    with suppress(TimeoutError, httpx2.HTTPError):
        async with asyncio.timeout(_DRAIN_S):
            async for _ in chunks:
                pass
