"""One bot of `voice_to_voice` as a process of its own, until SIGTERM; it finds everything by its environment.

talk   the product, with speech services that take 100 ms each by script
own    the product as it is
echo   the same calls without a conversation: it plays a tone as soon as it hears a first frame
"""

import asyncio
import os
import sys
from collections.abc import AsyncGenerator
from pathlib import Path

import discord
import yarl
from discord.gateway import DiscordWebSocket

from bot.discord_chat.addresses import DiscordAddresses
from bot.logging_setup import configure_logging
from bot.settings_source import load_settings
from bot.settled_heap import settle_heap
from bot.speech_services import SpeechServices
from bot.wiring.discord_bot import run_discord, running_discord
from bot.wiring.signals import stop_on_signals
from tests.flows.scripted_services import Recogniser, tone
from voice.audio.frames import HeardFrame
from voice.calls import Call
from voice.output.text_to_speech import SynthesisChunk
from voice.transport.link import DiscordCalls
from voice.transport.settings import TransportSettings

STAGE_S = 0.1
_MOST_TURNS = 10_000


class SlowTone:
    """One stage until the sound."""

    def __init__(self, seconds: float) -> None:
        self._pcm = tone(seconds)

    async def speak(self, text: str, *, language: str | None) -> AsyncGenerator[SynthesisChunk]:
        await asyncio.sleep(STAGE_S)
        yield SynthesisChunk(pcm=self._pcm)


class AgreeingTurnModel:
    """Every utterance is complete, half a stage later."""

    async def completeness(self, pcm: bytes) -> float:
        await asyncio.sleep(STAGE_S / 2)  # inside the silence, as a judge of a pause is
        return 0.95


async def _nothing() -> None:
    pass


async def talk() -> None:
    """Speech to text, turn model and text to speech by script; the model is on loopback."""
    settings = load_settings()
    configure_logging(settings.log)
    stopping = asyncio.Event()
    stop_on_signals(stopping)
    services = SpeechServices(
        speech_to_text=Recogniser(
            ["What is the capital of France?"] * _MOST_TURNS, lag_s=STAGE_S, tail_lag_s=STAGE_S / 2
        ),
        text_to_speech=SlowTone(float(os.environ["SOUND_S"])),
        voice_activity=None,
        turn_model=AgreeingTurnModel(),
        language="en",
        hears_by="script",
        speaks_by="script",
        missing=(),
        warm_up=_nothing,
    )
    async with running_discord(settings, stopping, speech=services):
        settle_heap()
        await stopping.wait()


async def own() -> None:
    """As `python -m bot` runs it."""
    settings = load_settings()
    configure_logging(settings.log)
    await run_discord(settings)


async def echo() -> None:
    """Joins the channel that CHANNEL names, as server/channel."""
    stopping = asyncio.Event()
    stop_on_signals(stopping)
    addresses = DiscordAddresses(
        api_base_url=os.environ["DISCORD_API_BASE_URL"], ca_file=Path(os.environ["DISCORD_CA_FILE"])
    )
    addresses.use_api()
    DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(os.environ["DISCORD_GATEWAY_URL"])
    guild_id, channel_id = map(int, os.environ["CHANNEL"].split("/"))
    async with (
        discord.Client(intents=discord.Intents.default(), connector=addresses.connector()) as client,
        asyncio.TaskGroup() as tasks,
        DiscordCalls(client, settings=TransportSettings(), ssl=addresses.trust()) as calls,
    ):
        await client.login(os.environ["DISCORD_TOKEN"])
        connection = tasks.create_task(client.connect())
        await client.wait_until_ready()
        call = await calls.join(guild_id, channel_id)
        playing = tasks.create_task(_play_on_sound(call))
        await stopping.wait()
        await call.leave()
        playing.cancel()
        await client.close()
        connection.cancel()


async def _play_on_sound(call: Call) -> None:
    quiet_until = 0.0
    async for event in call.heard():
        if isinstance(event, HeardFrame) and event.at > quiet_until:
            quiet_until = event.at + 0.4
            playback = call.begin_playback()
            await playback.write_pcm(tone(0.1))
            playback.finish()


if __name__ == "__main__":
    asyncio.run({"talk": talk, "own": own, "echo": echo}[sys.argv[1]]())
