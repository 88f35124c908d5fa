"""CORE-14: retries against real HTTP answers on loopback, the waits on a clock of the test."""

import asyncio
import socket
from dataclasses import replace
from datetime import timedelta
from email.utils import format_datetime

import pytest

from core.conversation.continuation import ProtocolName
from core.conversation.turns import ModelCall
from core.failures import GenerationFailed
from core.generation.events import StreamEvent
from core.generation.requests import GenerationInput, ModelEndpoint, Step, one_endpoint
from core.generation.streaming import Generator
from tests.fake_models import Answer, Call, Ending, FakeModels, RawStream, Refusal
from tests.generation_setup import asked, collected, counting_tool, endpoint, generator, text_of, turn_of
from tests.manual_clock import ManualClock

BOTH = pytest.mark.parametrize("protocol", list(ProtocolName))


async def failure_of(generation: Generator, request: GenerationInput) -> GenerationFailed:
    with pytest.raises(GenerationFailed) as caught:
        await collected(generation, request)
    return caught.value


@BOTH
@pytest.mark.parametrize("status", [408, 429, 500, 503])
async def test_a_status_that_passes_is_waited_out(status: int, protocol: ProtocolName) -> None:
    """CORE-14."""
    clock = ManualClock()
    async with FakeModels.running() as models, generator(clock=clock) as generation:
        models.script(
            Refusal(status=status), Refusal(status=status), Refusal(status=status), Answer(text=("ok",))
        )
        events = await collected(generation, asked(models, protocol=protocol))
        assert text_of(events) == "ok"
        assert clock.sleeps == [3.0, 6.0, 12.0]
        assert [request.body for request in models.requests] == [models.requests[0].body] * 4
        call = turn_of(events).rounds[0].model_call
        assert isinstance(call, ModelCall)
        assert call.attempts == 4


async def test_a_refusal_without_an_end_is_a_refusal() -> None:
    """CORE-14, CORE-30: what it says beyond its beginning is not waited for, and not kept."""
    clock = ManualClock()
    head = b"HTTP/1.1 503 Busy\r\nContent-Type: text/plain\r\n\r\n"
    endless = RawStream(head=head, chunks=(b"x" * 60_000,) * 20, ending=Ending.HANG)
    async with FakeModels.running() as models, generator(clock=clock) as generation:
        models.script(endless, endless, Answer(text=("ok",)))
        assert text_of(await collected(generation, asked(models))) == "ok"
        assert clock.sleeps == [3.0, 6.0]
        models.script(*(endless,) * 4)
        failure = await failure_of(generation, asked(models))
    assert failure.status == 503
    assert len(failure.reason) < 1_000


async def test_after_the_third_retry_it_fails() -> None:
    """CORE-14, CORE-30: with one sentence for the room, and the provider's words in the log only."""
    clock = ManualClock()
    async with FakeModels.running(default=Refusal(status=503, body="upstream 10.0.0.7 is down")) as models:
        async with generator(clock=clock) as generation:
            failure = await failure_of(generation, asked(models))
        assert len(models.requests) == 4
        assert failure.status == 503
        assert failure.advice == "The model's provider has trouble. Please try again in a minute."
        assert "10.0.0.7" in failure.reason
        assert "10.0.0.7" not in failure.advice


@pytest.mark.parametrize("asked_for", ["2", "date"])
async def test_retry_after_decides_the_wait(asked_for: str) -> None:
    """CORE-14: seconds or an HTTP date."""
    clock = ManualClock()
    if asked_for == "date":
        asked_for = format_datetime(clock.now() + timedelta(seconds=2), usegmt=True)
    async with FakeModels.running() as models, generator(clock=clock) as generation:
        models.script(Refusal(status=429, headers={"Retry-After": asked_for}), Answer(text=("ok",)))
        assert text_of(await collected(generation, asked(models))) == "ok"
        assert clock.sleeps == [2.0]


async def test_a_long_retry_after_fails_at_once_and_says_how_long() -> None:
    """CORE-14."""
    clock = ManualClock()
    async with FakeModels.running() as models, generator(clock=clock) as generation:
        models.script(Refusal(status=429, headers={"Retry-After": "31"}))
        assert (await failure_of(generation, asked(models))).advice == (
            "The model is busy. Please try again in a minute."
        )
        body = '{"error": {"code": "rate_limit_exceeded"}}'
        models.script(Refusal(status=429, headers={"Retry-After": "300"}, body=body))
        assert (await failure_of(generation, asked(models))).advice == (
            "The model is busy. Please try again in 5 minutes."
        )
        assert clock.sleeps == []
        assert len(models.requests) == 2


@pytest.mark.parametrize(
    ("status", "advice"),
    [
        (400, "The model refused the request. Ask the bot's owner to read the log."),
        (401, "The model's key is refused. Ask the bot's owner to check OPENAI_API_KEY."),
        (402, "The model's account has no credit left. Ask the bot's owner to top it up."),
        (403, "The model's key has no access. Ask the bot's owner to check its rights."),
        (404, "The model was not found. Ask the bot's owner to check OPENAI_MODEL."),
        (413, "The conversation is too long for the model. Please start anew with /session reset."),
    ],
)
async def test_another_status_fails_at_once_and_says_what_to_do(status: int, advice: str) -> None:
    """CORE-14, CORE-30."""
    clock = ManualClock()
    async with FakeModels.running() as models, generator(clock=clock) as generation:
        models.script(Refusal(status=status))
        failure = await failure_of(generation, asked(models))
        assert (failure.advice, failure.status) == (advice, status)
        assert clock.sleeps == []
        assert len(models.requests) == 1


@pytest.mark.parametrize(
    ("status", "body", "advice"),
    [
        (400, '{"error": {"code": "context_length_exceeded"}}', "too long for the model"),
        (
            400,
            '{"error": {"message": "exceeds the available context size"}}',
            "too long for the model",
        ),
        (400, '{"error": {"code": "content_filter", "message": "no"}}', "other words"),
        (402, "<html>nginx</html>", "no credit left"),
        (422, "", "refused the request"),
    ],
)
async def test_a_cause_that_the_provider_names_becomes_advice(status: int, body: str, advice: str) -> None:
    """CORE-30."""
    async with FakeModels.running() as models, generator() as generation:
        models.script(Refusal(status=status, body=body))
        assert advice in (await failure_of(generation, asked(models))).advice


async def test_a_key_that_the_provider_repeats_stays_out_of_the_log() -> None:
    """CORE-30."""
    async with FakeModels.running() as models, generator() as generation:
        models.script(
            Refusal(status=401, body='{"error": {"message": "Incorrect API key provided: sk-test."}}')
        )
        failure = await failure_of(generation, asked(models))
        assert failure.reason == "HTTP 401: Incorrect API key provided: [key]."


async def test_a_server_that_is_not_there_fails_at_once() -> None:
    """CORE-14, CORE-30."""
    clock = ManualClock()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: refused
        nobody = ModelEndpoint(
            protocol=ProtocolName.CHAT,
            provider="nobody",
            base_url=f"http://127.0.0.1:{taken.getsockname()[1]}/v1",
            model="any",
        )
        async with FakeModels.running() as models, generator(clock=clock) as generation:
            request = replace(asked(models), resolve_step=one_endpoint(Step(endpoint=nobody)))
            failure = await failure_of(generation, request)
    assert failure.advice == (
        "The model's server cannot be reached. Ask the bot's owner to check OPENAI_API_BASE_URL."
    )
    assert clock.sleeps == []


@pytest.mark.parametrize(
    "change",
    [
        {"api_key": "sk-line\n"},
        {"api_key": "sk-schlüssel"},
        {"base_url": "localhost:1234/v1"},
        {"base_url": "http://[::1/v1"},
        {"base_url": "http://127.0.0.1:99999/v1"},
    ],
)
async def test_a_malformed_key_or_address_is_told_apart(change: dict[str, str]) -> None:
    """CORE-30: and the key stands nowhere."""
    async with FakeModels.running() as models, generator(clock=ManualClock()) as generation:
        wrong = replace(endpoint(models), **change)
        request = replace(asked(models), resolve_step=one_endpoint(Step(endpoint=wrong)))
        failure = await failure_of(generation, request)
    assert failure.advice == (
        "The model's address or key is malformed. Ask the bot's owner to check the settings."
    )
    assert "sk-" not in failure.reason


@pytest.mark.parametrize("ending", [Ending.CLOSE, Ending.RESET])
async def test_a_connection_that_breaks_before_the_first_byte_fails_at_once(ending: Ending) -> None:
    """CORE-14: a network failure is not tried again."""
    clock = ManualClock()
    async with FakeModels.running() as models, generator(clock=clock) as generation:
        models.script(RawStream(before_head=True, ending=ending))
        failure = await failure_of(generation, asked(models))
        assert "cannot be reached" in failure.advice
        assert len(models.requests) == 1
        assert clock.sleeps == []


@BOTH
@pytest.mark.parametrize("ending", [Ending.CLOSE, Ending.RESET, Ending.WITHOUT_TERMINAL])
async def test_a_stream_that_breaks_after_the_first_token_never_begins_again(
    ending: Ending, protocol: ProtocolName
) -> None:
    """CORE-14, CORE-10: no text comes twice."""
    seen: list[StreamEvent] = []
    async with FakeModels.running() as models, generator(clock=ManualClock()) as generation:
        models.script(Answer(text=("Hel", "lo"), ending=ending), Answer(text=("Hello",)))
        with pytest.raises(GenerationFailed) as caught:
            async for event in generation.stream_from(asked(models, protocol=protocol)):
                seen.append(event)  # noqa: PERF401 - what came before the failure counts
        assert caught.value.advice == "The model's answer broke off. Please try again."
        assert text_of(seen) == "Hello"
        assert len(models.requests) == 1


async def test_a_connection_that_breaks_after_the_finish_reason_takes_nothing_away() -> None:
    """CORE-11: only the usage is missing, and estimated."""
    finished = (
        b'data: {"choices": [{"index": 0, "delta": {"content": "Hello"}}]}\n\n'
        b'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}\n\n'
    )
    async with FakeModels.running() as models, generator() as generation:
        models.script(RawStream(chunks=(finished,), ending=Ending.CLOSE))
        turn = turn_of(await collected(generation, asked(models)))
    assert turn.text == "Hello"
    assert turn.rounds[0].usage is not None
    assert turn.rounds[0].usage.estimated


async def test_a_refusal_after_a_tool_call_is_waited_out_without_calling_the_tool_again() -> None:
    """CORE-14: the request of the next round is its own; what the tool did is not repeated."""
    clock = ManualClock()
    tool, count = counting_tool()
    async with FakeModels.running() as models, generator(clock=clock) as generation:
        models.script(Answer(calls=(Call(name=tool.name),)), Refusal(status=503), Answer(text=("ok",)))
        events = await collected(generation, asked(models, tools=(tool,)))
        assert text_of(events) == "ok"
        assert count() == 1
        assert clock.sleeps == [3.0]


async def test_a_failure_after_a_tool_call_does_not_call_the_tool_again() -> None:
    """CORE-14: tool side effects never repeat."""
    tool, count = counting_tool()
    async with FakeModels.running() as models, generator(clock=ManualClock()) as generation:
        models.script(Answer(calls=(Call(name=tool.name),)), Answer(text=("Hm",), ending=Ending.RESET))
        await failure_of(generation, asked(models, tools=(tool,)))
        assert count() == 1
        assert len(models.requests) == 2


async def test_cancelling_a_wait_ends_it_at_once() -> None:
    """CORE-14."""
    clock = ManualClock()
    clock.blocks = True
    async with (
        FakeModels.running(default=Refusal(status=503)) as models,
        generator(clock=clock) as generation,
    ):
        async with asyncio.TaskGroup() as group:
            waiting = group.create_task(collected(generation, asked(models)))
            await clock.is_sleeping.wait()
            waiting.cancel()
        assert waiting.cancelled()
        assert len(models.requests) == 1
