"""What the doctor finds, against the fake Discord and real servers on loopback."""

import asyncio
import io
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from pydantic import SecretStr
from rich.console import Console

from bot.doctor.database_probe import DatabaseProbe
from bot.doctor.discord_probe import DiscordProbe, clock_finding
from bot.doctor.findings import Finding, State, examined
from bot.doctor.machine_probes import DataFolderProbe
from bot.doctor.model_probe import ModelProbe
from bot.doctor.report import print_report
from bot.doctor.voice_probe import VoiceProbe
from bot.invite import NEEDED_PERMISSIONS, needed_bits
from bot.language_models.local_servers import LocalServer
from bot.settings import DiscordSettings, ModelSettings
from core.failures import Failure
from sessions.storage.database import Database
from tests.fake_discord import FakeDiscord
from tests.fake_discord.fixtures import discord_server
from voice.transport.capabilities import voice_capabilities

__all__ = ["discord_server"]


def settings_for(server: FakeDiscord, *, token: str | None = None) -> DiscordSettings:
    return DiscordSettings(
        token=SecretStr(token or server.token),
        api_base_url=server.api_base_url,
        ca_file=Path(server.ca_file),
    )


async def rows(settings: DiscordSettings) -> dict[str, Finding]:
    return {finding.check: finding for finding in await examined([DiscordProbe(settings)])}


class TestDiscord:
    async def test_a_sound_account_is_fine_in_every_row(self, discord_server: FakeDiscord) -> None:
        """SET-2: token, intents, permissions, invite link and clock."""
        guild = discord_server.guild
        role = discord_server.world.add_role(guild, "needed", permissions=needed_bits())
        guild.members[discord_server.bot.id].roles.append(role)
        found = await rows(settings_for(discord_server))
        assert list(found) == [
            "Token",
            "Server Members Intent",
            "Message Content Intent",
            "Permissions",
            "Invite link",
            "Clock",
        ]
        assert {finding.state for finding in found.values()} == {State.FINE}
        assert f"client_id={discord_server.world.application.id}&" in found["Invite link"].found

    async def test_a_switch_that_is_off_is_named_in_discords_words(self, discord_server: FakeDiscord) -> None:
        """SET-7: the portal's page and switch by name."""
        discord_server.world.application.message_content_intent = False
        found = await rows(settings_for(discord_server))
        assert found["Server Members Intent"].state is State.FINE
        off = found["Message Content Intent"]
        assert off.state is State.FAILED
        assert off.fix == (
            f"Open https://discord.com/developers/applications/{discord_server.world.application.id}/bot,"
            " section Privileged Gateway Intents, and switch on Message Content Intent."
        )

    async def test_a_refused_token_says_how_to_reset_it(self, discord_server: FakeDiscord) -> None:
        """SET-7: how to reset a token."""
        found = await rows(settings_for(discord_server, token="a-wrong-token"))
        assert list(found) == ["Token"]
        assert found["Token"].state is State.FAILED
        assert "Reset Token" in found["Token"].fix
        assert "a-wrong-token" not in str(found)

    async def test_missing_permissions_are_named_with_their_server(self, discord_server: FakeDiscord) -> None:
        world = discord_server.world
        bare = world.add_guild("Bare", owner=world.owner)
        bare.everyone.permissions = needed_bits() & ~NEEDED_PERMISSIONS[4].bit
        finding = (await rows(settings_for(discord_server)))["Permissions"]
        assert finding.state is State.WARNING
        assert "Bare: Embed Links" in finding.found
        assert "https://discord.com/oauth2/authorize" in finding.fix

    async def test_an_untrusted_certificate_is_a_row_not_a_crash(self, discord_server: FakeDiscord) -> None:
        """SET-4: the extra certificate is what makes the address trusted."""
        settings = settings_for(discord_server).model_copy(update={"ca_file": None})
        found = await rows(settings)
        assert found["Token"].state is State.FAILED
        assert "Certificate" in found["Token"].found
        assert "DISCORD_CA_FILE" in found["Token"].fix

    async def test_without_a_token_the_row_tells_how_to_connect(self) -> None:
        found = await rows(DiscordSettings())
        assert found["Token"].state is State.SKIPPED
        assert "DISCORD_TOKEN" in found["Token"].fix

    @pytest.mark.parametrize(
        ("ahead_s", "state", "words"),
        [
            (1.0, State.FINE, "within"),
            (-90.0, State.FAILED, "90 s behind"),
            (90.0, State.FAILED, "90 s ahead of"),
            (None, State.SKIPPED, "no date"),
        ],
    )
    def test_the_clock_is_judged_against_discords(
        self, ahead_s: float | None, state: State, words: str
    ) -> None:
        finding = clock_finding(ahead_s)
        assert finding.state is state
        assert words in finding.found


@asynccontextmanager
async def endpoint(respond: Callable[[web.Request], Awaitable[web.StreamResponse]]) -> AsyncGenerator[str]:
    application = web.Application()
    application.router.add_get("/v1/models", respond)
    async with TestServer(application) as server:
        yield str(server.make_url("/v1"))


async def two_models(request: web.Request) -> web.Response:
    if request.headers.get("Authorization") != "Bearer right":
        return web.json_response({}, status=401)
    return web.json_response({"data": [{"id": "a"}, {"id": "b"}]})


class TestModel:
    @pytest.mark.parametrize(
        ("key", "name", "state", "words"),
        [
            ("right", "b", State.FINE, "b at http"),
            ("right", None, State.FINE, "a at http"),
            ("right", "c", State.WARNING, "Set OPENAI_MODEL to one of: a, b"),
            ("wrong", "b", State.FAILED, "Correct OPENAI_API_KEY"),
        ],
    )
    async def test_the_endpoint_of_the_settings(
        self, key: str, name: str | None, state: State, words: str
    ) -> None:
        async with endpoint(two_models) as address:
            settings = ModelSettings(base_url=address, api_key=SecretStr(key), name=name)
            [finding] = await examined([ModelProbe(settings, for_console=False)])
        assert finding.state is state
        assert words in f"{finding.found} {finding.fix}"

    async def test_an_endpoint_that_is_not_there(self) -> None:
        settings = ModelSettings(base_url="http://127.0.0.1:9/v1", name="m")
        [finding] = await examined([ModelProbe(settings, for_console=False)])
        assert finding.state is State.FAILED
        assert "cannot be reached" in finding.found

    async def test_a_server_on_this_machine_serves_the_console_alone(self) -> None:
        async def open_models(_request: web.Request) -> web.Response:
            return web.json_response({"data": [{"id": "qwen3"}]})

        async with endpoint(open_models) as address:
            servers = [LocalServer(name="Ollama", base_url=address)]
            found = [
                (await examined([ModelProbe(ModelSettings(), for_console=console, local_servers=servers)]))[0]
                for console in (True, False)
            ]
        assert "qwen3 from Ollama" in found[0].found
        assert "embedded model" in found[1].found


class TestMachine:
    async def test_voice_is_tried_and_its_versions_are_told(self) -> None:
        """SET-2: Opus and DAVE."""
        opus, dave, ciphers = await examined([VoiceProbe(voice_capabilities)])
        assert {opus.state, dave.state, ciphers.state} == {State.FINE}
        assert opus.found.startswith("libopus ")
        assert "protocol version 1" in dave.found
        assert "aead_aes256_gcm_rtpsize" in ciphers.found

    async def test_a_machine_without_libopus_is_told(self) -> None:
        """SET-2: a warning, for without voice the bot does its other work."""
        broken = replace(voice_capabilities(), opus=None, opus_problem="libopus is missing")
        opus, dave, _ = await examined([VoiceProbe(lambda: broken)])
        assert (opus.state, opus.found) == (State.WARNING, "libopus is missing: no voice")
        assert dave.state is State.FINE

    async def test_folder_and_disk(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        folder, disk = await examined([DataFolderProbe(tmp_path / "new" / "data")])
        assert (folder.state, disk.state) == (State.FINE, State.FINE)
        assert "will be created" in folder.found
        tmp_path.chmod(0o755)
        monkeypatch.setattr("bot.doctor.machine_probes.LEAST_FREE", 1 << 60)
        folder, disk = await examined([DataFolderProbe(tmp_path)])
        assert (folder.state, folder.fix) == (State.WARNING, f"chmod 700 {tmp_path}")
        assert disk.state is State.FAILED

    async def test_the_database_is_opened_as_a_start_does(self, tmp_path: Path) -> None:
        """SET-2: the database opens and its tables are up to date."""
        url = f"sqlite:///{tmp_path / 'parley.db'}"
        [finding] = await examined([DatabaseProbe(lambda: Database(url), where="SQLite")])
        assert (finding.state, finding.found) == (State.FINE, "SQLite opens, its tables are up to date")
        broken = f"sqlite:///{tmp_path / 'missing' / 'parley.db'}"
        (tmp_path / "missing").touch()
        [finding] = await examined([DatabaseProbe(lambda: Database(broken), where="SQLite")])
        assert finding.state is State.FAILED
        assert finding.fix


class Hanging:
    check = "Hanging"

    async def findings(self) -> Sequence[Finding]:
        await asyncio.sleep(3600)
        return []


class Broken:
    check = "Broken"

    async def findings(self) -> Sequence[Finding]:
        raise Failure("advice", reason="boom")


class Sound:
    check = "Sound"

    async def findings(self) -> Sequence[Finding]:
        return [Finding(check=self.check, state=State.FINE, found="well")]


async def test_no_probe_can_hang_or_break_the_others() -> None:
    started = time.monotonic()
    found = await examined([Hanging(), Broken(), Sound()], timeout_s=0.05)
    assert time.monotonic() - started < 2
    assert [(finding.check, finding.state) for finding in found] == [
        ("Hanging", State.FAILED),
        ("Broken", State.FAILED),
        ("Sound", State.FINE),
    ]


@pytest.mark.parametrize(
    ("state", "code", "last"),
    [(State.FAILED, 1, "To mend: Clock."), (State.WARNING, 0, "Nothing stands in the way.")],
)
def test_the_table_shows_the_fix_and_the_exit_code_tells_failure(state: State, code: int, last: str) -> None:
    """SET-2: a table with fixes."""
    output = io.StringIO()
    finding = Finding(check="Clock", state=state, found="[bold]90 s behind", fix="set it")
    assert print_report([finding], Console(file=output)) == code
    text = output.getvalue()
    assert "[bold]90 s behind" in text
    assert "set it" in text
    assert text.splitlines()[-1] == last
