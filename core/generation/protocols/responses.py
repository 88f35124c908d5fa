"""Responses: OpenAI's own protocol, with its search and its encrypted reasoning (CORE-6, CORE-10)."""

from collections.abc import AsyncGenerator, Iterable, Iterator
from contextlib import aclosing
from dataclasses import replace

from core.clock import Clock
from core.failures import GenerationFailed
from core.generation import failure_advice
from core.generation.media import MediaStore, media_of
from core.generation.model_protocol import RoundPiece
from core.generation.protocols.arrivals import together
from core.generation.protocols.connections import ProviderConnections
from core.generation.protocols.json_access import parse_object, text_in, to_json
from core.generation.protocols.provider_errors import translated
from core.generation.protocols.responses_assembly import ResponsesAssembly
from core.generation.protocols.responses_projection import project_responses
from core.generation.requests import ResponsesRequest
from core.identifiers import NewId


class ResponsesModels:
    """`ModelProtocol` of `ResponsesRequest`."""

    def __init__(
        self, connections: ProviderConnections, *, media: MediaStore, clock: Clock, new_id: NewId
    ) -> None:
        self._connections = connections
        self._media = media
        self._clock = clock
        self._new_id = new_id

    async def stream_round(self, request: ResponsesRequest) -> AsyncGenerator[tuple[RoundPiece, ...], None]:
        """See `ModelProtocol`. Only `response.completed` ends the round."""
        prompt = request.prompt
        projection = project_responses(request, await media_of(prompt.conversation, self._media))
        body = to_json(projection.body)
        assembly = ResponsesAssembly(new_invocation_id=lambda: self._new_id("call", self._clock.now()))
        events = self._connections.events(
            prompt.endpoint, "/responses", body, headers=prompt.headers, is_last=_is_completed
        )
        async with aclosing(events):
            async for came in events:
                for pieces in together(_pieces(came, assembly, prompt.endpoint.api_key)):
                    yield pieces
        if not assembly.is_finished:
            raise GenerationFailed(
                failure_advice.BROKE_OFF, reason="the stream ended before its terminal event"
            )
        yield (replace(assembly.answer(request_text=body), issues=projection.issues),)


def _pieces(came: Iterable[str], assembly: ResponsesAssembly, api_key: str | None) -> Iterator[RoundPiece]:
    for data in came:
        if assembly.is_finished or data.startswith("[DONE]"):
            continue
        with translated(api_key=api_key):
            event = parse_object(data)
        whole = text_in(event, "object") == "response" and "type" not in event
        yield from assembly.feed_document(event) if whole else assembly.feed(event)


def _is_completed(data: str) -> bool:
    return '"response.completed"' in data[:200]
