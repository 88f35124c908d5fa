"""`python -m bot` as its own process, by environment and `.env` alone."""

import asyncio
import os
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

from bot import __version__
from bot.data_folder import held_data_folder
from bot.invite import invite_link
from bot.settings_source import setting_fields
from tests.architecture.sources import ROOT
from tests.fake_discord import FakeDiscord
from tests.fake_discord.fixtures import discord_server

__all__ = ["discord_server"]

NAMES = {name for name, _ in setting_fields()}


def environment(more: Mapping[str, str]) -> dict[str, str]:
    """This environment without our settings, and with the given ones."""
    inherited = {name: value for name, value in os.environ.items() if name.upper() not in NAMES}
    return {**inherited, "PYTHONPATH": str(ROOT), "LOCAL_MODEL_DISCOVERY": "off", **more}


def run(
    folder: Path, *arguments: str, settings: Mapping[str, str] | None = None, given: str = ""
) -> subprocess.CompletedProcess[str]:
    """Runs the bot to its end in a folder of its own."""
    return subprocess.run(
        [sys.executable, "-m", "bot", *arguments],
        cwd=folder,
        env=environment(settings or {}),
        input=given,
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )


async def run_beside(
    server: FakeDiscord, folder: Path, *arguments: str, settings: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """The same while the fake Discord of this loop answers."""
    return await asyncio.to_thread(
        run, folder, *arguments, settings={**server.environment, **(settings or {})}
    )


def test_version_and_help_need_no_settings(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("LOG_LEVEL=LOUD\n")
    assert run(tmp_path, "--version").stdout == f"Parley {__version__}\n"
    shown = run(tmp_path, "--help")
    assert shown.returncode == 0
    assert {"run", "doctor", "invite"} <= set(shown.stdout.split())


@pytest.mark.parametrize("command", [[], ["doctor"], ["invite"]])
def test_bad_settings_are_a_line_each_and_exit_code_two(tmp_path: Path, command: list[str]) -> None:
    """SET-1: one clear line each, exit code 2, no traceback, no value."""
    (tmp_path / ".env").write_text("DISCORD_TOKE=abc.secret\nMAX_REPLY_MESSAGES=lots\n")
    done = run(tmp_path, *command)
    assert (done.returncode, done.stdout) == (2, "")
    lines = done.stderr.splitlines()
    assert len(lines) == 2
    assert "did you mean DISCORD_TOKEN?" in lines[0]
    assert lines[1].startswith("settings: MAX_REPLY_MESSAGES: expected a whole number")
    assert "secret" not in done.stderr
    assert not (tmp_path / "data").exists()


def test_an_unknown_command_is_exit_code_two(tmp_path: Path) -> None:
    done = run(tmp_path, "summon")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_invite_prints_the_link_for_a_client_id(tmp_path: Path) -> None:
    """SET-2: `python -m bot invite`."""
    done = run(tmp_path, "invite", settings={"DISCORD_BOT_CLIENT_ID": "123"})
    assert (done.returncode, done.stdout, done.stderr) == (0, invite_link(123) + "\n", "")


def test_invite_without_anything_says_what_it_needs(tmp_path: Path) -> None:
    done = run(tmp_path, "invite")
    assert (done.returncode, done.stdout) == (1, "")
    assert "DISCORD_BOT_CLIENT_ID" in done.stderr
    assert len(done.stderr.splitlines()) == 1


async def test_invite_asks_discord_for_the_application(discord_server: FakeDiscord, tmp_path: Path) -> None:
    """SET-2, SET-4: the link for the token's application, from the configured address."""
    done = await run_beside(discord_server, tmp_path, "invite")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == invite_link(discord_server.world.application.id) + "\n"


async def test_the_doctor_shows_every_row_and_fails_by_exit_code(
    discord_server: FakeDiscord, tmp_path: Path
) -> None:
    """SET-2, SET-7: the table with its fixes, from the outside."""
    discord_server.world.application.server_members_intent = False
    done = await run_beside(discord_server, tmp_path, "doctor")
    assert done.returncode == 1
    for row in ("Token", "Server Members Intent", "Message Content Intent", "Permissions", "Invite link",
                "Clock", "Opus", "DAVE", "Language model", "Database", "Data folder", "Disk"):  # fmt: skip
        assert row in done.stdout, row
    words = " ".join(done.stdout.replace("│", " ").split())
    assert "Privileged Gateway Intents" in words, done.stdout
    assert done.stdout.splitlines()[-1] == "To mend: Server Members Intent."
    assert discord_server.token not in done.stdout + done.stderr


def test_a_second_start_in_the_same_folder_names_the_first(tmp_path: Path) -> None:
    """SET-6: one process per data folder."""
    with held_data_folder(tmp_path / "data"):
        second = run(tmp_path)
    assert (second.returncode, second.stdout) == (1, "")
    assert f"is held by process {os.getpid()};" in second.stderr
    assert len(second.stderr.splitlines()) == 1


def test_importing_the_application_starts_and_binds_nothing(tmp_path: Path) -> None:
    """SET-8: no thread, process, socket, file or setting is touched by an import of any module."""
    program = """
import importlib, pkgutil, sys, threading
touched = []
def watch(event, arguments):
    if event in "socket.bind socket.connect subprocess.Popen os.posix_spawn os.fork os.mkdir".split():
        touched.append((event, arguments))
    elif event == "open" and isinstance(arguments[1], str) and set(arguments[1]) & set("wax+"):
        touched.append((event, arguments))
sys.addaudithook(watch)
sys.dont_write_bytecode = True
for package in sys.argv[1:]:
    for module in pkgutil.walk_packages([package], package.rpartition("/")[2] + "."):
        if module.name == "recipes.tasks.durable":
            continue  # with the first task: its library asks `file` for the width of this machine's words
        if not module.name.endswith((".__main__", ".env")) and ".versions." not in module.name:
            importlib.import_module(module.name)
assert threading.enumerate() == [threading.main_thread()], threading.enumerate()
assert "bot.wiring.discord_bot" in sys.modules and "dbos" not in sys.modules
assert not touched, touched
"""
    packages = [str(ROOT / name) for name in ("core", "sessions", "recipes", "voice", "bot")]
    done = subprocess.run(
        [sys.executable, "-c", program, *packages],
        cwd=tmp_path,
        env=environment({"DISCORD_TOKEN": "x", "LOG_LEVEL": "not read"}),
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_version_is_the_projects() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["version"] == __version__
