"""The fake Discord started on its own, driven by lines as a person or a pipe would."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Iterable
from pathlib import Path

import discord
from discord import app_commands

from tests.fake_discord import FakeDiscord
from tests.fake_discord.probe import connected
from tests.fake_discord.terminal import Terminal

ROOT = Path(__file__).resolve().parents[2]


async def each(lines: Iterable[str]) -> AsyncIterator[str]:
    for line in lines:
        yield line


async def test_a_person_talks_with_the_bot(discord_server: FakeDiscord) -> None:
    shown: list[str] = []
    async with connected(discord_server) as client:
        tree = app_commands.CommandTree(client)

        @tree.command(description="Answers at once")
        async def ping(interaction: discord.Interaction) -> None:
            await interaction.response.send_message("pong", ephemeral=True)

        await tree.sync()

        @client.event
        async def on_message(message: discord.Message) -> None:
            if client.user in message.mentions or message.guild is None:
                sent = await message.reply("well")
                await sent.edit(content=f"well, {message.clean_content.split()[-1]}")

        lines = [
            "hello you",
            ":answer",
            ".not for you",
            "/ping",
            ":answer",
            ":dm",
            "psst",
            ":answer",
            ":nonsense",
        ]
        await Terminal(discord_server, shown.append).run(
            each([*lines, "/nothing", ":status", ":quit", "no more"])
        )
    assert shown[0] == "* the bot is connected"
    assert "Parley: well" in shown
    assert "Parley (edited): well, you" in shown
    assert "Parley (only you see this): pong" in shown
    assert any(line.startswith("! no command 'nothing'") for line in shown)
    assert "no more" not in "".join(shown)


async def test_it_runs_as_a_program_and_tells_where_it_is(tmp_path: Path) -> None:
    """SET-4: what it prints is all that the bot needs to find it."""
    env_file = tmp_path / "fake.env"
    program = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.fake_discord", "--env-file", str(env_file)),
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    output, _ = await program.communicate(b":commands\n:status\n")
    text = output.decode()
    assert program.returncode == 0
    assert "DISCORD_API_BASE_URL=https://127.0.0.1:" in text
    assert "DISCORD_GATEWAY_URL=wss://127.0.0.1:" in text
    assert "commands: none registered" in text
    assert "the bot is not connected" in text
    assert {line.partition("=")[0] for line in env_file.read_text().splitlines()} == {
        "DISCORD_TOKEN",
        "DISCORD_API_BASE_URL",
        "DISCORD_GATEWAY_URL",
        "DISCORD_CA_FILE",
    }
