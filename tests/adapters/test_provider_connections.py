"""How a provider is reached: keys, proxies, and connections that are shared."""

import asyncio
from dataclasses import replace

import pytest

from core.generation.requests import Step, one_endpoint
from tests.fake_models import FakeModels
from tests.generation_setup import asked, collected, endpoint, generator


async def test_without_a_key_no_key_is_sent() -> None:
    """CORE-6: a server on this machine wants none."""
    async with FakeModels.running() as models, generator() as generation:
        keyless = replace(endpoint(models), api_key=None)
        request = replace(asked(models), resolve_step=one_endpoint(Step(endpoint=keyless)))
        await collected(generation, request)
        assert "authorization" not in models.requests[0].headers


async def test_a_server_on_this_machine_is_not_behind_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """CORE-6: the embedded model and Ollama work where the environment names a proxy."""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    async with FakeModels.running() as models, generator() as generation:
        await collected(generation, asked(models))
        assert len(models.requests) == 1


async def test_each_key_has_connections_of_its_own_and_first_requests_share_their_making() -> None:
    """CORE-8: credentials of one step are not those of another."""
    async with FakeModels.running() as models, generator() as generation:
        steps = [Step(endpoint=replace(endpoint(models), api_key=key)) for key in ("sk-a", "sk-b") * 3]
        requests = [replace(asked(models), resolve_step=one_endpoint(step)) for step in steps]
        async with asyncio.TaskGroup() as group:
            for request in requests:
                group.create_task(collected(generation, request))
        sent = sorted(request.headers["authorization"] for request in models.requests)
    assert sent == ["Bearer sk-a"] * 3 + ["Bearer sk-b"] * 3


async def test_headers_of_one_step_are_not_those_of_the_next() -> None:
    """CORE-8: requests to one provider share connection and headers, and what a step adds stays its own."""
    async with FakeModels.running() as models, generator() as generation:
        for headers in ({"X-Trace": "a", "authorization": "Bearer other"}, {}):
            step = Step(endpoint=endpoint(models), headers=headers)
            await collected(generation, replace(asked(models), resolve_step=one_endpoint(step)))
        first, second = (request.headers for request in models.requests)
    assert (first["x-trace"], first["authorization"]) == ("a", "Bearer other")
    assert "x-trace" not in second
    assert second["authorization"] != "Bearer other"
