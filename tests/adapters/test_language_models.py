"""Which model answers, tried with real servers on loopback and with the real embedded model."""

import asyncio
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from pydantic import SecretStr

from bot.language_models.embedded_model import EmbeddedModel, embedded_model
from bot.language_models.embedded_weights import ModelUnavailable, embedded_weights
from bot.language_models.local_servers import LocalServer, find_local_model
from bot.language_models.resolution import ResolvedModel, resolved_model
from bot.settings import ModelSettings
from tests.architecture.sources import ROOT

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
PROMPT = "You are Parley, a friendly companion. Answer in one or two short sentences."


@asynccontextmanager
async def serving(handler: Handler) -> AsyncIterator[str]:
    """An HTTP server whose `/v1/models` is the handler; yields its `/v1` address."""
    application = web.Application()
    application.router.add_get("/v1/models", handler)
    async with TestServer(application) as server:
        yield str(server.make_url("/v1"))


def listing(*names: str) -> Handler:
    async def handler(_request: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": name} for name in names]})

    return handler


async def unauthorized(_request: web.Request) -> web.Response:
    return web.json_response({"error": "key"}, status=401)


async def some_web_page(_request: web.Request) -> web.Response:
    return web.Response(text="<html>hello</html>", content_type="text/html")


async def other_json(_request: web.Request) -> web.Response:
    return web.json_response({"data": "nothing"})


async def never_answering(_request: web.Request) -> web.Response:
    await asyncio.sleep(3600)
    raise AssertionError


async def found_among(*handlers: Handler) -> tuple[str, str] | None:
    """Server name (its place) and model found when the given servers run."""
    async with AsyncExitStack() as stack:
        servers = [
            LocalServer(name=str(place), base_url=await stack.enter_async_context(serving(handler)))
            for place, handler in enumerate(handlers)
        ]
        found = await find_local_model(servers)
        return (found.server.name, found.model) if found else None


class TestServersOnThisMachine:
    async def test_the_first_known_server_with_a_model_is_used(self) -> None:
        assert await found_among(listing(), listing("llama3", "qwen"), listing("other")) == ("1", "llama3")

    async def test_what_is_no_open_model_server_is_passed_over(self) -> None:
        assert await found_among(unauthorized, some_web_page, other_json) is None

    async def test_models_that_do_not_talk_are_passed_over(self) -> None:
        assert await found_among(listing("nomic-embed-text", "whisper-1", "qwen3")) == ("0", "qwen3")

    async def test_nobody_listening_finds_nothing(self) -> None:
        assert await find_local_model([LocalServer(name="x", base_url="http://127.0.0.1:9/v1")]) is None

    async def test_a_silent_server_costs_half_a_second_at_most(self) -> None:
        started = time.monotonic()
        assert await found_among(never_answering, never_answering, listing("m")) == ("2", "m")
        assert time.monotonic() - started < 1.5


async def resolved(
    settings: ModelSettings, *, for_console: bool, servers: tuple[str, ...] = ()
) -> ResolvedModel:
    local = [LocalServer(name="Ollama", base_url=address) for address in servers]
    async with resolved_model(settings, for_console=for_console, local_servers=local) as model:
        return model


class TestResolution:
    async def test_the_settings_come_first(self) -> None:
        settings = ModelSettings(base_url="http://127.0.0.1:9/v1", name="mine", api_key=SecretStr("k"))
        async with serving(listing("local")) as address:
            model = await resolved(settings, for_console=True, servers=(address,))
        assert (model.base_url, model.model, model.origin) == ("http://127.0.0.1:9/v1", "mine", "settings")
        assert model.api_key.get_secret_value() == "k"
        assert model.describe() == "mine at http://127.0.0.1:9/v1"

    async def test_a_key_alone_means_the_public_address_and_needs_a_model(self) -> None:
        with pytest.raises(ModelUnavailable, match="OPENAI_MODEL is empty"):
            await resolved(ModelSettings(api_key=SecretStr("k")), for_console=True)
        named = await resolved(ModelSettings(api_key=SecretStr("k"), name="m"), for_console=False)
        assert named.base_url == "https://api.openai.com/v1"

    async def test_an_endpoint_without_a_model_name_is_asked_for_its_first(self) -> None:
        async with serving(listing("served")) as address:
            model = await resolved(ModelSettings(base_url=address), for_console=False)
        assert model.model == "served"

    async def test_a_server_on_this_machine_is_asked_past_the_proxy(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
        async with serving(listing("served")) as address:
            model = await resolved(ModelSettings(base_url=address), for_console=False)
        assert model.model == "served"

    @pytest.mark.parametrize("handler", [unauthorized, other_json, listing()])
    async def test_an_endpoint_that_names_no_model_is_one_clear_line(self, handler: Handler) -> None:
        async with serving(handler) as address:
            with pytest.raises(ModelUnavailable, match=r"^OPENAI_MODEL is empty, and http[^\n]+$"):
                await resolved(ModelSettings(base_url=address), for_console=False)

    async def test_the_console_uses_a_server_on_this_machine(self) -> None:
        """SET-2: the console says which model it found."""
        async with serving(listing("qwen3")) as address:
            model = await resolved(ModelSettings(), for_console=True, servers=(address,))
        assert model.describe() == f"qwen3 from Ollama on this machine ({address})"
        assert not model.small

    @pytest.mark.parametrize(("for_console", "discovery"), [(False, True), (True, False)])
    async def test_discovery_is_for_the_console_and_can_be_switched_off(
        self, *, for_console: bool, discovery: bool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked: list[str] = []

        def no_weights() -> Path:
            raise ModelUnavailable("none here")

        async def counted(request: web.Request) -> web.StreamResponse:
            asked.append(request.path)
            return await listing("qwen3")(request)

        monkeypatch.setattr("bot.language_models.resolution.embedded_weights", no_weights)
        async with serving(counted) as address:
            with pytest.raises(ModelUnavailable, match="none here"):
                await resolved(
                    ModelSettings(local_discovery=discovery), for_console=for_console, servers=(address,)
                )
        assert asked == []


async def answer(model: EmbeddedModel, text: str, *, key: str | None = None) -> tuple[int, str]:
    """Status and text of one chat completion."""
    headers = {"Authorization": f"Bearer {key or model.api_key.get_secret_value()}"}
    body = {
        "model": model.name,
        "messages": [{"role": "system", "content": PROMPT}, {"role": "user", "content": text}],
        "max_tokens": 24,
    }
    async with (
        aiohttp.ClientSession(headers=headers) as http,
        http.post(f"{model.base_url}/chat/completions", json=body) as response,
    ):
        content = await response.json(content_type=None) if response.status == 200 else None
        return response.status, content["choices"][0]["message"]["content"] if content else ""


@pytest.fixture
def weights() -> Path:
    try:
        return embedded_weights()
    except ModelUnavailable as missing:
        pytest.skip(str(missing))


def children(of: int) -> list[int]:
    """Direct child processes, as Linux lists them."""
    return [int(pid) for pid in Path(f"/proc/{of}/task/{of}/children").read_text().split()]


def runs(pid: int) -> bool:
    """Whether the process runs; one that only waits to be collected does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1][0] != "Z"
    except OSError:
        return False


@pytest.mark.xdist_group("embedded model")
@pytest.mark.usefixtures("weights")
class TestEmbeddedModel:
    async def test_it_answers_us_and_nobody_else_and_goes_when_left(
        self, capfd: pytest.CaptureFixture[str]
    ) -> None:
        """SET-2: the embedded model answers, in time, with a key that only we know, without noise."""
        async with resolved_model(ModelSettings(), for_console=False, system_prompt=PROMPT) as resolved_one:
            assert (resolved_one.origin, resolved_one.small) == ("embedded", True)
            assert "OPENAI_API_BASE_URL" in resolved_one.describe()
            model = EmbeddedModel(
                base_url=resolved_one.base_url, api_key=resolved_one.api_key, name=resolved_one.model
            )
            started = time.monotonic()
            status, text = await answer(model, "What is the capital of France?")
            assert (status, bool(text.strip())) == (200, True)
            assert time.monotonic() - started < 20
            assert (await answer(model, "Hello", key="guessed"))[0] == 401
            servers = children(os.getpid())
            assert servers
        assert not any(runs(pid) for pid in servers)
        with pytest.raises(aiohttp.ClientConnectionError):
            await answer(model, "Are you there?")
        assert capfd.readouterr() == ("", "")

    @pytest.mark.parametrize("content", [b"", b"no model at all"])
    async def test_a_broken_file_is_one_clear_line(self, tmp_path: Path, content: bytes) -> None:
        file = tmp_path / "broken.gguf"
        file.write_bytes(content)
        with pytest.raises(ModelUnavailable, match=r"^the embedded model did not start: [^\n]+$"):
            async with embedded_model(file):
                raise AssertionError
        assert not children(os.getpid())

    async def test_a_cancelled_start_leaves_no_process(self, weights: Path) -> None:

        async def start() -> None:
            async with embedded_model(weights):
                raise AssertionError

        async with asyncio.TaskGroup() as tasks:
            starting = tasks.create_task(start())
            while not children(os.getpid()):
                await asyncio.sleep(0.01)
            left = children(os.getpid())
            starting.cancel()
        assert not any(runs(pid) for pid in left)

    async def test_the_server_dies_with_a_killed_parent(self, weights: Path) -> None:
        program = (
            "import asyncio, pathlib, sys\n"
            "from bot.language_models.embedded_model import embedded_model\n"
            "async def main():\n"
            "    async with embedded_model(pathlib.Path(sys.argv[1])):\n"
            "        print('ready', flush=True)\n"
            "        await asyncio.sleep(3600)\n"
            "asyncio.run(main())\n"
        )
        parent = await asyncio.create_subprocess_exec(
            sys.executable, "-c", program, str(weights), cwd=ROOT, stdout=asyncio.subprocess.PIPE
        )
        assert parent.stdout is not None
        assert await parent.stdout.readline() == b"ready\n"
        [server] = children(parent.pid)
        parent.send_signal(signal.SIGKILL)
        await parent.wait()
        async with asyncio.timeout(5):
            while runs(server):
                await asyncio.sleep(0.02)


def test_missing_weights_say_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """SET-2: a clear message when nothing is there."""
    monkeypatch.setattr("bot.language_models.embedded_weights.CARRIER", "no-such-carrier")
    with pytest.raises(ModelUnavailable, match=r"no-such-carrier is missing\): run `make install`"):
        embedded_weights()
