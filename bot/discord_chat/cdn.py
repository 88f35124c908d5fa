"""The bot's way to files of messages: a bounded download from Discord's file store."""

from types import TracebackType
from typing import Self

import aiohttp

from bot.discord_chat.addresses import DiscordAddresses

_PATIENCE_S = 15.0
_TRIES = 2


class FileNotFetched(Exception):
    """The file store did not give the file; the message says why, for the room."""


class LinkExpired(FileNotFetched):
    """The link is old: the message must be read again for a new one."""


class Cdn:
    """Downloads; an async context manager that owns its connections."""

    def __init__(self, addresses: DiscordAddresses) -> None:
        self._addresses = addresses
        self._http: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        self._http = aiohttp.ClientSession(
            connector=self._addresses.connector(), timeout=aiohttp.ClientTimeout(total=_PATIENCE_S)
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._http is not None:
            await self._http.close()

    async def fetch(self, url: str, *, most_bytes: int) -> bytes:
        """The whole file.

        Raises:
            LinkExpired: the link does not hold any more.
            FileNotFetched: it is larger than it was said to be, or the store does not answer.
        """
        if self._http is None:
            raise FileNotFetched("could not be fetched")
        for attempt in range(1, _TRIES + 1):
            try:
                return await self._fetched(self._http, url, most_bytes)
            except (aiohttp.ClientError, OSError, TimeoutError) as error:
                if attempt == _TRIES:
                    raise FileNotFetched("could not be fetched") from error
        raise FileNotFetched("could not be fetched")

    async def _fetched(self, http: aiohttp.ClientSession, url: str, most_bytes: int) -> bytes:
        async with http.get(url, allow_redirects=False) as response:
            if response.status in (403, 404, 410):
                raise LinkExpired("is no longer there")
            if response.status != 200:
                response.release()
                raise aiohttp.ClientError(f"status {response.status}")
            content = bytearray()
            async for chunk in response.content.iter_chunked(65_536):
                content += chunk
                if len(content) > most_bytes:
                    raise FileNotFetched("too large to read")
            return bytes(content)
