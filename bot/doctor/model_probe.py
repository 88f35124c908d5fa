"""Checks the language model that would answer."""

import asyncio
from collections.abc import Sequence
from urllib.parse import urlsplit

import aiohttp

from bot.doctor.findings import Finding, State
from bot.language_models.embedded_weights import NAME, ModelUnavailable, embedded_weights
from bot.language_models.local_servers import KNOWN_SERVERS, LocalServer, find_local_model, listed_models
from bot.settings import ModelSettings
from core.this_machine import is_this_machine

NAME_ONE = "Set OPENAI_API_BASE_URL, OPENAI_MODEL and, where it wants one, OPENAI_API_KEY."


class ModelProbe:
    """The model of the settings, else what would stand in for it."""

    check = "Language model"

    def __init__(
        self,
        settings: ModelSettings,
        *,
        for_console: bool,
        local_servers: Sequence[LocalServer] = KNOWN_SERVERS,
    ) -> None:
        self._settings = settings
        self._for_console = for_console
        self._local_servers = local_servers

    async def findings(self) -> Sequence[Finding]:
        """One row."""
        if self._settings.endpoint:
            return [await self._of_endpoint(self._settings.endpoint)]
        if self._for_console and self._settings.local_discovery:
            found = await find_local_model(self._local_servers)
            if found:
                text = f"{found.model} from {found.server.name} on this machine"
                return [Finding(check=self.check, state=State.FINE, found=text)]
        try:
            await asyncio.to_thread(embedded_weights)
        except ModelUnavailable as missing:
            return [Finding(check=self.check, state=State.FAILED, found=str(missing), fix=NAME_ONE)]
        found_text = f"only the very small embedded model ({NAME})"
        return [Finding(check=self.check, state=State.WARNING, found=found_text, fix=NAME_ONE)]

    async def _of_endpoint(self, endpoint: str) -> Finding:
        key = self._settings.api_key
        headers = {"Authorization": f"Bearer {key.get_secret_value()}"} if key else {}
        by_proxy = not is_this_machine(urlsplit(endpoint).hostname)
        try:
            async with aiohttp.ClientSession(headers=headers, trust_env=by_proxy) as http:
                names = await listed_models(http, endpoint)
        except aiohttp.ClientResponseError as error:
            return self._of_status(endpoint, error.status)
        except aiohttp.ClientError as error:
            return Finding(
                check=self.check,
                state=State.FAILED,
                found=f"{endpoint} cannot be reached ({type(error).__name__})",
                fix="Start the server, or correct OPENAI_API_BASE_URL.",
            )
        except ValueError:
            return Finding(
                check=self.check,
                state=State.WARNING,
                found=f"{endpoint} answers, but not with a list of models",
                fix="OPENAI_API_BASE_URL usually ends in /v1.",
            )
        return self._of_names(endpoint, names)

    def _of_status(self, endpoint: str, status: int) -> Finding:
        if status in {401, 403}:
            found, fix = "refuses the key", "Correct OPENAI_API_KEY."
        elif status == 404:
            found, fix = "has no list of models", "OPENAI_API_BASE_URL usually ends in /v1."
            return Finding(check=self.check, state=State.WARNING, found=f"{endpoint} {found}", fix=fix)
        else:
            found, fix = f"answers HTTP {status}", "See the server's own log."
        return Finding(check=self.check, state=State.FAILED, found=f"{endpoint} {found}", fix=fix)

    def _of_names(self, endpoint: str, names: list[str]) -> Finding:
        wanted = self._settings.name
        if wanted in names or (wanted is None and names):
            return Finding(check=self.check, state=State.FINE, found=f"{wanted or names[0]} at {endpoint}")
        return Finding(
            check=self.check,
            state=State.WARNING,
            found=f"{endpoint} lists {len(names)} models, {wanted or 'none'} not among them",
            fix=f"Set OPENAI_MODEL to one of: {', '.join(names[:8])}" if names else "Load a model there.",
        )
