"""Checks who would hear and speak in voice channels; hosted services are asked whether they know us."""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from urllib.parse import urlsplit

import aiohttp

from bot.doctor.findings import Finding, State
from bot.speech_services import SpeechServices
from core.this_machine import is_this_machine

_REFUSED = {401, 403}


@dataclass(frozen=True, slots=True, kw_only=True)
class HostedService:
    """A service that is asked with its key for something that costs nothing."""

    check: str
    """Hearing or Voice."""
    url: str
    headers: dict[str, str]
    key_setting: str
    address_setting: str


class SpeechProbe:
    """Two rows: hearing and voice. Nothing is loaded, nothing is said."""

    check = "Speech"

    def __init__(
        self,
        services: Callable[[], AbstractAsyncContextManager[SpeechServices]],
        hosted: Sequence[HostedService],
    ) -> None:
        self._services = services
        self._hosted = hosted

    async def findings(self) -> Sequence[Finding]:
        """Who hears and who speaks, then what is missing, then hosted services that do not answer."""
        async with self._services() as services:
            rows = [_row("Hearing", services.hears_by), _row("Voice", services.speaks_by)]
            missing = [_missing(told) for told in services.missing]
        found = {finding.check: finding for finding in rows}
        for hosted in self._hosted:
            trouble = await _trouble(hosted)
            if trouble is not None:
                found[hosted.check] = trouble
        return [*found.values(), *missing]


def _row(check: str, who: str) -> Finding:
    if who:
        return Finding(check=check, state=State.FINE, found=who)
    return Finding(check=check, state=State.SKIPPED, found="nobody")


def _missing(told: str) -> Finding:
    what, _, why = told.partition(": ")
    return Finding(check="Speech", state=State.WARNING, found=what, fix=f"{why[:1].upper()}{why[1:]}")


async def _trouble(hosted: HostedService) -> Finding | None:
    by_proxy = not is_this_machine(urlsplit(hosted.url).hostname)
    try:
        async with (
            aiohttp.ClientSession(headers=hosted.headers, trust_env=by_proxy) as session,
            session.get(hosted.url, allow_redirects=False) as response,
        ):
            status = response.status
    except (aiohttp.ClientError, OSError) as error:
        return Finding(
            check=hosted.check,
            state=State.FAILED,
            found=f"{hosted.url} cannot be reached ({type(error).__name__})",
            fix=f"Start the server, or correct {hosted.address_setting}.",
        )
    if status in _REFUSED:
        return Finding(
            check=hosted.check,
            state=State.FAILED,
            found=f"{hosted.url} refuses the key",
            fix=f"Correct {hosted.key_setting}.",
        )
    return None
