"""Looks for a model server on this machine that speaks the OpenAI protocol (wire/models.md).

Known ports are asked at once for their models, each for half a second at most. What does not answer like
such a server, wants a key, or holds no model that can talk, is passed over.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import aiohttp
from pydantic import BaseModel

PROBE_TIMEOUT_S = 0.5
NOT_TALKING = ("embed", "rerank", "whisper", "tts", "bge-", "minilm", "clip")


class _Model(BaseModel):
    id: str


class _ModelList(BaseModel):
    data: list[_Model]


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalServer:
    """A program known to serve models on this machine."""

    name: str
    base_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundModel:
    """A server that answered, and the first of its models that can talk."""

    server: LocalServer
    model: str


KNOWN_SERVERS = (
    LocalServer(name="Ollama", base_url="http://127.0.0.1:11434/v1"),
    LocalServer(name="LM Studio", base_url="http://127.0.0.1:1234/v1"),
    LocalServer(name="vLLM", base_url="http://127.0.0.1:8000/v1"),
    LocalServer(name="llama.cpp", base_url="http://127.0.0.1:8080/v1"),
)


async def find_local_model(servers: Sequence[LocalServer] = KNOWN_SERVERS) -> FoundModel | None:
    """The first server, in the given order, that has a model; None when there is none."""
    timeout = aiohttp.ClientTimeout(total=PROBE_TIMEOUT_S)
    async with aiohttp.ClientSession(timeout=timeout, trust_env=False) as http, asyncio.TaskGroup() as tasks:
        asked = [tasks.create_task(_first_model(http, server)) for server in servers]
    return next((found for task in asked if (found := task.result())), None)


async def _first_model(http: aiohttp.ClientSession, server: LocalServer) -> FoundModel | None:
    try:
        names = await listed_models(http, server.base_url)
    except (aiohttp.ClientError, TimeoutError, ValueError):
        return None
    talking = [name for name in names if not any(word in name.lower() for word in NOT_TALKING)]
    return FoundModel(server=server, model=talking[0]) if talking else None


async def listed_models(http: aiohttp.ClientSession, base_url: str) -> list[str]:
    """The names that `GET /models` lists.

    Raises: aiohttp.ClientError, TimeoutError; ValueError when the answer is not a list of models.
    """
    async with http.get(f"{base_url}/models") as response:
        response.raise_for_status()
        return [row.id for row in _ModelList.model_validate_json(await response.read()).data]
