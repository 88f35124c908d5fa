"""Connections to providers: one `Provider` for each endpoint and key, closed together."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from types import TracebackType
from typing import Self

import aiohttp

from core.failures import GenerationFailed
from core.generation import failure_advice
from core.generation.protocols.arrivals import together
from core.generation.protocols.event_stream import LINE_LIMIT, EventStreamDecoder, LineTooLong
from core.generation.protocols.provider import Address, Provider
from core.generation.protocols.provider_errors import refused, translated
from core.generation.requests import ModelEndpoint

_LONGEST_WHOLE_ANSWER = 8 * LINE_LIMIT
_LONGEST_REFUSAL = 64 * 1024
_REFUSAL_S = 5.0
_DRAIN_S = 0.1
_MEANS_SUCCESS, _MEANS_ELSEWHERE = 200, 300


class ProviderConnections:
    """Shared by both protocols; an async context manager."""

    def __init__(self, *, connect_timeout_s: float = 10.0) -> None:
        # Reading has no timeout here: the generation counts events, not bytes (CORE-45).
        self._timeout = aiohttp.ClientTimeout(total=None, connect=connect_timeout_s)
        self._providers: dict[tuple[str, str | None], Provider] = {}
        self._creation = asyncio.Lock()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close every connection; requests that run fail."""
        providers, self._providers = self._providers, {}
        for provider in providers.values():
            await provider.aclose()

    async def events(
        self,
        endpoint: ModelEndpoint,
        path: str,
        body: str,
        *,
        headers: Mapping[str, str],
        is_last: Callable[[str], bool],
    ) -> AsyncGenerator[tuple[str, ...], None]:
        """Post `body` (JSON text) to `path` and give the data of server-sent events, as they came together.

        `is_last` knows the terminal event; iterate past it, so that the connection can be used again. A
        server that answers with one JSON document instead of a stream gives that document alone. Closing
        the generator closes the connection.

        Raises:
            StatusRefused, GenerationFailed: see `ModelProtocol`.
        """
        with translated(api_key=endpoint.api_key):
            with translated(
                api_key=endpoint.api_key,
                unreadable=failure_advice.MALFORMED,
                broken=failure_advice.UNREACHABLE,
            ):
                provider = await self._provider(endpoint)
                response = await provider.post(path, body, headers)
            try:
                if not _MEANS_SUCCESS <= response.status < _MEANS_ELSEWHERE:
                    raise refused(response, await _beginning(response), endpoint.api_key)
                kind = response.headers.get("content-type", "").lower()
                if kind.startswith("application/json"):
                    yield (await _whole_body(response),)
                    return
                if kind.startswith("text/html"):
                    raise GenerationFailed(failure_advice.NOT_A_STREAM, reason="answered with HTML")
                decoder = EventStreamDecoder()
                while chunk := await response.content.readany():
                    for came in together(_up_to_last(decoder.feed(chunk), is_last)):
                        if came:
                            yield came
                        if came and is_last(came[-1]):
                            await _drain(response)
                            return
                for came in together(decoder.end()):
                    if came:
                        yield came
            finally:
                response.close()

    async def _provider(self, endpoint: ModelEndpoint) -> Provider:
        key = (endpoint.base_url, endpoint.api_key)
        if key not in self._providers:
            async with self._creation:
                if key not in self._providers:
                    address = await asyncio.to_thread(Address.of, endpoint)
                    self._providers[key] = Provider(address, self._timeout)
        return self._providers[key]


def _up_to_last(events: Iterable[str], is_last: Callable[[str], bool]) -> Iterator[str]:
    for data in events:
        yield data
        if is_last(data):
            return


async def _beginning(response: aiohttp.ClientResponse) -> str:
    """What a refusal says; what is too long or comes too slowly to be read is not waited for."""
    body = bytearray()
    with suppress(TimeoutError, aiohttp.ClientError):
        async with asyncio.timeout(_REFUSAL_S):
            while len(body) <= _LONGEST_REFUSAL and (chunk := await response.content.readany()):
                body += chunk
    return body[:_LONGEST_REFUSAL].decode(errors="replace")


async def _whole_body(response: aiohttp.ClientResponse) -> str:
    body = bytearray()
    while chunk := await response.content.readany():
        body += chunk
        if len(body) > _LONGEST_WHOLE_ANSWER:
            raise LineTooLong(f"an answer of more than {_LONGEST_WHOLE_ANSWER} bytes")
    return body.decode("utf-8-sig")


async def _drain(response: aiohttp.ClientResponse) -> None:
    """HTTP/1.1 uses a connection again only when the body was read to its end."""
    with suppress(TimeoutError, aiohttp.ClientError):
        async with asyncio.timeout(_DRAIN_S):
            while await response.content.readany():
                pass
