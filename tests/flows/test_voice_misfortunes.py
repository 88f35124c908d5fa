"""Whatever happens to a call, in any order and without a pause: in the end the bot hears and is heard."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable

import pytest

from tests.fake_discord.voice import Human
from tests.fake_discord.world import Channel
from tests.flows.voice_scene import VoiceScene, heard_again, speech, voice_scene
from voice.calls import Call
from voice.transport.gateway_messages import Opcode

_WORDS = (
    Opcode.MLS_KEY_PACKAGE,
    Opcode.MLS_COMMIT_WELCOME,
    Opcode.DAVE_TRANSITION_READY,
    Opcode.MLS_INVALID_COMMIT_WELCOME,
)


class Misfortunes:
    """Chosen by `chance`; `call` is in one of two channels, with somebody in each who stays."""

    def __init__(self, scene: VoiceScene, call: Call, chance: random.Random) -> None:
        self._scene, self._voice, self._call, self._chance = scene, scene.voice, call, chance
        discord = scene.discord
        self._stay = {
            scene.channel.id: scene.human(discord.ada, scene.channel),
            scene.other.id: scene.human(discord.grace, scene.other),
        }
        self._guest = discord.world.add_user("guest")
        discord.world.add_member(scene.guild, self._guest)
        self._visit: tuple[Channel, Human] | None = None

    @property
    def channel(self) -> Channel:
        here = self._call.channel_id == self._scene.channel.id
        return self._scene.channel if here else self._scene.other

    @property
    def other_one(self) -> Human:
        """Who stays in the bot's channel."""
        return self._stay[self._call.channel_id]

    async def strike(self, with_: Callable[[], None] | None = None) -> None:
        await self._scene.until(lambda: self._call.channel_id in self._voice.wires)
        kinds: tuple[Callable[[], None], ...] = (
            self.cut,
            self.close,
            self.change_server,
            self.move,
            self.mislead,
            self.lose_words,
            self.come_or_go,
        )
        (with_ or self._chance.choice(kinds))()
        await asyncio.sleep(self._chance.random() * self._chance.choice((0.01, 0.05, 0.2)))

    def cut(self) -> None:
        self._voice.cut(self.channel)
        self._voice.loses.clear()

    def close(self) -> None:
        self._voice.close(self.channel, self._chance.choice((4006, 4009, 4015, 1001)))
        self._voice.loses.clear()

    def change_server(self) -> None:
        if self._scene.discord.bot.id in self._scene.guild.voice_states:
            self._voice.change_server(self._scene.guild, gap=self._chance.random() < 0.5)

    def move(self) -> None:
        guild = self._scene.guild
        if self._scene.discord.bot.id in guild.voice_states:
            target = self._scene.other if self.channel is self._scene.channel else self._scene.channel
            self._voice.move_bot(guild, target, socket_first=self._chance.random() < 0.5)

    def mislead(self) -> None:
        self._voice.wire(self.channel).binary(
            Opcode.MLS_ANNOUNCE_COMMIT, b"\0\1" + self._chance.randbytes(50)
        )

    def lose_words(self) -> None:
        """They do not arrive, and then the websocket is lost: a websocket that lives loses nothing."""
        self._voice.loses.add(self._chance.choice(_WORDS))

    def come_or_go(self) -> None:
        if self._visit is None:
            self._visit = self.channel, self._scene.human(self._guest, self.channel)
        else:
            self._voice.leave(*self._visit)
            self._visit = None


async def survives(seed: int) -> None:
    chance = random.Random(seed)
    async with voice_scene() as scene:
        call = await scene.join()
        misfortunes = Misfortunes(scene, call, chance)
        for _ in range(10):
            await misfortunes.strike()
        if scene.voice.loses:
            await misfortunes.strike(with_=misfortunes.cut)
        await scene.until(lambda: call.statistics().connected, 10.0)
        await asyncio.sleep(0.2)
        await heard_again(scene, misfortunes.other_one, 40 + seed)
        playback = call.begin_playback()
        await playback.write_pcm(speech(0.2))
        playback.finish()
        await playback.played()
        ssrc = scene.voice.wire(misfortunes.channel).ssrc
        await scene.until(lambda: len(misfortunes.other_one.heard.get(ssrc, b"")) >= 10 * 3_840)


@pytest.mark.parametrize("seed", range(5))
async def test_a_string_of_misfortunes(seed: int) -> None:
    """VOX-7, VOX-2: lost and moved, misled and not understood, while others come and go."""
    await survives(seed)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(5, 205))
async def test_strings_of_misfortunes(seed: int) -> None:
    """VOX-7, VOX-2: the same, two hundred times."""
    await survives(seed)
