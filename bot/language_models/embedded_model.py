"""Owns the embedded model's server process: started on demand, answering only to us, gone with us.

The server listens on loopback with a random key (it would be open to every local program without one) and
is warmed up with the real system prompt, since the first request costs seconds and later ones reuse its
prefix. `embedded_server.py` is the other half.
"""

import asyncio
import json
import secrets
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import structlog
from pydantic import SecretStr

from bot.language_models.embedded_weights import NAME, ModelUnavailable

PROGRAM = Path(__file__).with_name("embedded_server.py")
THREADS = 2
CONTEXT_TOKENS = 4096
START_TIMEOUT_S = 60.0
WARM_UP_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 2.0

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedModel:
    """A running embedded model: an ordinary OpenAI-compatible endpoint."""

    base_url: str
    api_key: SecretStr
    name: str


@asynccontextmanager
async def embedded_model(weights: Path, *, system_prompt: str = "") -> AsyncGenerator[EmbeddedModel]:
    """A server for the given weights that has already read the system prompt; stopped on leaving.

    Raises: ModelUnavailable when it does not start.
    """
    key = secrets.token_urlsafe(32)
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-I",
        str(PROGRAM),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        start_new_session=True,  # Ctrl-C in the terminal is for the bot, which stops this process itself
    )
    try:
        address = await _address(process, weights, key)
        model = EmbeddedModel(base_url=f"{address}/v1", api_key=SecretStr(key), name=NAME)
        if system_prompt:
            await _warm_up(model, system_prompt)
        yield model
    finally:
        await _stop(process)


async def _address(process: asyncio.subprocess.Process, weights: Path, key: str) -> str:
    """Gives the child its orders and waits for its one answer."""
    assert process.stdin is not None  # noqa: S101 - asked for above
    assert process.stdout is not None  # noqa: S101 - asked for above
    order = {
        "weights": str(weights),
        "name": NAME,
        "api_key": key,
        "threads": THREADS,
        "context_tokens": CONTEXT_TOKENS,
    }
    process.stdin.write(json.dumps(order).encode() + b"\n")
    try:
        async with asyncio.timeout(START_TIMEOUT_S):
            line = await process.stdout.readline()
    except TimeoutError:
        raise ModelUnavailable(f"the embedded model did not start within {START_TIMEOUT_S:.0f} s") from None
    answer = json.loads(line) if line else {"error": "its process ended while loading"}
    if "address" not in answer:
        raise ModelUnavailable(f"the embedded model did not start: {answer['error']}")
    return answer["address"]


async def _warm_up(model: EmbeddedModel, system_prompt: str) -> None:
    """Lets the server read the prompt once; a failure here costs only speed."""
    body = {
        "model": model.name,
        "max_tokens": 1,
        "messages": [{"role": "system", "content": system_prompt}, {"role": "user", "content": "Hello"}],
    }
    headers = {"Authorization": f"Bearer {model.api_key.get_secret_value()}"}
    timeout = aiohttp.ClientTimeout(total=WARM_UP_TIMEOUT_S)
    try:
        async with (
            aiohttp.ClientSession(headers=headers, timeout=timeout) as http,
            http.post(f"{model.base_url}/chat/completions", json=body) as response,
        ):
            await response.read()
            response.raise_for_status()
    except (aiohttp.ClientError, TimeoutError) as error:
        log.warning("embedded model was not warmed up", error=type(error).__name__)


async def _stop(process: asyncio.subprocess.Process) -> None:
    """Closes the child's input, which ends it; kills it when it does not listen."""
    if process.returncode is None and process.stdin is not None:
        process.stdin.close()
    try:
        async with asyncio.timeout(STOP_TIMEOUT_S):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
