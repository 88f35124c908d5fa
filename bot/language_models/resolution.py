"""Decides which model answers.

The settings' endpoint, else a server on this machine (the console alone), else the embedded model. Nothing
is downloaded, and what was chosen is said in one line.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Literal, assert_never
from urllib.parse import urlsplit

import aiohttp
from pydantic import SecretStr

from bot.language_models.embedded_model import embedded_model
from bot.language_models.embedded_weights import ModelUnavailable, embedded_weights
from bot.language_models.local_servers import (
    KNOWN_SERVERS,
    LocalServer,
    find_local_model,
    listed_models,
)
from bot.settings import OPENAI_ADDRESS, ModelSettings
from core.sentences import Sentence, sentence
from core.this_machine import is_this_machine

Origin = Literal["settings", "local_server", "embedded"]
NO_KEY = SecretStr("none")  # the client insists on a key where a server wants none
LIST_TIMEOUT_S = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedModel:
    """The model that answers, as an OpenAI-compatible endpoint.

    `small` asks for the small profile (CORE-46). `server` is the program's name where it was found.
    """

    base_url: str
    api_key: SecretStr
    model: str
    origin: Origin
    small: bool
    server: str = ""

    def describe(self) -> str:
        """One line for the first lines of the console."""
        match self.origin:
            case "settings":
                return f"{self.model} at {self.base_url}"
            case "local_server":
                return f"{self.model} from {self.server} on this machine ({self.base_url})"
            case "embedded":
                return (
                    f"{self.model}, a very small embedded model: it talks, it is not clever."
                    " OPENAI_API_BASE_URL and OPENAI_MODEL name a real one."
                )
            case _:
                assert_never(self.origin)

    def public(self) -> Sentence:
        """What everybody may read who talks with it (SET-8): whose words go where, no more of the address."""
        if self.origin == "embedded":
            return sentence("{model}, a very small embedded model", model=self.model)
        return sentence("{model} at {host}", model=self.model, host=urlsplit(self.base_url).hostname)


@asynccontextmanager
async def resolved_model(
    settings: ModelSettings,
    *,
    for_console: bool,
    system_prompt: str = "",
    local_servers: Sequence[LocalServer] = KNOWN_SERVERS,
) -> AsyncGenerator[ResolvedModel]:
    """The model for this run; an embedded one lives as long as the context.

    `system_prompt` warms an embedded model up. Raises: ModelUnavailable with one line that says what to do.
    """
    if settings.endpoint:
        yield await _named_in_settings(settings, settings.endpoint)
        return
    if for_console and settings.local_discovery and (found := await find_local_model(local_servers)):
        yield ResolvedModel(
            base_url=found.server.base_url,
            api_key=NO_KEY,
            model=found.model,
            origin="local_server",
            small=settings.small_profile == "on",
            server=found.server.name,
        )
        return
    weights = await asyncio.to_thread(embedded_weights)
    async with embedded_model(weights, system_prompt=system_prompt) as embedded:
        yield ResolvedModel(
            base_url=embedded.base_url,
            api_key=embedded.api_key,
            model=embedded.name,
            origin="embedded",
            small=settings.small_profile != "off",
        )


async def _named_in_settings(settings: ModelSettings, endpoint: str) -> ResolvedModel:
    return ResolvedModel(
        base_url=endpoint,
        api_key=settings.api_key or NO_KEY,
        model=settings.name or await _only_listed_model(endpoint, settings.api_key),
        origin="settings",
        small=settings.small_profile == "on",
    )


async def _only_listed_model(endpoint: str, api_key: SecretStr | None) -> str:
    """The endpoint's first model, for servers that serve one; a hosted API lists dozens."""
    if endpoint == OPENAI_ADDRESS:
        raise ModelUnavailable("OPENAI_MODEL is empty: name the model that shall answer")
    try:
        names = await models_at(endpoint, api_key)
    except ModelUnavailable as error:
        raise ModelUnavailable(f"OPENAI_MODEL is empty, and {error}: name the model") from error
    if not names:
        raise ModelUnavailable(f"OPENAI_MODEL is empty, and {endpoint} has no model")
    return names[0]


async def models_at(endpoint: str, api_key: SecretStr | None) -> list[str]:
    """The names that an endpoint lists.

    Raises:
        ModelUnavailable: it does not list them; the message says why.
    """
    headers = {"Authorization": f"Bearer {api_key.get_secret_value()}"} if api_key else {}
    timeout = aiohttp.ClientTimeout(total=LIST_TIMEOUT_S)
    by_proxy = not is_this_machine(urlsplit(endpoint).hostname)
    try:
        async with aiohttp.ClientSession(headers=headers, timeout=timeout, trust_env=by_proxy) as http:
            return await listed_models(http, endpoint)
    except (aiohttp.ClientError, TimeoutError, ValueError) as error:
        raise ModelUnavailable(f"{endpoint} did not list its models ({type(error).__name__})") from error
