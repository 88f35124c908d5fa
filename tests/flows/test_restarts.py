"""Stops, starts, broken connections: nothing is lost or answered twice (SCENE-7, TEXT-11, SET-3)."""

import asyncio
import time

import pytest
from structlog.testing import capture_logs

from bot.discord_chat import reply_stream
from tests.fake_models import Answer, Ending
from tests.flows.text_room import POST, TextRoom, spoken

HISTORY = ("GET", "/channels/{channel_id}/messages")


def chatter(room: TextRoom, count: int) -> None:
    for number in range(count):
        room.discord.humans.say(room.general, room.discord.grace, f"by the way {number}")


async def test_messages_missed_while_down_are_answered_when_young(room: TextRoom) -> None:
    """SCENE-7: in a server, a thread and a known direct message; small talk and old questions are not."""
    humans, world = room.discord.humans, room.discord.world
    direct = world.dm(room.ada)
    thread = humans.create_thread(room.general, "side", room.ada)
    async with room.bot() as core:
        humans.say(direct, room.ada, "known now")
        await room.answer("known now", channel=direct)
        await room.quiet(core)
    old = world.add_channel(room.discord.guild, "old")
    room.says("too old", channel=old, at=time.time() - 3_600)
    humans.say(room.general, room.ada, "just chatting")
    room.says("young")
    room.says("in the thread", channel=thread)
    humans.say(direct, room.ada, "direct and young")
    async with room.bot() as core:
        await room.answer("young")
        await room.answer("in the thread", channel=thread)
        await room.answer("direct and young", channel=direct)
        await room.quiet(core)
        assert await spoken(core, old) == []
    assert room.answers() == ["@Parley young"]
    assert room.answers(old) == []
    async with room.bot() as core:
        await room.discord.recorder.request(*HISTORY, count=4)
        await room.quiet(core)
    assert len(room.models.requests) == 4


async def test_a_busy_room_hides_no_missed_question(room: TextRoom) -> None:
    """SCENE-7: more was written since than one request reads."""
    room.says("and me?")
    chatter(room, 150)
    async with room.bot():
        await room.answer("and me?")


async def test_a_lost_data_folder_has_nothing_answered_again(room: TextRoom) -> None:
    """SCENE-7, TEXT-11: what was answered is known by the replies that stand in the channel."""
    room.discord.messages.nonce_window_s = 0.0
    async with room.bot() as core:
        room.says("first")
        await room.answer("first")
        await room.quiet(core)
    room.folder.rename(room.folder.with_name("lost"))
    room.says("second")
    async with room.bot() as core:
        await room.answer("second")
        await room.quiet(core)
    assert room.answers() == ["@Parley first", "@Parley second"]


async def test_nothing_missed_is_answered_where_that_is_switched_off(room: TextRoom) -> None:
    """SCENE-7: by setting."""
    room.says("missed")
    async with room.bot(ANSWER_MISSED_WITHIN_S="0") as core:
        room.says("live")
        await room.answer("live")
        await room.quiet(core)
    assert room.answers() == ["@Parley live"]


async def test_a_message_at_the_very_start_is_answered_once(room: TextRoom) -> None:
    """SCENE-7: live and found by the look back at the same time."""
    async with room.bot() as core:
        room.says("quick")
        await room.answer("quick")
        await room.quiet(core)
    assert room.answers() == ["@Parley quick"]
    assert len(room.models.requests) == 1


async def test_a_channel_whose_history_fails_holds_up_nobody(room: TextRoom) -> None:
    """SCENE-7, TEXT-8: its own look back comes later or not at all; others are answered."""
    stuck = room.discord.world.add_channel(room.discord.guild, "stuck")
    room.discord.humans.say(stuck, room.ada, "something")
    room.discord.failures.hold(*HISTORY, where=lambda exchange: str(stuck.id) in exchange.path)
    async with room.bot():
        room.says("hello")
        await room.answer("hello")


@pytest.mark.parametrize("how", ["reconnect", "close", "cut", "invalid", "lost"])
async def test_a_broken_gateway_causes_neither_double_nor_missing_answers(room: TextRoom, how: str) -> None:
    """SCENE-7: resume with replay, and new sessions that look back; also for what was said meanwhile."""
    gateway = room.discord.gateway
    async with room.bot() as core:
        room.says("before")
        await room.answer("before")
        await room.quiet(core)
        gateway.refuses_connections = how != "reconnect"
        match how:
            case "reconnect":
                gateway.ask_to_reconnect()
            case "close":
                gateway.close(4000)
            case "cut":
                gateway.cut()
            case "invalid":
                gateway.refuses_connections = False
                gateway.invalidate(resumable=False)
            case _:
                gateway.forget_sessions()
                gateway.cut()
        room.says("meanwhile")
        await asyncio.sleep(0.05)
        gateway.refuses_connections = False
        await room.answer("meanwhile", within_s=20)
        room.says("after")
        await room.answer("after", within_s=20)
        await room.quiet(core)
        assert len(await spoken(core, room.general)) == 6
    assert room.answers() == ["@Parley before", "@Parley meanwhile", "@Parley after"]
    assert len(room.models.requests) == 3


async def test_a_server_that_was_out_of_sight_is_looked_after_when_it_comes(room: TextRoom) -> None:
    """SCENE-7: an outage of one server at the start."""
    room.discord.humans.outage(room.discord.guild)
    async with room.bot() as core:
        await asyncio.sleep(0.7)
        room.discord.guild.available = False
        room.says("anybody?")
        room.discord.humans.outage_over(room.discord.guild)
        await room.answer("anybody?")
        await room.quiet(core)
    assert len(room.models.requests) == 1


async def test_a_stop_lets_the_running_reply_end(room: TextRoom) -> None:
    """SET-3: it is whole before the process is over."""
    words = tuple(f"word{number} " for number in range(30))
    room.models.script(Answer(text=words, delay_between_s=0.02))
    async with room.bot():
        room.says("tell me")
        await room.discord.recorder.request(*POST)
    assert room.answers() == ["".join(words).strip()]


async def test_a_reply_that_takes_too_long_for_a_stop_goes_on_at_the_next_start(room: TextRoom) -> None:
    """SET-3, TEXT-11: cut after a while; the same message gets the whole answer; nothing is an error."""
    room.models.script(Answer(text=("Half ", "of it"), ending=Ending.HANG), Answer(text=("The whole.",)))
    with capture_logs() as logs:
        async with room.bot(grace_s=0.3):
            room.says("tell me")
            half = await room.answer("Half")
            stopped_at = time.monotonic()
        assert 0.3 < time.monotonic() - stopped_at < 2
        assert half.content == "Half of it"
        async with room.bot() as core:
            await room.answer("The whole.")
            await room.quiet(core)
            assert await spoken(core, room.general) == ["user: @Parley tell me", "bot: The whole."]
    assert half.content == "The whole."
    assert room.answers() == ["The whole."]
    assert [entry for entry in logs if entry["log_level"] in ("error", "critical")] == []


async def test_a_reply_is_taken_over_when_discord_comes_back(
    room: TextRoom, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TEXT-8, TEXT-11: while its messages cannot be looked for, nothing is posted and nothing given up."""
    monkeypatch.setattr(reply_stream, "_RETRIES_AFTER_S", (0.05, 0.05, 0.05))
    post = room.discord.failures.hold(*POST, times=1, after_execution=True)
    room.models.script(Answer(text=("Half of it",), ending=Ending.HANG), Answer(text=("The whole.",)))
    async with room.bot(grace_s=0.2):
        room.says("tell me")
        half = await room.answer("Half of it")
    post.release()
    room.discord.failures.fail(*HISTORY, status=503, times=3)
    async with room.bot(ANSWER_MISSED_WITHIN_S="0") as core:
        assert await room.answer("The whole.") is half
        await room.quiet(core)
        assert await spoken(core, room.general) == ["user: @Parley tell me", "bot: The whole."]
    assert room.answers() == ["The whole."]


async def test_a_busy_room_hides_no_message_of_a_reply(room: TextRoom) -> None:
    """TEXT-11: its post was cut off, its nonce holds no more, and much was written there since."""
    room.discord.messages.nonce_window_s = 0.0
    post = room.discord.failures.hold(*POST, times=1, after_execution=True)
    room.models.script(Answer(text=("Half of it",), ending=Ending.HANG), Answer(text=("The whole.",)))
    async with room.bot(grace_s=0.2):
        room.says("tell me")
        half = await room.answer("Half of it")
    post.release()
    chatter(room, 120)
    async with room.bot() as core:
        assert await room.answer("The whole.") is half
        await room.quiet(core)
    assert room.answers() == ["The whole."]


async def test_a_message_during_the_stop_is_answered_at_the_next_start(room: TextRoom) -> None:
    """SET-3, SCENE-7."""
    room.models.script(Answer(text=("Slow.",), delay_s=0.5))
    async with room.bot():
        room.says("first")
        await room.models.wait_for_request()
        later = asyncio.get_running_loop().call_later(0.2, lambda: room.says("second"))
    assert later.when()
    async with room.bot() as core:
        await room.answer("second")
        await room.quiet(core)
    assert room.answers() == ["Slow.", "@Parley second"]


async def test_a_burst_whose_first_question_was_deleted_is_answered_once_after_a_crash(
    room: TextRoom,
) -> None:
    """TEXT-11, TEXT-6: the reply keeps the name that it began with."""
    room.models.script(
        Answer(text=("First.",), delay_s=0.3),
        Answer(text=("Half ", "of it"), ending=Ending.HANG),
        Answer(text=("The whole.",)),
    )
    async with room.bot(grace_s=0.1, BURST_WINDOW_MS="0"):
        room.says("one")
        await room.models.wait_for_request()
        gone = room.says("two")
        room.says("three")
        await asyncio.sleep(0.1)
        room.discord.humans.delete(gone)
        await room.answer("Half of it")
    async with room.bot() as core:
        await room.answer("The whole.")
        await room.quiet(core)
    assert room.answers() == ["First.", "The whole."]


async def test_a_question_deleted_while_down_is_answered_without_a_reference(room: TextRoom) -> None:
    """TEXT-11: nobody told of the deletion, and the accepted message is answered."""
    room.models.script(Answer(ending=Ending.HANG, delay_s=5), Answer(text=("Too late.",)))
    async with room.bot(grace_s=0.1) as core:
        question = room.says("never mind")
        await room.models.wait_for_request()
        async with asyncio.timeout(5):
            while not [row for row in await core.stores.inbox.unfinished() if row.run_id]:
                await asyncio.sleep(0.01)
    room.discord.humans.delete(question)
    async with room.bot() as core:
        answer = await room.answer("Too late.")
        await room.quiet(core)
    assert answer.referenced is None
