"""TEXT-9: what the bot asks of its model by itself counts for the room that it serves, and for no person."""

from contextlib import aclosing

import pytest

from bot.tokens_beside import CountedGeneration, Served
from bot.usage_meter import Prices, UsageMeter
from core.conversation.turns import Conversation, Usage
from core.failures import GenerationFailed
from core.generation.events import UsageReported
from core.generation.requests import GenerationInput, ModelEndpoint, ProtocolName, Step, one_endpoint
from sessions.in_memory import scenes_in_memory
from sessions.usage import UsageKind, UsageScope
from tests.orchestration import ScriptedGeneration, StillClock


async def for_ada(request: GenerationInput) -> Served:
    return Served(session_id="discord:channel:7", person=f"who asked for {request.run_id}")


async def test_tokens_beside_the_replies_count_for_the_channel_also_when_the_request_fails() -> None:
    stores, clock = scenes_in_memory(), StillClock()
    meter = UsageMeter(
        history=stores.history,
        sessions=stores.sessions,
        counts=stores.usage,
        prices=Prices(read=2.0, written=10.0),
        context_tokens=1_000,
        clock=clock,
    )
    broken = GenerationFailed("The model's answer broke off.", reason="scripted")
    reported = UsageReported(usage=Usage(input_tokens=700, output_tokens=30))
    counted = CountedGeneration(ScriptedGeneration((reported, broken)), meter.spent_beside)
    endpoint = ModelEndpoint(protocol=ProtocolName.CHAT, provider="p", base_url="http://m/v1", model="m")
    asked = GenerationInput(
        conversation=Conversation(id="discord:channel:7:summary", turns=()),
        run_id="run",
        resolve_step=one_endpoint(Step(endpoint=endpoint, time_prefix=False)),
    )
    with pytest.raises(GenerationFailed):
        async with aclosing(counted.stream_from(asked)) as events:
            assert [event async for event in events] == [reported]
    today = clock.now().date()
    for scope in (UsageScope(kind=UsageKind.CHANNEL, id="7"), UsageScope(kind=UsageKind.ALL)):
        consumed = await stores.usage.consumed(scope, first=today, last=today)
        assert (consumed.tokens, consumed.cost_micros) == (730, 1_700)
    task = CountedGeneration(ScriptedGeneration((reported,)), meter.spent_beside, for_ada)
    async with aclosing(task.stream_from(asked)) as events:
        assert [event async for event in events] == [reported]
    asker = UsageScope(kind=UsageKind.USER, id="who asked for run")
    assert (await stores.usage.consumed(asker, first=today, last=today)).tokens == 730
