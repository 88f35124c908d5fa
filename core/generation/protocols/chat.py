"""Chat Completions: the protocol that every OpenAI-compatible server speaks (CORE-6, CORE-11)."""

from collections.abc import AsyncGenerator, Iterable, Iterator
from contextlib import aclosing
from dataclasses import replace

from core.clock import Clock
from core.failures import GenerationFailed
from core.generation.media import MediaStore, media_of
from core.generation.model_protocol import RoundPiece
from core.generation.protocols.arrivals import together
from core.generation.protocols.chat_assembly import ChatAssembly, broken_off
from core.generation.protocols.chat_projection import project_chat
from core.generation.protocols.connections import ProviderConnections
from core.generation.protocols.json_access import parse_object, to_json
from core.generation.protocols.provider_errors import translated
from core.generation.requests import ChatRequest
from core.identifiers import NewId


class ChatModels:
    """`ModelProtocol` of `ChatRequest`."""

    def __init__(
        self, connections: ProviderConnections, *, media: MediaStore, clock: Clock, new_id: NewId
    ) -> None:
        self._connections = connections
        self._media = media
        self._clock = clock
        self._new_id = new_id

    async def stream_round(self, request: ChatRequest) -> AsyncGenerator[tuple[RoundPiece, ...], None]:
        """See `ModelProtocol`. A finish reason or `[DONE]` ends the round, the end of the stream does not."""
        prompt = request.prompt
        projection = project_chat(request, await media_of(prompt.conversation, self._media))
        body = to_json(projection.body)
        assembly = ChatAssembly(new_invocation_id=lambda: self._new_id("call", self._clock.now()))
        done = False
        events = self._connections.events(
            prompt.endpoint, "/chat/completions", body, headers=prompt.headers, is_last=_is_done
        )
        async with aclosing(events):
            try:
                async for came in events:
                    for pieces in together(_pieces(came, assembly, prompt.endpoint.api_key)):
                        yield pieces
                    done = _is_done(came[-1])
            except GenerationFailed:
                # After the finish reason only the usage can be missing.
                if not assembly.is_finished:
                    raise
        if not done and not assembly.is_finished:
            raise broken_off(reason="the stream ended without a finish reason")
        held = assembly.end()
        yield (*held, replace(assembly.answer(request_text=body), issues=projection.issues))


def _pieces(came: Iterable[str], assembly: ChatAssembly, api_key: str | None) -> Iterator[RoundPiece]:
    for data in came:
        if not _is_done(data):
            with translated(api_key=api_key):
                chunk = parse_object(data)
            yield from assembly.feed(chunk)


def _is_done(data: str) -> bool:
    return data.startswith("[DONE]")
