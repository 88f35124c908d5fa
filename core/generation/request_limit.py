"""How many model requests may run at once, over all sessions (CORE-18)."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Generic, TypeVar

from core.generation.model_protocol import ModelProtocol, RoundPiece
from core.generation.requests import ChatRequest, ResponsesRequest

_Request = TypeVar("_Request", ChatRequest, ResponsesRequest)


class LimitedProtocol(Generic[_Request]):
    """A `ModelProtocol` whose requests wait for a free place, first come first served.

    Protocols that share `places` share the limit. A place is held by a request alone, never by a tool.
    """

    def __init__(self, protocol: ModelProtocol[_Request], places: asyncio.Semaphore) -> None:
        self._protocol = protocol
        self._places = places

    async def stream_round(self, request: _Request) -> AsyncGenerator[tuple[RoundPiece, ...], None]:
        """See `ModelProtocol`."""
        async with self._places, aclosing(self._protocol.stream_round(request)) as pieces:
            async for batch in pieces:
                yield batch
