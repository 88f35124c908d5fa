"""The fake Discord on its sockets: HTTPS and WSS on loopback, under an authority made for the run."""

from __future__ import annotations

import asyncio
import ssl
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import trustme
from aiohttp import web

from tests.fake_discord import openapi_check
from tests.fake_discord.entities import Channel, Guild, User
from tests.fake_discord.rest.endpoint import PREFIX, RestEndpoint
from tests.fake_discord.snowflakes import Clock
from tests.fake_discord.state import TOKEN, State, make_state

_MAX_BODY = 256 * 1024 * 1024


class FakeDiscord:
    """The parts of the state as attributes, addresses, and a small scene to begin with.

    `guild` with the text channel `general`, the humans `ada` and `grace`, and the bot, which may do there
    what any member may. Change or add to it through `world` (silently) or `humans` (the bot hears of it).
    """

    def __init__(self, state: State) -> None:
        self.state = state
        self.token = state.token
        self.world = state.world
        self.recorder = state.recorder
        self.gateway = state.gateway
        self.humans = state.humans
        self.commands = state.commands
        self.messages = state.messages
        self.interactions = state.interactions
        self.failures = state.failures
        self.rate_limits = state.rate_limits
        self.cdn = state.cdn
        self.violations = state.violations
        self.ada: User = state.world.add_user("ada", global_name="Ada")
        self.grace: User = state.world.add_user("grace", global_name="Grace")
        self.guild: Guild = state.world.add_guild("Garden", members=(self.ada, self.grace))
        self.general: Channel = state.world.add_channel(self.guild, "general")
        self.port = 0
        self.ca_file = ""
        """Path of the PEM file with the certificate authority's certificate."""

    @property
    def bot(self) -> User:
        return self.world.bot

    @property
    def origin(self) -> str:
        return f"https://127.0.0.1:{self.port}"

    @property
    def api_base_url(self) -> str:
        return f"{self.origin}{PREFIX}"

    @property
    def gateway_url(self) -> str:
        return f"wss://127.0.0.1:{self.port}/gateway"

    @property
    def environment(self) -> dict[str, str]:
        """What the bot needs to find this server (SET-4)."""
        return {
            "DISCORD_TOKEN": self.token,
            "DISCORD_API_BASE_URL": self.api_base_url,
            "DISCORD_GATEWAY_URL": self.gateway_url,
            "DISCORD_CA_FILE": self.ca_file,
        }

    async def until(self, look: Callable[[], Any], *, within_s: float = 5.0) -> Any:
        """Waits until `look()` gives something true; see `Recorder.until`."""
        return await self.recorder.until(look, within_s=within_s)

    async def bot_connected(self, *, within_s: float = 10.0) -> None:
        """Waits until the bot has a session with a socket, READY and its guilds sent."""
        await self.recorder.until(lambda: self.gateway.connected, within_s=within_s)

    def assert_no_violations(self) -> None:
        if self.violations:
            raise AssertionError("against Discord's API document:\n" + "\n".join(self.violations))

    async def serve_file(self, request: web.Request) -> web.StreamResponse:
        """The CDN: a file whose link is the current one, else 404."""
        number = int(request.match_info["attachment_id"])
        found = self.cdn.fetch(number, request.query.get("is", ""))
        if found is None:
            return web.Response(status=404, text="This content is no longer available.")
        headers = {"Content-Type": found.content_type or "application/octet-stream"}
        return web.Response(body=found.content, headers=headers)

    @staticmethod
    @asynccontextmanager
    async def running(
        *,
        rate_limits: bool = True,
        validate: bool = True,
        record: bool = True,
        clock: Clock = time.time,
        monotonic: Callable[[], float] = time.monotonic,
        token: str = TOKEN,
        bot_name: str = "Parley",
        port: int = 0,
    ) -> AsyncIterator[FakeDiscord]:
        """A server that listens until the block is left; `validate` needs the OpenAPI document."""
        state = make_state(
            token=token,
            clock=clock,
            monotonic=monotonic,
            rate_limits=rate_limits,
            record=record,
            bot_name=bot_name,
        )
        discord = FakeDiscord(state)
        check = openapi_check.checker() if validate else None
        with tempfile.TemporaryDirectory(prefix="fake-discord-") as folder:
            context = discord._make_certificates(Path(folder))
            runner = web.AppRunner(
                _application(discord, RestEndpoint(state, check)), access_log=None, shutdown_timeout=0.5
            )
            await runner.setup()
            try:
                site = web.TCPSite(runner, "127.0.0.1", port, ssl_context=context)
                await site.start()
                discord._listening(runner)
                yield discord
            finally:
                state.failures.clear()
                state.gateway.cut()
                await runner.cleanup()
                await asyncio.sleep(0)

    def _make_certificates(self, folder: Path) -> ssl.SSLContext:
        authority = trustme.CA()
        certificate = authority.issue_cert("127.0.0.1", "localhost")
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        certificate.configure_cert(context)
        path = folder / "fake-discord-ca.pem"
        authority.cert_pem.write_to_path(str(path))
        self.ca_file = str(path)
        return context

    def _listening(self, runner: web.AppRunner) -> None:
        self.port = runner.addresses[0][1]
        self.state.gateway.url = self.gateway_url
        self.state.cdn.origin = self.origin


def _application(discord: FakeDiscord, rest: RestEndpoint) -> web.Application:
    application = web.Application(client_max_size=_MAX_BODY)
    application.router.add_get("/gateway", discord.gateway.accept)
    application.router.add_get("/gateway/", discord.gateway.accept)
    application.router.add_get("/attachments/{channel_id}/{attachment_id}/{filename}", discord.serve_file)
    application.router.add_route("*", PREFIX + "/{path:.*}", rest.handle)
    return application
