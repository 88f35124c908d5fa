"""One bot of the comparison as a process of its own: `parley`, `echo` or `asking`, with a probe of its loop.

All find the fake Discord by the same environment and stop on SIGTERM; then the lags of the loop go to the
file that LAGS names: pairs of (when, late by), in monotonic seconds.
"""

import asyncio
import json
import logging
import os
import signal
import sys
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import aiohttp
import discord
import yarl
from discord.gateway import DiscordWebSocket

from bot.discord_chat.addresses import DiscordAddresses
from bot.logging_setup import configure_logging
from bot.settings_source import load_settings
from bot.wiring.discord_bot import run_discord

_PROBED_EVERY_S = 0.01


class EchoBot(discord.Client):
    """The floor: what discord.py and the sockets cost when nothing is kept, composed or asked."""

    async def on_message(self, message: discord.Message) -> None:
        if self.user is None or message.author.id == self.user.id:
            return
        await message.channel.typing()
        await message.channel.send(message.content)


class AskingBot(discord.Client):
    """The floor of a bot with a model: it asks, joins what is streamed and posts it; nothing is kept."""

    async def setup_hook(self) -> None:
        self._models = aiohttp.ClientSession()

    async def on_message(self, message: discord.Message) -> None:
        if self.user is None or message.author.id == self.user.id:
            return
        await message.channel.typing()
        await message.channel.send(await self._answer(message.content))

    async def close(self) -> None:
        await self._models.close()
        await super().close()

    async def _answer(self, question: str) -> str:
        body = {
            "model": os.environ["OPENAI_MODEL"],
            "stream": True,
            "messages": [{"role": "user", "content": question}],
        }
        words: list[str] = []
        url = f"{os.environ['OPENAI_API_BASE_URL']}/chat/completions"
        async with self._models.post(url, json=body) as answer:
            async for line in answer.content:
                if line.startswith(b"data: {"):
                    choices = json.loads(line[6:])["choices"]
                    words += [choice["delta"].get("content") or "" for choice in choices]
        return "".join(words)


async def floor(kind: type[EchoBot | AskingBot]) -> None:
    """Runs a floor until SIGTERM."""
    addresses = DiscordAddresses(
        api_base_url=os.environ["DISCORD_API_BASE_URL"], ca_file=Path(os.environ["DISCORD_CA_FILE"])
    )
    addresses.use_api()
    DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(os.environ["DISCORD_GATEWAY_URL"])
    intents = discord.Intents.default() | discord.Intents(message_content=True)
    async with kind(intents=intents, connector=addresses.connector()) as bot, asyncio.TaskGroup() as tasks:
        stopping = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
        tasks.create_task(bot.start(os.environ["DISCORD_TOKEN"]))
        await stopping.wait()
        await bot.close()


async def parley() -> None:
    """Runs the product as `python -m bot` does."""
    settings = load_settings()
    configure_logging(settings.log)
    await run_discord(settings)


async def _probed(bot: Coroutine[Any, Any, None], lags: list[tuple[float, float]]) -> None:
    async def probe() -> None:
        while True:
            due = time.perf_counter() + _PROBED_EVERY_S
            await asyncio.sleep(_PROBED_EVERY_S)
            now = time.perf_counter()
            lags.append((now, max(0.0, now - due)))

    async with asyncio.TaskGroup() as tasks:
        probing = tasks.create_task(probe())
        await bot
        probing.cancel()


def main(name: str) -> None:
    """Runs the bot of that name, then writes the lags."""
    lags: list[tuple[float, float]] = []
    kinds = {"echo": EchoBot, "asking": AskingBot}
    if name in kinds:
        logging.basicConfig(level=logging.WARNING)
    asyncio.run(_probed(floor(kinds[name]) if name in kinds else parley(), lags))
    Path(os.environ["LAGS"]).write_text(json.dumps(lags))


if __name__ == "__main__":
    main(sys.argv[1])
