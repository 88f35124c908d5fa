"""CORE-45: answers that do not come, come too slowly or are too large, over sockets with short limits."""

import asyncio
import json
import socket
import time
from contextlib import ExitStack
from dataclasses import replace

import pytest

from core.conversation.continuation import ProtocolName
from core.failures import GenerationFailed
from core.generation import failure_advice
from core.generation.requests import GenerationInput, ModelEndpoint, Step, one_endpoint
from core.generation.streaming import Generator
from core.generation.timeout_rules import GenerationTimeouts
from core.tools.context import ToolContext
from core.tools.tool import Tool
from tests.fake_models import Answer, Call, Ending, FakeModels, RawStream, Refusal
from tests.generation_setup import NoArguments, asked, collected, counting_tool, generator, slow_tool, text_of
from tests.manual_clock import ManualClock

BOTH = pytest.mark.parametrize("protocol", list(ProtocolName))
FIRST_TOKEN = "The model did not answer in time. Please try again in a minute."
IDLE = "The model stopped in the middle of its answer. Please try again."
TOTAL = "The answer took too long. Please ask for less at once."
ROLE_ONLY = b'data: {"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]}\n\n'


def text_event(text: str) -> bytes:
    return b"data: " + json.dumps({"choices": [{"index": 0, "delta": {"content": text}}]}).encode() + b"\n\n"


async def advice_of(generation: Generator, request: GenerationInput) -> str:
    with pytest.raises(GenerationFailed) as caught:
        await collected(generation, request)
    return caught.value.advice


@BOTH
async def test_no_answer_ends_by_the_limit_of_the_first_token(protocol: ProtocolName) -> None:
    """CORE-45: and the connection is closed."""
    limits = GenerationTimeouts(first_token_s=0.2)
    async with FakeModels.running() as models, generator(timeouts=limits) as generation:
        models.script(Answer(text=("late",), delay_s=30))
        assert await advice_of(generation, asked(models, protocol=protocol)) == FIRST_TOKEN
        await models.requests[0].wait_until_client_closed()


async def test_waiting_for_a_free_place_makes_no_model_late() -> None:
    """CORE-18, CORE-45: one request at once; the clock of the second starts when it is sent."""
    limits = GenerationTimeouts(first_token_s=0.3)
    async with FakeModels.running() as models, generator(timeouts=limits, requests_at_once=1) as generation:
        models.script(Answer(text=("slow ",) * 8, delay_between_s=0.06), Answer(text=("quick",)))
        async with asyncio.TaskGroup() as tasks:
            first = tasks.create_task(collected(generation, asked(models)))
            await models.wait_for_request(1)
            second = tasks.create_task(collected(generation, asked(models)))
            await asyncio.sleep(0.1)
            assert len(models.requests) == 1
        assert text_of(first.result()) == "slow " * 8
        assert text_of(second.result()) == "quick"


@pytest.mark.parametrize(
    "answer", [Answer(text=("x" * 60_000,) * 400), Answer(calls=(Call(name="count"),) * 4_100)]
)
async def test_an_answer_without_an_end_is_cut_off(answer: Answer) -> None:
    """CORE-45, CORE-30: whatever a model streams, what is kept of it is bounded; so are the calls."""
    async with FakeModels.running() as models, generator() as generation:
        models.script(answer)
        assert await advice_of(generation, asked(models)) == failure_advice.ENDLESS
        if answer.text:  # what is cut in the middle is not sent on
            await models.requests[0].wait_until_client_closed()


async def test_comments_and_empty_events_are_no_first_token() -> None:
    """CORE-45."""
    limits = GenerationTimeouts(first_token_s=0.08, idle_s=0.05)
    async with FakeModels.running() as models, generator(timeouts=limits) as generation:
        models.script(RawStream(chunks=(ROLE_ONLY, b": ping\n\n") * 50, delay_between_s=0.01))
        assert await advice_of(generation, asked(models)) == FIRST_TOKEN


@BOTH
async def test_silence_after_output_ends_by_the_idle_limit(protocol: ProtocolName) -> None:
    """CORE-45."""
    limits = GenerationTimeouts(idle_s=0.05)
    async with FakeModels.running() as models, generator(timeouts=limits) as generation:
        models.script(Answer(text=("Hel",), ending=Ending.HANG))
        assert await advice_of(generation, asked(models, protocol=protocol)) == IDLE
        await models.requests[0].wait_until_client_closed()


async def test_one_byte_at_a_time_ends_by_the_idle_limit() -> None:
    """CORE-45: an event counts, not a byte."""
    limits = GenerationTimeouts(idle_s=0.1)
    event = text_event("x" * 100)
    pieces = (text_event("Hi"), *(event[place : place + 1] for place in range(len(event))))
    async with FakeModels.running() as models, generator(timeouts=limits) as generation:
        models.script(RawStream(chunks=pieces, delay_between_s=0.01))
        assert await advice_of(generation, asked(models)) == IDLE
        await models.requests[0].wait_until_client_closed()  # long before the last byte


async def test_events_without_output_count_as_life_after_the_first_token() -> None:
    """CORE-45."""
    limits = GenerationTimeouts(idle_s=0.25)
    stop = b'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}\n\n'
    chunks = (text_event("a"), *(ROLE_ONLY,) * 8, text_event("b"), stop)
    async with FakeModels.running() as models, generator(timeouts=limits) as generation:
        models.script(RawStream(chunks=chunks, delay_between_s=0.04))
        assert text_of(await collected(generation, asked(models))) == "ab"


async def test_a_steady_stream_ends_by_the_total_limit() -> None:
    """CORE-45."""
    limits = GenerationTimeouts(total_s=0.1)
    async with FakeModels.running() as models, generator(timeouts=limits) as generation:
        models.script(RawStream(chunks=(text_event("a"),) * 100, delay_between_s=0.01))
        assert await advice_of(generation, asked(models)) == TOTAL


async def test_the_total_limit_cancels_tools() -> None:
    """CORE-45: it is the limit of the generation, not of a request."""
    limits = GenerationTimeouts(total_s=0.3)
    left: list[str] = []
    tool = slow_tool(seconds=20, left=left)
    async with FakeModels.running() as models, generator(timeouts=limits) as generation:
        models.script(Answer(calls=(Call(name=tool.name),)))
        assert await advice_of(generation, asked(models, tools=(tool,))) == TOTAL
    assert left == ["began", "cancelled"]


async def test_the_total_limit_counts_over_rounds() -> None:
    """CORE-45: ten minutes that a tool took are gone for the next round."""
    clock = ManualClock()

    async def take_ten_minutes(_arguments: NoArguments, _context: ToolContext) -> str:
        clock.pass_time(600)
        return "done"

    tool = Tool(name="work", description="Works.", arguments=NoArguments, handler=take_ten_minutes)
    async with FakeModels.running() as models, generator(clock=clock) as generation:
        models.script(Answer(calls=(Call(name="work"),)), Answer(text=("late",)))
        assert await advice_of(generation, asked(models, tools=(tool,))) == TOTAL


async def test_a_wait_beyond_the_total_limit_is_not_begun() -> None:
    """CORE-45, CORE-14."""
    clock = ManualClock()
    limits = GenerationTimeouts(total_s=5)
    async with FakeModels.running() as models, generator(clock=clock, timeouts=limits) as generation:
        models.script(*[Refusal(status=503)] * 4)
        assert await advice_of(generation, asked(models)) == TOTAL
    assert clock.sleeps == [3.0]


async def test_the_time_that_a_reader_takes_is_not_the_models() -> None:
    """CORE-45: a slow consumer of the events does not make the provider late."""
    clock = ManualClock()
    text = ""
    async with FakeModels.running() as models, generator(clock=clock) as generation:
        models.script(Answer(text=("a", "b", "c"), delay_between_s=0.01))
        async for event in generation.stream_from(asked(models)):
            text += text_of([event])
            clock.pass_time(31)
    assert text == "abc"


@BOTH
async def test_a_line_of_ten_megabytes_fails_early(protocol: ProtocolName) -> None:
    """CORE-45: at most 1 MiB a line, and the rest is not even read."""
    async with FakeModels.running() as models, generator() as generation:
        models.script(RawStream(chunks=(b"data: " + b"x" * 65536, *[b"x" * 65536] * 160)))
        advice = await advice_of(generation, asked(models, protocol=protocol))
        assert advice == "The model's answer was too large to read. Please ask for less at once."
        await models.requests[0].wait_until_client_closed()


async def test_an_answer_that_is_no_stream_is_told_apart() -> None:
    """CORE-30: a login page with status 200 is a wrong address, not a broken answer."""
    async with FakeModels.running() as models, generator() as generation:
        page = (b"<html>sign in</html>",)
        models.script(RawStream(chunks=page, content_type="text/html; charset=utf-8", ending=Ending.HANG))
        assert await advice_of(generation, asked(models)) == (
            "The model's server speaks another protocol. Ask the bot's owner to check OPENAI_API_BASE_URL."
        )
        await models.requests[0].wait_until_client_closed()


async def test_a_redirect_is_not_followed_with_the_key() -> None:
    """CORE-30: where it leads was not what the owner wrote."""
    async with FakeModels.running() as elsewhere, FakeModels.running() as models, generator() as generation:
        location = f"{elsewhere.base_url}/chat/completions"
        head = f"HTTP/1.1 307 X\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n"
        models.script(RawStream(head=head.encode()))
        advice = await advice_of(generation, asked(models))
        assert advice == "The model refused the request. Ask the bot's owner to read the log."
        assert elsewhere.requests == []


@BOTH
async def test_a_server_that_does_not_stream_is_understood(protocol: ProtocolName) -> None:
    """CORE-6: one JSON document in place of a stream."""
    tool, count = counting_tool()
    async with FakeModels.running() as models, generator() as generation:
        models.script(
            Answer(text=("One ", "moment."), calls=(Call(name=tool.name),), streams=False),
            Answer(text=("Do", "ne."), streams=False),
        )
        events = await collected(generation, asked(models, tools=(tool,), protocol=protocol))
        assert text_of(events) == "One moment.Done."
        assert count() == 1


async def test_a_server_that_does_not_take_the_connection_ends_by_the_connect_limit() -> None:
    """CORE-45: a full queue of connections, which Linux leaves without an answer."""
    with ExitStack() as sockets:
        server = sockets.enter_context(socket.socket())
        server.bind(("127.0.0.1", 0))
        server.listen(0)
        for _ in range(4):
            waiting = sockets.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(server.getsockname())
        full = ModelEndpoint(
            protocol=ProtocolName.CHAT,
            provider="full",
            base_url=f"http://127.0.0.1:{server.getsockname()[1]}/v1",
            model="any",
        )
        async with FakeModels.running() as models, generator(connect_timeout_s=0.05) as generation:
            request = replace(asked(models), resolve_step=one_endpoint(Step(endpoint=full)))
            began = time.monotonic()
            assert "cannot be reached" in await advice_of(generation, request)
            assert time.monotonic() - began < 2
