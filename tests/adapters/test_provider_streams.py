"""Every stream under tests/data/streams, over a socket, against what must become of it."""

import json
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from core.conversation.continuation import ProtocolName
from core.failures import GenerationFailed
from core.generation.events import (
    CitationFound,
    ReasoningDelta,
    RefusalDelta,
    RoundFinished,
    StreamEvent,
    TextDelta,
    ToolCallArguments,
    ToolCallFinished,
    ToolCallStarted,
    TurnFinished,
    UsageReported,
)
from tests.fake_models import Answer, FakeModels, RawStream
from tests.generation_setup import asked, generator

STREAMS = Path(__file__).parent.parent / "data" / "streams"
FILES = sorted(STREAMS.glob("*/*.sse"))


def described(event: StreamEvent) -> list[object] | None:
    """An event as it stands in the data files; None for the ends of rounds, which are described apart."""
    match event:
        case TextDelta(text=text):
            return ["text", text]
        case ReasoningDelta(text=text):
            return ["reasoning", text]
        case RefusalDelta(text=text):
            return ["refusal", text]
        case ToolCallStarted(invocation_id=invocation_id, name=name):
            return ["call", invocation_id, name]
        case ToolCallArguments(invocation_id=invocation_id, delta=delta):
            return ["arguments", invocation_id, delta]
        case CitationFound(citation=citation):
            return ["citation", citation.url, citation.title, citation.start, citation.end]
        case ToolCallFinished() | UsageReported() | RoundFinished() | TurnFinished():
            return None


async def outcome_of(stream: bytes, protocol: ProtocolName, *, piece_size: int) -> dict[str, Any]:
    """What a generation makes of `stream` as its first round."""
    pieces = tuple(stream[start : start + piece_size] for start in range(0, len(stream), piece_size))
    events: list[list[object]] = []
    outcome: dict[str, Any] = {"events": events}
    async with FakeModels.running(default=Answer(text=("end",))) as models, generator() as generation:
        models.script(RawStream(chunks=pieces))
        try:
            async with aclosing(generation.stream_from(asked(models, protocol=protocol))) as stream_events:
                async for event in stream_events:
                    if isinstance(event, RoundFinished):
                        outcome |= round_of(event)
                        break
                    if (description := described(event)) is not None:
                        events.append(description)
        except GenerationFailed as failure:
            outcome["failure"] = failure.advice
    return outcome


def round_of(event: RoundFinished) -> dict[str, Any]:
    """The parts of a finished round that the data files hold."""
    finished = event.round
    assert finished.usage is not None
    assert finished.finish_reason is not None
    assert finished.continuation is not None
    usage = finished.usage
    return {
        "finish": finished.finish_reason.value,
        "usage": [usage.input_tokens, usage.output_tokens, usage.cached_tokens, usage.estimated],
        "calls": [
            [call.id, call.provider_call_id, call.name, call.arguments] for call in finished.invocations
        ],
        "native": json.loads(finished.continuation.items_json),
    }


@pytest.mark.parametrize("piece_size", [1 << 20, 3])
@pytest.mark.parametrize("file", FILES, ids=[f"{file.parent.name}-{file.stem}" for file in FILES])
async def test_a_vendors_stream_becomes_what_it_says(file: Path, piece_size: int) -> None:
    """CORE-10, CORE-11, CORE-7: whatever is sent, and however it is cut, the same comes out."""
    expected = json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))
    outcome = await outcome_of(file.read_bytes(), ProtocolName(file.parent.name), piece_size=piece_size)
    if expected.get("usage") and expected["usage"][3]:
        # The estimate counts the request, whose words are not the stream's.
        assert outcome["usage"][0] > 0
        expected["usage"][0] = outcome["usage"][0]
    assert outcome == expected


def test_every_stream_says_what_it_becomes() -> None:
    assert len(FILES) > 60
    assert {file.with_suffix(".json") for file in FILES} == set(STREAMS.glob("*/*.json"))
