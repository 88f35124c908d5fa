"""The Chat protocol against a real llama.cpp server, which the embedded model runs in."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from bot.language_models.embedded_model import embedded_model
from bot.language_models.embedded_weights import ModelUnavailable, embedded_weights
from core.conversation.continuation import ProtocolName
from core.conversation.turns import Conversation, FinishReason
from core.failures import GenerationFailed
from core.generation.events import TextDelta
from core.generation.requests import GenerationInput, ModelEndpoint, Sampling, Step, one_endpoint
from tests.generation_setup import collected, generator, said, text_of, turn_of

pytestmark = [pytest.mark.xdist_group("embedded model"), pytest.mark.timeout(180)]


@pytest.fixture
def weights() -> Path:
    try:
        return embedded_weights()
    except ModelUnavailable as missing:
        pytest.skip(str(missing))


@asynccontextmanager
async def embedded_endpoint(weights: Path) -> AsyncIterator[ModelEndpoint]:
    async with embedded_model(weights) as model:
        yield ModelEndpoint(
            protocol=ProtocolName.CHAT,
            provider="embedded",
            base_url=model.base_url,
            model=model.name,
            api_key=model.api_key.get_secret_value(),
        )


async def test_a_real_server_streams_counts_obeys_the_cap_and_refuses_another_key(weights: Path) -> None:
    """CORE-6, CORE-11, CORE-12, CORE-14, CORE-36."""
    async with embedded_endpoint(weights) as endpoint, generator() as generation:
        step = Step(
            endpoint=endpoint,
            system_prompt="Answer in one short sentence.",
            max_tokens=6,
            sampling=Sampling(temperature=0.2, top_p=0.9),
            time_prefix=False,
        )
        request = GenerationInput(
            conversation=Conversation(id="c", turns=(said("Hello!"), said("Who are you?"))),
            run_id="run",
            resolve_step=one_endpoint(step),
        )
        events = await collected(generation, request)
        (finished,) = turn_of(events).rounds
        assert len([event for event in events if isinstance(event, TextDelta)]) > 1
        assert text_of(events).strip()
        assert finished.finish_reason in {FinishReason.STOP, FinishReason.LENGTH}
        assert finished.usage is not None
        assert not finished.usage.estimated
        assert 0 < finished.usage.output_tokens <= 6
        assert finished.usage.input_tokens > 10

        later = replace(
            request,
            conversation=Conversation(id="c", turns=(said("Hello!"), turn_of(events), said("And?"))),
        )
        assert text_of(await collected(generation, later)).strip()

        long = replace(request, resolve_step=one_endpoint(replace(step, max_tokens=400)))
        async with asyncio.timeout(20), aclosing(generation.stream_from(long)) as stream:
            await anext(stream)

        stranger = replace(step, endpoint=replace(endpoint, api_key="another"))
        with pytest.raises(GenerationFailed) as caught:
            await collected(generation, replace(request, resolve_step=one_endpoint(stranger)))
        assert caught.value.advice.startswith("The model's key is refused.")
