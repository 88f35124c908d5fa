"""The newcomer's guide, followed against the fake: what it names exists, what it says happens (SET-5)."""

import asyncio
import re
import shlex
import sys
from pathlib import Path

from bot.cli import parser
from bot.settings_source import setting_fields
from tests.architecture.sources import ROOT
from tests.fake_discord.commands import Command
from tests.fake_models import Answer
from tests.flows.bot_process import BotProcess, scrubbed_environment
from tests.flows.recipe_room import owner
from tests.flows.slash_commands import run, told_alone
from tests.flows.text_room import TextRoom

GUIDE = (ROOT / "docs" / "GETTING_STARTED.md").read_text("utf-8")
IN_CODE = re.findall(r"`([^`\n]+)`", GUIDE)


def full_names(commands: list[Command]) -> set[str]:
    """Every command by the name that people type, and every menu by its own."""
    names: set[str] = set()
    for command in commands:
        parts = [one for one in command.definition.get("options") or [] if one["type"] in (1, 2)]
        if command.kind != 1:
            names.add(command.name)
        elif parts:
            names |= {f"/{command.name} {part['name']}" for part in parts}
        else:
            names.add(f"/{command.name}")
    return names


def test_every_setting_that_the_guide_names_exists() -> None:
    """SET-1: a name with its value, or alone."""
    known = {name for name, _ in setting_fields()}
    named = {
        match[0] for code in IN_CODE if (match := re.match(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?==|$)", code))
    }
    assert {"DISCORD_TOKEN", "OPENAI_API_KEY", "TRIGGER_MODE"} <= named
    assert named - known == set()


def test_every_program_that_the_guide_names_exists() -> None:
    """SET-2, SET-5: `make` targets, and what `python -m bot` can do."""
    makefile = (ROOT / "Makefile").read_text("utf-8")
    targets = {code.split()[1] for code in IN_CODE if code.startswith("make ")}
    assert targets
    assert {target for target in targets if f"\n{target}:" not in f"\n{makefile}"} == set()
    for asked in {match[1] for code in IN_CODE if (match := re.search(r"python -m bot (\w.*)", code))}:
        words = shlex.split(asked)
        assert parser().parse_args(words).command == words[0]


async def test_the_guide_leads_from_nothing_to_an_answer(room: TextRoom, tmp_path: Path) -> None:
    """SET-2, SET-7, CMD-1: token, file, link, doctor, start, the first words, the commands that it names."""
    text = (ROOT / ".env.example").read_text("utf-8")
    filled = {
        **room.discord.environment,
        "OPENAI_API_BASE_URL": room.models.base_url,
        "OPENAI_MODEL": "fake-model",
        "REMEMBER_AFTER_S": "0",
        "LOCAL_MODEL_DISCOVERY": "off",
    }
    for name, value in filled.items():
        text, count = re.subn(rf"(?m)^#?{name}=.*$", f"{name}={value}", text)
        assert count == 1, name
    (tmp_path / ".env").write_text(text, "utf-8")
    link = await program(tmp_path, "invite")
    assert "https://discord.com/oauth2/authorize?client_id=" in link
    assert "Message Content Intent" in await program(tmp_path, "doctor")
    room.models.script(Answer(text=("Hello, Ada.",)), Answer(text=("Just us.",)), Answer(text=("Yes.",)))
    direct = room.discord.world.dm(room.ada)
    async with BotProcess.started(tmp_path, {"REMEMBER_AFTER_S": "0"}) as bot:
        await room.discord.bot_connected(within_s=40)
        room.says("hello")
        first = await room.answer("Hello, Ada.")
        room.discord.humans.say(direct, room.ada, "psst")
        await room.answer("Just us.", channel=direct)
        room.discord.humans.say(room.general, room.ada, "really?", reply_to=first)
        await room.answer("Yes.")
        assert "it replies to the bot" in await told_alone(run(room, "why"))
        assert "every message" in await told_alone(run(room, "session mode", by=owner(room), answer="all"))
        known = full_names(room.discord.commands.listed())
        named = {code for code in IN_CODE if re.fullmatch(r"/[a-z-]+(?: [a-z-]+)?", code)}
        assert named - known == set()
        menus = set(re.findall(r'"([A-Z][^"]+)"', GUIDE.partition("## When does")[2]))
        assert {"Why?", "Ask about this", "Remember this"} <= menus & known
        await bot.stopped()
    assert (tmp_path / "data").is_dir()


async def program(folder: Path, *arguments: str) -> str:
    """What `python -m bot ...` prints in that folder."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bot",
        *arguments,
        cwd=folder,
        env=scrubbed_environment({}),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    printed, _ = await process.communicate()
    return printed.decode()
