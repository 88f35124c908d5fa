"""A voice channel with the bot in it, for tests of the voice transport; and how sound is compared."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import numpy as np

from tests.fake_discord import ChannelKind, FakeDiscord, probe
from tests.fake_discord.voice import FakeVoice, Human
from tests.fake_discord.world import Channel, Guild, User
from voice.audio.frames import HeardEvent, HeardFrame
from voice.audio.opus import libopus
from voice.calls import Call, EndReason
from voice.transport.link import DiscordCalls
from voice.transport.settings import TransportSettings

libopus()  # before any loop runs: finding it reads folders
FAST = TransportSettings(
    connect_timeout_s=3.0,
    resume_timeout_s=1.0,
    server_update_wait_s=0.15,
    voice_state_wait_s=0.5,
    leave_wait_s=0.5,
    watchdog_every_s=0.05,
    leave_when_alone_s=None,
    backoff_factor=0.02,
)


class VoiceScene:
    """`calls` belongs to a real discord.py client; `events` is all that the bot heard."""

    def __init__(self, discord: FakeDiscord, voice: FakeVoice, calls: DiscordCalls) -> None:
        self.discord = discord
        self.voice = voice
        self.calls = calls
        self.channel: Channel = discord.world.add_channel(discord.guild, "lounge", kind=ChannelKind.VOICE)
        self.other: Channel = discord.world.add_channel(discord.guild, "attic", kind=ChannelKind.VOICE)
        self.events: list[HeardEvent] = []
        self.tasks: asyncio.TaskGroup

    @property
    def guild(self) -> Guild:
        return self.discord.guild

    async def join(self, channel: Channel | None = None) -> Call:
        """The bot joins and collects what it hears."""
        channel = channel or self.channel
        assert channel.guild is not None
        call = await self.calls.join(channel.guild.id, channel.id)
        self.tasks.create_task(self._collect(call))
        return call

    async def _collect(self, call: Call) -> None:
        async for event in call.heard():
            self.events.append(event)
            self.discord.recorder.changed()

    def human(self, user: User, channel: Channel | None = None, kind: type[Human] = Human) -> Human:
        return self.voice.join(channel or self.channel, user, kind)

    async def until(self, look: Callable[[], object], within_s: float = 5.0) -> None:
        """Looks again every 5 ms; fails with what the bot knows when it never holds."""
        try:
            async with asyncio.timeout(within_s):
                while not look():
                    await asyncio.sleep(0.005)
        except TimeoutError:
            calls = [self.calls.call_in(guild) for guild in self.discord.world.guilds]
            state = [call.statistics() for call in calls if call is not None]
            raise AssertionError(f"never held; {state}") from None

    def frames(self, user: User | Human) -> list[HeardFrame]:
        number = user.id if isinstance(user, User) else user.user_id
        return [one for one in self.events if isinstance(one, HeardFrame) and one.user_id == number]

    def pcm(self, user: User | Human) -> bytes:
        return b"".join(one.pcm for one in self.frames(user))


@asynccontextmanager
async def _one_error() -> AsyncIterator[None]:
    """A lone error comes out as itself, not inside groups."""
    try:
        yield
    except BaseExceptionGroup as group:
        error: BaseException = group
        while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
            error = error.exceptions[0]
        raise error from None


@asynccontextmanager
async def voice_scene(settings: TransportSettings = FAST) -> AsyncIterator[VoiceScene]:
    """The fakes, a connected client, and its calls."""
    async with (
        _one_error(),
        FakeDiscord.running(rate_limits=False, validate=False) as discord,
        FakeVoice.running(discord) as voice,
    ):
        scene = VoiceScene.__new__(VoiceScene)
        scene.__init__(discord, voice, None)  # type: ignore[arg-type, misc] # the channels must exist before READY
        async with (
            probe.connected(discord) as client,
            asyncio.TaskGroup() as tasks,
            DiscordCalls(client, settings=settings, ssl=voice.ssl) as calls,
        ):
            scene.calls, scene.tasks = calls, tasks
            yield scene


def speech(seconds: float, *, seed: int = 1, softest: float = 0.0, fade_s: float = 0.04) -> bytes:
    """Something like speech: harmonics under a changing envelope, 48 kHz stereo int16; differs by seed.

    `softest`, 0 to 1: the least of the envelope; a long speech of 0 has pauses in which it may be taken to be
    over. `fade_s` at both ends: nobody begins in the middle of a wave.
    """
    chance = np.random.default_rng(seed)
    count = int(seconds * 48_000)
    at = np.arange(count) / 48_000
    pitch = 100 + 40 * chance.random() + 30 * np.sin(2 * np.pi * (0.7 + chance.random()) * at)
    phase = 2 * np.pi * np.cumsum(pitch) / 48_000
    voice = sum(np.sin(k * phase + chance.random() * 6) / k for k in range(1, 20))
    knots = softest + (1 - softest) * chance.random(int(seconds * 9) + 3)
    envelope = np.interp(at * 9, np.arange(len(knots)), knots) ** 2
    fade = np.clip(np.minimum(at, at[-1] - at) / fade_s, 0, 1)
    samples = (voice * envelope * fade * 9_000).clip(-32_000, 32_000).astype("<i2")
    return np.repeat(samples, 2).tobytes()


def at_16_khz(pcm: bytes) -> np.ndarray:
    """48 kHz stereo as 16 kHz mono, through a plain low-pass filter."""
    mono = np.frombuffer(pcm, "<i2").reshape(-1, 2).mean(axis=1)
    taps = np.sinc(np.arange(-48, 49) / 3.2) * np.hanning(97)
    return np.convolve(mono, taps / taps.sum(), "same")[::3]


def mono_48_khz(pcm: bytes) -> np.ndarray:
    return np.frombuffer(pcm, "<i2").reshape(-1, 2).mean(axis=1)


def similarity(said: np.ndarray, heard: bytes | np.ndarray, *, most_lag: int = 1_600) -> float:
    """The largest normalised cross-correlation over small lags, on the common length."""
    there = np.frombuffer(heard, "<i2").astype(float) if isinstance(heard, bytes | bytearray) else heard
    size = min(len(said), len(there))
    if size < 320:
        return 0.0
    first, second = said[:size] - said[:size].mean(), there[:size] - there[:size].mean()
    width = 1 << (2 * size - 1).bit_length()
    product = np.fft.irfft(np.fft.rfft(second, width) * np.conj(np.fft.rfft(first, width)), width)
    near = np.concatenate((product[:most_lag], product[-most_lag:]))
    return float(near.max() / (np.linalg.norm(first) * np.linalg.norm(second) + 1e-9))


async def heard_again(scene: VoiceScene, human: Human, seed: int) -> None:
    """The human is heard, whatever happened before."""
    call = scene.calls.call_in(scene.guild.id)
    assert call is not None
    await scene.until(
        lambda: call.statistics().connected and human.ready and call.statistics().dave_epoch == human.epoch
    )
    before = len(scene.frames(human))
    said = speech(0.3, seed=seed)
    await human.speak(said)
    await scene.until(lambda: len(scene.frames(human)) == before + 15)
    assert similarity(at_16_khz(said), scene.pcm(human)[before * 640 :]) > 0.95


async def ended(call: Call, within_s: float = 5.0) -> EndReason:
    async with asyncio.timeout(within_s):
        return (await call.ended()).reason
