"""The Discord bot as a process: it starts, answers, stops, and says in one line why not (SET-3, SET-7)."""

import asyncio
import re
import signal
import time
from collections.abc import Mapping

from tests.fake_models import Answer, Ending
from tests.flows.bot_process import BotProcess
from tests.flows.text_room import TextRoom

LOG_LINE = re.compile(r"^\S+Z \[")


def by_environment(room: TextRoom, **more: str) -> Mapping[str, str]:
    """What the process is told."""
    return {
        **room.discord.environment,
        "OPENAI_API_BASE_URL": room.models.base_url,
        "OPENAI_MODEL": "fake-model",
        "DATA_DIR": str(room.folder),
        **more,
    }


def told_lines(bot: BotProcess) -> list[str]:
    """Its output without the log."""
    return [line for line in bot.output.splitlines() if not LOG_LINE.match(line)]


async def test_it_answers_and_stops_cleanly(room: TextRoom) -> None:
    """SET-3, SET-4: addresses by environment, TLS by the extra certificate; SIGTERM ends with code 0."""
    async with BotProcess.started(room.folder.parent, by_environment(room)) as bot:
        await room.discord.bot_connected(within_s=40)
        room.says("hello")
        await room.answer("hello")
        await bot.stopped()
    assert room.discord.token not in bot.output
    assert "hello" not in bot.output


async def test_a_stop_lets_a_running_reply_end(room: TextRoom) -> None:
    """SET-3: SIGTERM in the middle of a stream."""
    words = tuple(f"word{number} " for number in range(30))
    room.models.script(Answer(text=words, delay_between_s=0.05))
    async with BotProcess.started(room.folder.parent, by_environment(room)) as bot:
        await room.discord.bot_connected(within_s=40)
        room.says("tell me")
        await room.answer("word0", within_s=10)
        await bot.stopped()
    assert room.answers() == ["".join(words).strip()]


async def test_a_second_signal_ends_it_at_once(room: TextRoom) -> None:
    """SET-3: while the first one waits for a reply that hangs."""
    room.models.script(Answer(text=("Half",), ending=Ending.HANG))
    async with BotProcess.started(room.folder.parent, by_environment(room)) as bot:
        await room.discord.bot_connected(within_s=40)
        room.says("tell me")
        await room.answer("Half", within_s=10)
        bot.signal(signal.SIGINT)
        await asyncio.sleep(0.2)
        assert bot.running
        asked_at = time.monotonic()
        bot.signal(signal.SIGINT)
        assert await bot.ended(within_s=2) == 130
        assert time.monotonic() - asked_at < 1
    assert "Traceback" not in bot.output


async def test_a_wrong_token_is_one_line_and_exit_code_one(room: TextRoom) -> None:
    """SET-7, TEXT-7: with the page and the button, without the token and without a traceback."""
    settings = by_environment(room, DISCORD_TOKEN="wrong.token.here")
    async with BotProcess.started(room.folder.parent, settings) as bot:
        assert await bot.ended() == 1
    assert len(told_lines(bot)) == 1, bot.output
    assert "Reset Token" in told_lines(bot)[0]
    assert "wrong.token" not in bot.output
    assert "Traceback" not in bot.output


async def test_missing_intents_are_one_line_with_the_switch(room: TextRoom) -> None:
    """SET-7, TEXT-7: in the portal's words."""
    room.discord.world.application.message_content_intent = False
    async with BotProcess.started(room.folder.parent, by_environment(room)) as bot:
        assert await bot.ended() == 1
    assert len(told_lines(bot)) == 1, bot.output
    assert '"Message Content Intent"' in told_lines(bot)[0]
    assert "Traceback" not in bot.output


async def test_a_token_that_is_reset_while_it_runs_is_one_line(room: TextRoom) -> None:
    """TEXT-7: gateway close code 4004."""
    async with BotProcess.started(room.folder.parent, by_environment(room)) as bot:
        await room.discord.bot_connected(within_s=40)
        room.discord.gateway.close(4004)
        assert await bot.ended() == 1
    assert "Reset Token" in told_lines(bot)[-1]
    assert "Traceback" not in bot.output


async def test_a_discord_that_is_away_at_the_start_is_waited_for(room: TextRoom) -> None:
    """TEXT-8: a machine that boots before its network; one line a try, and a stop still stops."""
    room.discord.failures.fail("GET", "/users/@me", status=503, times=2)
    async with BotProcess.started(room.folder.parent, by_environment(room)) as bot:
        await bot.says("Discord not reached")
        await room.discord.bot_connected(within_s=40)
        room.says("hello")
        await room.answer("hello", within_s=10)
        await bot.stopped()
    assert bot.output.count("Discord not reached") == 2


async def test_a_stop_while_discord_is_away_stops(room: TextRoom) -> None:
    """SET-3: in the wait between two logins."""
    settings = by_environment(room, DISCORD_API_BASE_URL="https://127.0.0.1:9/api/v10")
    async with BotProcess.started(room.folder.parent, settings) as bot:
        await bot.says("Discord not reached")
        await bot.stopped()


async def test_two_processes_never_share_a_data_folder(room: TextRoom) -> None:
    """SET-6: the second one says who holds it, and the first one goes on."""
    async with BotProcess.started(room.folder.parent, by_environment(room)) as first:
        await room.discord.bot_connected(within_s=40)
        async with BotProcess.started(room.folder.parent, by_environment(room)) as second:
            assert await second.ended() == 1
        assert f"is held by process {first.pid}" in second.output
        assert len(second.output.splitlines()) == 1
        room.says("still there?")
        await room.answer("still there?")
        await first.stopped()
