"""All parts of one fake Discord, put together without its sockets: what REST handlers work on."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.fake_discord.announcements import Announcements
from tests.fake_discord.cdn import Cdn
from tests.fake_discord.commands import Commands
from tests.fake_discord.failures import Failures
from tests.fake_discord.gateway.gateway import Gateway
from tests.fake_discord.humans import Humans
from tests.fake_discord.interactions import Interactions
from tests.fake_discord.messages import Messages
from tests.fake_discord.rate_limits import RateLimits
from tests.fake_discord.recorder import Recorder
from tests.fake_discord.snowflakes import Clock
from tests.fake_discord.world import World

TOKEN = "fake.discord.token"
MAX_UPLOAD_BYTES = 10 * 1024 * 1024


@dataclass(slots=True, kw_only=True)
class State:
    """`clock` gives wall time, `monotonic` the time of the rate limits; both in seconds."""

    token: str
    clock: Clock
    monotonic: Callable[[], float]
    world: World
    recorder: Recorder
    gateway: Gateway
    announcements: Announcements
    messages: Messages
    interactions: Interactions
    commands: Commands
    cdn: Cdn
    humans: Humans
    failures: Failures
    rate_limits: RateLimits
    violations: list[str] = field(default_factory=list[str])
    max_upload_bytes: int = MAX_UPLOAD_BYTES


def make_state(
    *,
    token: str = TOKEN,
    clock: Clock = time.time,
    monotonic: Callable[[], float] = time.monotonic,
    rate_limits: bool = True,
    record: bool = True,
    bot_name: str = "Parley",
) -> State:
    world = World(clock, bot_name=bot_name)
    recorder = Recorder(clock, enabled=record)
    gateway = Gateway(world, recorder, token=token)
    announcements = Announcements(world, gateway)
    messages = Messages(world, announcements)
    interactions = Interactions(world, gateway, recorder)
    commands = Commands(world.snowflakes, world.application.id)
    cdn = Cdn(world.snowflakes)
    humans = Humans(
        world=world,
        messages=messages,
        announcements=announcements,
        interactions=interactions,
        commands=commands,
        cdn=cdn,
        recorder=recorder,
    )
    return State(
        token=token,
        clock=clock,
        monotonic=monotonic,
        world=world,
        recorder=recorder,
        gateway=gateway,
        announcements=announcements,
        messages=messages,
        interactions=interactions,
        commands=commands,
        cdn=cdn,
        humans=humans,
        failures=Failures(),
        rate_limits=RateLimits(enabled=rate_limits),
    )
