"""Coming back to where the bot stays (VOX-7), in virtual time."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from bot.discord_chat.voice_access_rules import VoiceRefused
from bot.discord_chat.voice_returns import VoiceReturns
from tests.virtual_time import run_virtually
from voice.calls import EndReason

GUILD, CHANNEL = 1, 2


@dataclass
class Server:
    """Everything that is asked. The voice server is there from `up_at` on."""

    up_at: float
    wanted: int | None = CHANNEL
    seen: bool = True
    there: bool = False
    exists_: bool = True
    tried_at: list[float] = field(default_factory=list[float])
    told: list[str] = field(default_factory=list[str])

    async def stays_in(self, guild_id: int) -> int | None:
        return self.wanted

    async def stay(self, guild_id: int, channel_id: int | None) -> None:
        self.wanted = channel_id

    def sees(self, guild_id: int) -> bool:
        return self.seen

    def exists(self, channel_id: int) -> bool:
        return self.exists_

    async def join(self, guild_id: int, channel_id: int) -> None:
        now = asyncio.get_running_loop().time()
        self.tried_at.append(now)
        if now < self.up_at:
            raise VoiceRefused("try again", unasked="nobody there")
        self.there = True

    async def say(self, channel_id: int, words: str) -> None:
        self.told.append(words)

    def returns(self) -> VoiceReturns:
        return VoiceReturns(
            choices=self, places=self, is_in=lambda _: self.there, join=self.join, say=self.say
        )


def after(
    server: Server, reason: EndReason, *, meanwhile: Callable[[VoiceReturns], None] | None = None
) -> float:
    """Ends a call so, and gives when nothing more was tried; `meanwhile` happens after 100 s."""

    async def live() -> float:
        returns = server.returns()
        loop = asyncio.get_running_loop()
        if meanwhile is not None:
            loop.call_later(100, meanwhile, returns)
        began = loop.time()
        await returns.after(GUILD, reason)
        server.tried_at = [at - began for at in server.tried_at]
        return loop.time() - began

    return run_virtually(live())


def test_a_lost_server_is_tried_less_and_less_often() -> None:
    """VOX-7: after 15 s and ever later, at most ten minutes; what was told at the end is not told again."""
    server = Server(up_at=3_000)
    after(server, EndReason.UNREACHABLE)
    assert server.there
    assert server.tried_at == [15, 30, 60, 120, 240, 480, 960, 1_560, 2_160, 2_760, 3_360]
    assert server.told == []


def test_who_was_slowed_down_waits_for_minutes() -> None:
    server = Server(up_at=0)
    after(server, EndReason.RATE_LIMITED)
    assert server.tried_at == [300]


def test_a_wanted_end_is_an_end() -> None:
    """VOX-7: left, kicked, alone: nobody comes back."""
    for reason in set(EndReason) - {EndReason.UNREACHABLE, EndReason.RATE_LIMITED}:
        server = Server(up_at=0)
        assert after(server, reason) == 0
        assert server.tried_at == []


def test_it_is_given_up_with_the_wish_the_channel_and_the_process() -> None:
    """VOX-7: sent away, a channel that is gone, a server that is out of sight, a stop."""
    for change in (
        lambda server: setattr(server, "wanted", None),
        lambda server: setattr(server, "exists_", False),
        lambda server: setattr(server, "seen", False),
        lambda server: setattr(server, "there", True),
    ):
        server = Server(up_at=3_000)
        after(server, EndReason.UNREACHABLE, meanwhile=lambda _, change=change, server=server: change(server))
        assert server.tried_at == [15, 30, 60]
        assert server.wanted is (None if server.wanted is None or not server.exists_ else CHANNEL)
    server = Server(up_at=3_000)
    assert after(server, EndReason.UNREACHABLE, meanwhile=VoiceReturns.close) == 100


def test_a_new_sight_of_the_server_tries_at_once() -> None:
    """VOX-7: one attempt at a time; the first failure of a start is told, once."""
    server = Server(up_at=10)

    async def live() -> None:
        returns = server.returns()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(returns.come_back(GUILD))
            await asyncio.sleep(11)
            await returns.come_back(GUILD)

    run_virtually(live())
    assert server.there
    assert len(server.tried_at) == 2
    assert server.tried_at[1] - server.tried_at[0] == 11
    assert server.told == ["nobody there"]
