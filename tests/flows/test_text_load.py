"""Many servers and channels at once: nothing is lost, and what is idle costs nothing."""

import asyncio

import pytest

from benchmarks.text_load import crowded_bot, loaded, resident_bytes
from tests.fake_models import Answer
from tests.flows.text_room import TextRoom

_A_SESSION = 100_000  # bytes
_IDLE = 400


@pytest.mark.soak
async def test_a_minute_of_many_servers_loses_nothing() -> None:
    """SCENE-7, TEXT-1, TEXT-11: 50 servers, 2,000 channels, 200 messages a second, no rate limits."""
    load = await loaded(guilds=50, channels=2_000, rate=200, seconds=60, one_in=10)
    assert load.messages >= 11_900
    assert load.lost == 0
    assert load.doubled == 0
    assert load.typing_at(0.99) < 0.05
    assert load.memory_growth < 40_000_000


@pytest.mark.soak
async def test_a_minute_at_the_rate_that_discord_allows_loses_nothing() -> None:
    """TEXT-7, TEXT-11: with its limits on, twelve answers a second of two requests and more each."""
    load = await loaded(guilds=50, channels=2_000, rate=120, seconds=60, one_in=10, rate_limits=True)
    assert load.lost == 0
    assert load.doubled == 0
    assert load.typing_at(0.99) < 0.05
    assert load.memory_growth < 40_000_000


@pytest.mark.soak
async def test_an_idle_session_costs_little_memory() -> None:
    """SCENE-1: less than 100 kB of the process for each channel in which something was answered."""
    async with crowded_bot(guilds=4, channels=_IDLE + 100) as (crowd, pid):
        await crowd.write(rate=20, seconds=100 / 20, one_in=1, pid=pid)
        before = resident_bytes(pid)
        load = await crowd.write(rate=20, seconds=(_IDLE + 100) / 20, one_in=1, pid=pid)
        after = resident_bytes(pid)
    assert load.lost == 0
    assert (after - before) / _IDLE < _A_SESSION


async def test_an_idle_session_costs_no_task(room: TextRoom) -> None:
    """CORE-18, SCENE-1: after 20 answers in 20 channels there are as many tasks as after one."""
    channels = [room.discord.world.add_channel(room.discord.guild, f"room-{number}") for number in range(20)]
    room.models.script(*(Answer(text=(f"Answer {number}.",)) for number in range(21)))
    async with room.bot() as core:
        room.says("hi")
        await room.discord.until(lambda: bool(room.answers()))
        await room.quiet(core)
        before = await tasks_of_the_bot()
        for channel in channels:
            room.says("hi", channel=channel)
        for channel in channels:
            await room.answer("Answer", channel=channel)
        await room.quiet(core)
        assert await tasks_of_the_bot() <= before


async def tasks_of_the_bot() -> set[str]:
    """Names and code of what runs when everything that was on its way has ended; connections beside it."""
    await asyncio.sleep(0.1)
    running = {str(task.get_coro()).split(" at ")[0] for task in asyncio.all_tasks()}
    sessions = {task.get_name() for task in asyncio.all_tasks() if task.get_name().startswith("session ")}
    return running | sessions
