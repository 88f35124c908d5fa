"""The whole bot in a voice channel: a `TextRoom` with voice servers, and people in the channel."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from tests.fake_discord import ChannelKind
from tests.fake_discord.voice import FakeVoice, Human
from tests.fake_discord.world import Channel, Guild, User
from tests.flows.slash_commands import run, told_alone
from tests.flows.text_room import TextRoom
from tests.flows.voice_scene import speech


class VoiceRoom:
    """`lounge` and `attic` are voice channels of the room's server."""

    def __init__(self, room: TextRoom, voice: FakeVoice) -> None:
        self.room = room
        self.voice = voice
        self.lounge = self.add_channel("lounge")
        self.attic = self.add_channel("attic")

    @property
    def guild(self) -> Guild:
        return self.room.discord.guild

    def add_channel(self, name: str, kind: ChannelKind = ChannelKind.VOICE) -> Channel:
        return self.room.discord.world.add_channel(self.guild, name, kind=kind)

    def enter(self, user: User, channel: Channel | None = None) -> Human:
        return self.voice.join(channel or self.lounge, user)

    def bot_is_in(self, channel: Channel) -> bool:
        """As Discord sees it."""
        guild = channel.guild
        assert guild is not None
        state = guild.voice_states.get(self.room.discord.bot.id)
        return state is not None and state.channel is channel

    def said_in(self, channel: Channel) -> list[str]:
        return self.room.answers(channel)

    async def until(self, look: Callable[[], object], *, within_s: float = 5.0) -> None:
        await self.room.discord.until(look, within_s=within_s)

    async def summoned(self, by: User | None = None) -> None:
        """The bot is where that person is."""
        told = await told_alone(run(self.room, "summon", by=by))
        assert told.startswith("I am in"), told

    async def report(self, by: User | None = None) -> str:
        return await told_alone(run(self.room, "voice doctor", by=by))

    async def reports(self, words: str, *, within_s: float = 5.0) -> str:
        """`/voice doctor`, asked until it says `words`."""
        report = ""
        try:
            async with asyncio.timeout(within_s):
                while words not in (report := await self.report()):
                    await asyncio.sleep(0.05)
        except TimeoutError:
            raise AssertionError(report) from None
        return report

    async def speaks(self, human: Human, seconds: float = 0.4) -> None:
        """As soon as the bot has its key."""
        await self.reports("Connected")
        await self.until(lambda: human.ready)
        await human.speak(speech(seconds))


@asynccontextmanager
async def voice_room(room: TextRoom) -> AsyncIterator[VoiceRoom]:
    """The voice servers, beside Discord."""
    async with FakeVoice.running(room.discord) as voice:
        yield VoiceRoom(room, voice)
