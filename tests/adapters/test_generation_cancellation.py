"""CORE-36: cancelling or leaving a generation closes the provider's connection at once and leaves no task."""

import asyncio
from contextlib import aclosing

import pytest

from core.conversation.continuation import ProtocolName
from core.generation.events import TextDelta
from tests.fake_models import Answer, Call, Ending, FakeModels
from tests.generation_setup import asked, collected, generator, slow_tool

BOTH = pytest.mark.parametrize("protocol", list(ProtocolName))


@BOTH
@pytest.mark.parametrize("moment", ["before the first byte", "in the middle"])
async def test_a_cancelled_reader_closes_the_connection(protocol: ProtocolName, moment: str) -> None:
    """CORE-36: seen at the server."""
    silent = Answer(text=("x",), delay_s=30) if moment.startswith("before") else hanging()
    before = asyncio.all_tasks()
    async with FakeModels.running() as models, generator() as generation:
        models.script(silent)
        async with asyncio.TaskGroup() as group:
            reading = group.create_task(collected(generation, asked(models, protocol=protocol)))
            request = await models.wait_for_request()
            await asyncio.sleep(0.02)
            assert not request.client_closed_early
            reading.cancel()
        await request.wait_until_client_closed(0.5)
    assert asyncio.all_tasks() == before


@BOTH
async def test_leaving_the_stream_closes_the_connection(protocol: ProtocolName) -> None:
    """CORE-36."""
    async with FakeModels.running() as models, generator() as generation:
        models.script(hanging())
        async with aclosing(generation.stream_from(asked(models, protocol=protocol))) as events:
            assert await anext(events) == TextDelta(text="Hel")
            request = models.requests[0]
            assert not request.client_closed_early
        await request.wait_until_client_closed(0.5)


async def test_cancelling_cancels_tools_that_run() -> None:
    """CORE-36, CORE-17."""
    left: list[str] = []
    tool = slow_tool(seconds=30, left=left)
    async with FakeModels.running() as models, generator() as generation:
        models.script(Answer(calls=(Call(name=tool.name), Call(name=tool.name))))
        async with asyncio.TaskGroup() as group:
            reading = group.create_task(collected(generation, asked(models, tools=(tool,))))
            await models.wait_for_request()
            while len(left) < 2:
                await asyncio.sleep(0.005)
            reading.cancel()
        assert left == ["began", "began", "cancelled", "cancelled"]


async def test_a_finished_generation_leaves_its_connection_for_the_next() -> None:
    """The body is read to its end, so one connection serves one request after another."""
    async with FakeModels.running() as models, generator() as generation:
        for protocol in (*ProtocolName, *ProtocolName):
            await collected(generation, asked(models, protocol=protocol))
        assert len({id(request.exchange.connection) for request in models.requests}) == 1


async def test_many_generations_run_side_by_side() -> None:
    """CORE-18: nothing of one generation is shared with another."""
    async with FakeModels.running() as models, generator() as generation:
        models.script(*[Answer(text=("ok",), delay_s=0.05)] * 20)
        async with asyncio.TaskGroup() as group:
            running = [group.create_task(collected(generation, asked(models))) for _ in range(20)]
        assert len({task.result()[-1] for task in running}) == 20


def hanging() -> Answer:
    return Answer(text=("Hel", "lo"), delay_between_s=0.001, ending=Ending.HANG)
