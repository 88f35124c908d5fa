"""From a person's last voiced frame to the bot's first one, through the whole bot and both servers (VOX-27).

    python -m benchmarks.voice_to_voice [--turns 40] [--embedded] [--output FILE.json]

A person on the fake voice server speaks in real time; speech to text, the language model and text to speech
each take 100 ms by script. The bot is a process of its own, beside that of the servers and the person.
"floor" is the same calls without a conversation: a bot plays a tone as soon as it hears the first frame, so
it is what sockets, encryption, jitter buffer and pacing need both ways. "ours" is the total without the
scripts, the silence that ends a turn, and the floor. With speculation the total is to be below the sum of the
stages. "where" tells the stretches of a turn as the bot itself measures them, the median of each. "barge-in"
is from the first voiced frame of somebody who talks over the bot, as it leaves them, to the bot's last
packet, as it comes to them: the rule of 200 ms, and the way there and back. Nothing is asserted.

`--embedded` leaves the scripts away: the voice of this machine asks, Whisper hears it, the embedded language
model answers, Piper speaks, all on this machine, at the same time as both servers: the honest total.
"""

import argparse
import asyncio
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.text_path_model import instant_model
from benchmarks.voice_to_voice_bots import STAGE_S
from bot.settings import Settings
from bot.wiring.speech import speech_services
from tests.fake_discord import FakeDiscord
from tests.fake_discord.voice import Human
from tests.fake_discord.voice.media import MediaPacket
from tests.fake_models import FakeModels
from tests.fake_models.scripts import Answer
from tests.flows.bot_process import scrubbed_environment
from tests.flows.slash_commands import run, told_alone
from tests.flows.text_room import TextRoom
from tests.flows.voice_room import VoiceRoom, voice_room
from tests.flows.voice_scene import speech
from voice.audio.frames import OPUS_SILENCE
from voice.output.text_to_speech import TextToSpeech

SILENCE_S = 0.2
_SPOKEN_S = 0.8
_QUESTIONS = ("What is the capital of France?", "How many legs does a spider have?")
_PATIENCE_S = 15.0
_START_WITHIN_S = 40.0
_LISTENS_S = 0.6
_SCRIPTED = {"OPENAI_MODEL": "by-the-clock"}


@dataclass
class Stopwatch:
    """When sound left a person, and when sound of the bot came to them."""

    human: Human
    came: list[float] = field(default_factory=list[float])
    left_at: float = 0.0

    def __post_init__(self) -> None:
        hear, frame = self.human.hear, self.human.frame

        def heard(packet: MediaPacket) -> None:
            if packet.payload != OPUS_SILENCE:
                self.came.append(time.perf_counter())
                self._came.set()
            hear(packet)

        def sent(opus: bytes, **fields: Any) -> None:
            if opus != OPUS_SILENCE:
                self.left_at = time.perf_counter()
            frame(opus, **fields)

        self.human.hear, self.human.frame = heard, sent
        self._came = asyncio.Event()

    async def answered_after(self, since: float, *, within_s: float = _PATIENCE_S) -> float:
        """When the first sound after `since` came."""
        async with asyncio.timeout(within_s):
            while not (self.came and self.came[-1] > since):
                self._came.clear()
                await self._came.wait()
        return next(at for at in self.came if at > since)

    def last_before(self, silence_s: float, since: float) -> float:
        """When the last sound came before the first such silence after `since`; now at the latest."""
        moments = [since, *(at for at in self.came if at > since), time.perf_counter()]
        return next((at for at, following in pairwise(moments) if following - at > silence_s), moments[-1])

    async def quiet(self, seconds: float = 0.5) -> None:
        """Waits until nothing came for a while."""
        try:
            while True:
                self._came.clear()
                async with asyncio.timeout(seconds):
                    await self._came.wait()
        except TimeoutError:
            return


def _spoken(seconds: float) -> bytes:
    """Loud up to its last frame: a voice that fades is over, for who listens, before its last packet left."""
    return speech(seconds, softest=0.6, fade_s=0.002)


@dataclass(frozen=True)
class Waits:
    """Seconds from the last voiced frame to the first sound, turn by turn; and `/voice stats`."""

    totals: list[float]
    where: str


@asynccontextmanager
async def _place(folder: Path) -> AsyncIterator[VoiceRoom]:
    """Discord, its voice servers and a person's room, without rate limits and checks."""
    async with (
        FakeDiscord.running(rate_limits=False, validate=False) as discord,
        FakeModels.running() as models,  # it checks what it is asked, so bots are given another one
    ):
        room = TextRoom(discord=discord, models=models, folder=folder)
        async with voice_room(room) as place:
            yield place


@asynccontextmanager
async def _bot(name: str, place: VoiceRoom, **settings: str) -> AsyncIterator[None]:
    """A bot as a process of its own, greeted by Discord; ended with the block."""
    discord = place.room.discord
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "benchmarks.voice_to_voice_bots",
        name,
        env=scrubbed_environment({**discord.environment, "LOG_LEVEL": "ERROR", **settings}),
    )
    try:
        await discord.bot_connected(within_s=_START_WITHIN_S)
        yield
    finally:
        process.terminate()
        await process.wait()


@asynccontextmanager
async def _called(bot: str, settings: Mapping[str, str]) -> AsyncIterator[tuple[VoiceRoom, Stopwatch]]:
    """The bot in a channel with one person."""
    with tempfile.TemporaryDirectory(prefix="voice-to-voice-") as kept:
        folder = Path(kept)
        async with (
            instant_model(Answer(text=("Paris.",)), delay_s=STAGE_S) as model,
            _place(folder) as place,
            _bot(bot, place, DATA_DIR=str(folder), **{"OPENAI_API_BASE_URL": model, **settings}),
        ):
            ada = place.enter(place.room.ada)
            await place.room.commands_known()
            await place.summoned()
            await place.reports("Connected")
            await place.until(lambda: ada.ready)
            yield place, Stopwatch(ada)


async def conversation(
    bot: str,
    turns: int,
    *,
    spoken: Callable[[int], bytes],
    settings: Mapping[str, str],
    patience_s: float = _PATIENCE_S,
) -> Waits:
    """A person says `spoken(turn)` turn after turn, each when the answer to the one before was heard."""
    async with _called(bot, settings) as (place, watch):
        totals: list[float] = []
        for turn in range(turns + 1):
            await watch.human.speak(spoken(turn), pace_s=0.02)
            came = await watch.answered_after(watch.left_at, within_s=patience_s)
            if turn > 0:  # the first one finds everything cold
                totals.append(came - watch.left_at)
            await watch.quiet()
        return Waits(totals, await told_alone(run(place.room, "voice stats")))


async def talked_over(rounds: int) -> list[float]:
    """Seconds from the first frame of who talks over the bot to its last packet."""
    settings = {**_SCRIPTED, "SOUND_S": "5"}
    found: list[float] = []
    async with _called("talk", settings) as (_, watch):
        await watch.human.speak(_spoken(_SPOKEN_S), pace_s=0.02)
        for _ in range(rounds):
            await watch.answered_after(watch.left_at)
            await asyncio.sleep(_LISTENS_S + random.random() * 0.02)
            began = time.perf_counter()
            await watch.human.speak(_spoken(_SPOKEN_S), pace_s=0.02)
            found.append(watch.last_before(0.1, began) - began)
    return found


def scripted(turns: int, *, speculates: bool) -> Waits:
    """Every stage takes 100 ms."""
    talk = conversation(
        "talk",
        turns,
        spoken=lambda _: _spoken(_SPOKEN_S),
        settings={**_SCRIPTED, "SOUND_S": "0.3", "VOICE_SPECULATION": "on" if speculates else "off"},
    )
    return asyncio.run(talk)


async def embedded(turns: int) -> Waits:
    """Real models on this machine, as it is installed."""
    async with speech_services(Settings()) as services:
        if services.speech_to_text is None or services.text_to_speech is None:
            sys.exit("skipped: " + " ".join(services.missing))
        questions = [await _voiced(services.text_to_speech, text) for text in _QUESTIONS]
    return await conversation(
        "own",
        turns,
        spoken=lambda turn: questions[turn % len(questions)],
        settings={"OPENAI_API_BASE_URL": ""},
        patience_s=120.0,
    )


async def _voiced(voice: TextToSpeech, text: str) -> bytes:
    async with aclosing(voice.speak(text, language="en")) as chunks:
        return b"".join([chunk.pcm async for chunk in chunks])


async def floor(rounds: int) -> list[float]:
    """Seconds from a person's first frame to the tone that the bot plays on it."""
    async with _place(Path()) as place:
        channel = place.lounge
        ada = place.enter(place.room.ada)
        async with _bot("echo", place, CHANNEL=f"{place.guild.id}/{channel.id}"):
            await place.until(lambda: place.bot_is_in(channel) and ada.ready, within_s=_START_WITHIN_S)
            watch = Stopwatch(ada)
            found: list[float] = []
            while len(found) <= rounds:
                began = time.perf_counter()
                await ada.speak(_spoken(0.06), pace_s=0.02)
                try:
                    found.append(await watch.answered_after(began, within_s=1.0) - began)
                except TimeoutError:  # it has no key yet
                    continue
                await watch.quiet()
            return found[1:]


async def stage_s() -> float:
    """What a script of 100 ms takes: a loop's timers are late by up to a millisecond or two."""
    taken: list[float] = []
    for _ in range(20):
        began = time.perf_counter()
        await asyncio.sleep(STAGE_S)
        taken.append(time.perf_counter() - began)
    return statistics.median(taken)


def _figures(seconds: list[float]) -> dict[str, float]:
    ordered = np.array(seconds) * 1000
    return {
        "p50_ms": round(float(np.percentile(ordered, 50)), 1),
        "p99_ms": round(float(np.percentile(ordered, 99)), 1),
    }


def report(turns: int) -> dict[str, dict[str, float]]:
    """All figures of the scripted services."""
    needed = asyncio.run(floor(turns))
    waits = scripted(turns, speculates=False)
    print(f"where, without speculation:\n{waits.where}\n")
    plain, early = waits.totals, scripted(turns, speculates=True).totals
    stages = 3 * asyncio.run(stage_s()) + SILENCE_S
    base = statistics.median(needed)
    return {
        "floor": _figures(needed),
        "total": _figures(plain),
        "ours": _figures([total - stages - base for total in plain]),
        "total with speculation": _figures(early),
        "barge-in": _figures(asyncio.run(talked_over(turns))),
        "sum of the stages": {"ms": round(stages * 1000, 1)},
    }


def main() -> None:
    """Runs and prints."""
    parser = argparse.ArgumentParser(
        description="From the last voiced frame to the first sound of the answer."
    )
    parser.add_argument("--turns", type=int, default=40)
    parser.add_argument("--embedded", action="store_true", help="with the models of this machine")
    parser.add_argument("--output", type=Path)
    asked = parser.parse_args()
    if asked.embedded:
        waits = asyncio.run(embedded(min(asked.turns, 8)))
        print(f"where:\n{waits.where}\n")
        figures = {"embedded total": _figures(waits.totals)}
    else:
        figures = report(asked.turns)
    for name, values in figures.items():
        print(f"{name:24} " + "  ".join(f"{key} {value:8.1f}" for key, value in values.items()))
    if asked.output:
        asked.output.write_text(json.dumps(figures, indent=1), "utf-8")


if __name__ == "__main__":
    main()
