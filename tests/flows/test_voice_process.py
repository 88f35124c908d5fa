"""The bot as a process in a voice channel: killed and started again, stopped by a signal."""

import signal
import time

import pytest

from tests.flows.bot_process import BotProcess
from tests.flows.slash_commands import run, told_alone
from tests.flows.test_bot_process import by_environment
from tests.flows.text_room import TextRoom
from tests.flows.voice_room import voice_room


@pytest.mark.timeout(240)  # two processes start, on a machine that may be busy
async def test_killed_in_a_call_it_comes_back_and_a_signal_takes_it_out(room: TextRoom) -> None:
    """VOX-7, SET-3: `/voice stay` outlives SIGKILL; SIGTERM leaves the channel within the time of a stop."""
    folder, settings = room.folder.parent, by_environment(room)
    async with voice_room(room) as place:
        async with BotProcess.started(folder, settings) as bot:
            await room.discord.bot_connected(within_s=80)
            ada = place.enter(room.ada)
            await place.summoned()
            await told_alone(run(room, "voice stay", by=room.discord.world.owner))
            bot.signal(signal.SIGKILL)
            await bot.ended()
        async with BotProcess.started(folder, settings) as bot:
            await place.until(lambda: len(place.said_in(place.lounge)) == 2, within_s=80)
            await place.speaks(ada)
            await place.reports(f"<@{ada.user_id}>: 25 packets", within_s=10)
            asked_at = time.monotonic()
            await bot.stopped()
            assert time.monotonic() - asked_at < 10
            assert room.discord.bot.id not in place.guild.voice_states
