"""CORE-14: a kept connection that the server closes under a request costs nobody their answer."""

import asyncio

import pytest

from core.failures import GenerationFailed
from core.generation.requests import GenerationInput
from core.generation.streaming import Generator
from tests.fake_models import Answer, Ending, FakeModels, RawStream
from tests.generation_setup import asked, collected, generator, text_of
from tests.manual_clock import ManualClock

HELLO = Answer(text=("Hello",))
NEITHER_HEAD_NOR_BODY = pytest.mark.parametrize(
    "closed", [RawStream(before_head=True, ending=ending) for ending in (Ending.CLOSE, Ending.RESET)]
)


async def advice_of(generation: Generator, request: GenerationInput) -> str:
    with pytest.raises(GenerationFailed) as caught:
        await collected(generation, request)
    return caught.value.advice


@NEITHER_HEAD_NOR_BODY
async def test_a_request_on_a_kept_connection_that_closes_goes_out_once_more_on_a_new_one(
    closed: RawStream,
) -> None:
    """CORE-14: not on another kept one, which may be as old; and without a wait."""
    clock = ManualClock()
    slow = Answer(text=("Hello", "!"), delay_between_s=0.02)
    async with FakeModels.running() as models, generator(clock=clock) as generation:
        models.script(slow, slow)
        async with asyncio.TaskGroup() as group:  # two at once: two connections are kept
            for _ in range(2):
                group.create_task(collected(generation, asked(models)))
        models.script(closed, HELLO, HELLO)
        assert text_of(await collected(generation, asked(models))) == "Hello"
        assert text_of(await collected(generation, asked(models))) == "Hello"
        first, second, unanswered, repeated, later = (
            request.exchange.connection for request in models.requests
        )
        bodies = [request.body for request in models.requests]
    assert unanswered in {first, second}
    assert repeated not in {first, second}
    assert later in {first, second}, "the other one is kept"
    assert bodies == [bodies[0]] * 5
    assert clock.sleeps == []


@NEITHER_HEAD_NOR_BODY
async def test_it_goes_out_no_third_time(closed: RawStream) -> None:
    """CORE-14."""
    async with FakeModels.running() as models, generator(clock=ManualClock()) as generation:
        models.script(HELLO, closed, closed, HELLO)
        await collected(generation, asked(models))
        assert "cannot be reached" in await advice_of(generation, asked(models))
        assert len(models.requests) == 3


@pytest.mark.parametrize(
    "begun",
    [
        RawStream(head=b"no HTTP at all\r\n\r\n"),
        RawStream(ending=Ending.CLOSE),
        RawStream(ending=Ending.RESET),
    ],
)
async def test_what_was_answered_in_part_is_not_asked_again(begun: RawStream) -> None:
    """CORE-14: though the connection was a kept one."""
    async with FakeModels.running() as models, generator(clock=ManualClock()) as generation:
        models.script(HELLO, begun, HELLO)
        await collected(generation, asked(models))
        await advice_of(generation, asked(models))
        assert len(models.requests) == 2
        assert models.requests[0].exchange.connection is models.requests[1].exchange.connection


async def test_a_server_that_has_gone_is_told_as_ever() -> None:
    """CORE-14, CORE-30: the new connection is refused, and that is the failure."""
    async with generator(clock=ManualClock()) as generation:
        async with FakeModels.running() as models:
            await collected(generation, asked(models))
        assert "cannot be reached" in await advice_of(generation, asked(models))
