"""How a provider is reached: keys, proxies, and connections that are shared."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

import pytest

from core.conversation.continuation import ProtocolName
from core.conversation.turns import Conversation
from core.failures import GenerationFailed
from core.generation.requests import GenerationInput, ModelEndpoint, Step, one_endpoint
from core.this_machine import is_this_machine
from tests.fake_models import FakeModels, RawStream
from tests.generation_setup import asked, collected, endpoint, generator, said

_ANYWHERE = ModelEndpoint(
    protocol=ProtocolName.CHAT, provider="any", base_url="", model="any", api_key="sk-test"
)
_ASKED = GenerationInput(
    conversation=Conversation(id="c", turns=(said("Hi"),)),
    run_id="run_1",
    resolve_step=one_endpoint(Step(endpoint=_ANYWHERE)),
)


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


@dataclass
class Proxy:
    """Takes no request on, and keeps the heads of what it was asked."""

    port: int = 0
    heads: list[str] = field(default_factory=list[str])


@asynccontextmanager
async def proxy_that_refuses() -> AsyncGenerator[Proxy]:
    proxy = Proxy()

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        proxy.heads.append((await reader.readuntil(b"\r\n\r\n")).decode().lower())
        writer.write(b"HTTP/1.1 407 X\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(refuse, "127.0.0.1", 0) as server:
        proxy.port = server.sockets[0].getsockname()[1]
        yield proxy


def asked_at(base_url: str) -> GenerationInput:
    endpoint_there = replace(_ANYWHERE, base_url=base_url)
    return replace(_ASKED, resolve_step=one_endpoint(Step(endpoint=endpoint_there)))


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("named", ["http://user:pass@127.0.0.1:{}", "127.0.0.1:{}"])
async def test_the_key_is_for_the_provider_and_not_for_the_proxy(
    scheme: str, named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CORE-8, CORE-30: what a proxy reads of a sealed request is where it goes."""
    async with proxy_that_refuses() as proxy, generator() as generation:
        monkeypatch.setenv(f"{scheme}_proxy", named.format(proxy.port))
        with pytest.raises(GenerationFailed):
            await collected(generation, asked_at(f"{scheme}://model.test/v1"))
        (head,) = proxy.heads
    authorized = [line for line in head.splitlines() if line.startswith("proxy-authorization")]
    assert authorized == (["proxy-authorization: basic dxnlcjpwyxnz"] if "user" in named else [])
    assert ("sk-test" in head) == (scheme == "http")


async def test_a_server_that_the_environment_excepts_is_not_behind_the_proxy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """CORE-6: an exception may name the port."""
    async with proxy_that_refuses() as proxy, generator() as generation:
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.port}")
        monkeypatch.setenv("no_proxy", "127.0.0.1.invalid:8080")
        with pytest.raises(GenerationFailed):
            await collected(generation, asked_at("http://127.0.0.1.invalid:8080/v1"))
        assert proxy.heads == []


async def test_a_proxy_that_speaks_another_protocol_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """CORE-30: in the log, without what it may have of user and password."""
    async with generator() as generation:
        monkeypatch.setenv("all_proxy", "socks5://user:pass@127.0.0.1:9")
        with pytest.raises(GenerationFailed) as caught:
            await collected(generation, asked_at("https://model.test/v1"))
    assert "socks5 proxy" in caught.value.reason
    assert "pass" not in caught.value.reason


async def test_a_proxy_that_says_nothing_ends_by_the_connect_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """CORE-45: a connection through a proxy is made when the proxy says so."""

    async def silence(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    async with (
        asyncio.timeout(5),
        await asyncio.start_server(silence, "127.0.0.1", 0) as server,
        generator(connect_timeout_s=0.05) as generation,
    ):
        monkeypatch.setenv("https_proxy", "http://127.0.0.1:{1}".format(*server.sockets[0].getsockname()))
        with pytest.raises(GenerationFailed, match="Timeout"):
            await collected(generation, asked_at("https://model.test/v1"))


@pytest.mark.parametrize(
    ("host", "here"),
    [
        ("localhost", True),
        ("127.0.0.2", True),
        ("::1", True),
        ("[::1]", True),
        ("0.0.0.0", True),
        ("10.0.0.1", False),
        ("localhost.example.org", False),
        (None, False),
    ],
)
def test_which_hosts_are_this_machine(host: str | None, *, here: bool) -> None:
    """CORE-6."""
    assert is_this_machine(host) is here


async def test_what_is_no_http_is_another_protocol_and_its_bytes_stay_out_of_the_log() -> None:
    """CORE-30: some of them may be a model's words."""
    async with FakeModels.running() as models, generator() as generation:
        models.script(RawStream(head=b"data: my secret plan\r\n\r\n"))
        with pytest.raises(GenerationFailed) as caught:
            await collected(generation, asked(models))
    assert "speaks another protocol" in caught.value.advice
    assert "secret" not in caught.value.reason


async def test_long_headers_of_an_answer_are_read() -> None:
    """CORE-6: gateways set cookies and policies of many kilobytes."""
    async with FakeModels.running() as models, generator() as generation:
        models.script(RawStream(head=b"HTTP/1.1 401 X\r\nX-Policy: " + b"y" * 20_000 + b"\r\n\r\n"))
        with pytest.raises(GenerationFailed, match="401"):
            await collected(generation, asked(models))


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
