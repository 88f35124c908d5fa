"""Buttons under replies (TEXT-6, CMD-2), progress of long work (TEXT-10), stickers (TEXT-5)."""

import asyncio
import time

import pytest

from bot.discord_chat import reply_stream
from tests.fake_discord.entities import Message
from tests.fake_discord.interactions import Interaction
from tests.fake_models import Answer, Call, Ending, Refusal
from tests.flows.recipe_room import owner
from tests.flows.text_room import TextRoom, spoken

HANGS = Answer(text=("It began ", "well"), ending=Ending.HANG)
WAVE = {"id": "749054660769218631", "name": "Wave", "description": "A friendly wave", "tags": "wave"}
HUSH = {**WAVE, "id": "749054660769218632", "name": "Hush", "description": None, "available": False}


def asks(room: TextRoom, *, ago_s: float) -> Message:
    """A question that has waited for a while."""
    return room.says("tell me", at=time.time() - ago_s)


async def refusal(room: TextRoom, pressed: Interaction) -> str:
    """What the person alone is told after a press."""
    await room.discord.until(lambda: bool(pressed.followups))
    assert pressed.followups[0].ephemeral
    assert pressed.response_time_s is not None
    assert pressed.response_time_s < 1.0
    return pressed.followups[0].content


async def test_stop_stands_under_a_long_reply_and_retry_under_its_end(room: TextRoom) -> None:
    """TEXT-6: for its author and managers; the new reply takes the place of the interrupted one."""
    humans = room.discord.humans
    room.models.script(HANGS, Answer(text=("Whole.",)))
    async with room.bot() as core:
        question = asks(room, ago_s=4)
        reply = await room.answer("It began")
        stop = humans.button(reply, "Stop")
        assert str(question.id) in stop
        assert "Only the person who asked" in await refusal(
            room, humans.press(reply, room.discord.grace, stop)
        )
        humans.press(reply, room.ada, stop)
        await room.answer("Stopped.")
        await room.quiet(core)
        with pytest.raises(LookupError):
            humans.button(reply, "Stop")
        again = humans.button(reply, "Retry")
        assert "Only the person who asked" in await refusal(
            room, humans.press(reply, room.discord.grace, again)
        )
        humans.press(reply, owner(room), again)
        whole = await room.answer("Whole.")
        await room.quiet(core)
        await room.discord.until(lambda: not reply.components)
    assert whole is not reply
    assert not whole.components


async def test_buttons_work_after_a_restart(room: TextRoom) -> None:
    """CMD-2: Retry of a reply that failed; what is answered loses its button; a short reply has none."""
    humans = room.discord.humans
    room.models.script(Refusal(status=401), Answer(text=("Short.",)))
    async with room.bot() as core:
        room.says("hi")
        await room.discord.until(lambda: bool(room.answers()))
        await room.quiet(core)
    failed = room.general.messages[-1]
    again = humans.button(failed, "Retry")
    async with room.bot() as core:
        await room.discord.until(lambda: room.discord.gateway.connected)
        humans.press(failed, room.ada, again)
        short = await room.answer("Short.")
        await room.quiet(core)
        await room.discord.until(lambda: not failed.components)
    assert not short.components
    assert [len(message.contents) for message in (short,)] == [1]


async def test_a_button_that_a_crash_has_left_goes_when_the_reply_is_whole(room: TextRoom) -> None:
    """TEXT-6, TEXT-11."""
    room.models.script(HANGS, Answer(text=("The whole.",)))
    async with room.bot(grace_s=0.1):
        asks(room, ago_s=4)
        reply = await room.answer("It began")
    assert reply.components
    async with room.bot() as core:
        await room.answer("The whole.")
        await room.quiet(core)
    assert not reply.components
    assert room.answers() == ["The whole."]


async def test_a_late_answer_is_a_new_reply_and_the_progress_message_goes(room: TextRoom) -> None:
    """TEXT-10: an edit notifies nobody; the progress message refers to nothing and pings nobody."""
    work = Answer(calls=(Call(name="memory_search", arguments='{"query": "mill"}'),))
    room.models.script(work, Answer(text=("At last.",), delay_s=1.5))
    async with room.bot() as core:
        question = asks(room, ago_s=9.3)
        progress = await room.answer("still working")
        answer = await room.answer("At last.")
        await room.quiet(core)
    assert progress.deleted
    assert progress.referenced is None
    assert set(progress.pinged) == set()
    assert answer.referenced is question
    assert set(answer.pinged) == {room.ada.id}
    assert room.answers() == ["At last."]


@pytest.mark.parametrize(("times", "status"), [(1, 503), (99, 503), (1, 403)])
async def test_a_progress_message_that_stays_costs_no_answer(
    room: TextRoom, monkeypatch: pytest.MonkeyPatch, times: int, status: int
) -> None:
    """TEXT-8, TEXT-10: it is tried again; what Discord does not delete stands beside the whole answer."""
    monkeypatch.setattr(reply_stream, "_RETRIES_AFTER_S", (0.05, 0.05))
    room.discord.failures.fail(
        "DELETE", "/channels/{channel_id}/messages/{message_id}", status=status, times=times
    )
    work = Answer(calls=(Call(name="memory_search", arguments='{"query": "mill"}'),))
    room.models.script(work, Answer(text=("At ", "last", "."), delay_s=1.5, delay_between_s=0.2))
    async with room.bot() as core:
        asks(room, ago_s=9.3)
        progress = await room.answer("still working")
        await room.answer("At last.")
        await room.quiet(core)
        assert (await spoken(core, room.general))[-1] == "bot: At last."
    assert progress.deleted is (times == 1)


async def test_progress_of_a_process_that_died_is_removed_by_the_next(room: TextRoom) -> None:
    """TEXT-10, TEXT-11."""
    work = Answer(calls=(Call(name="memory_search", arguments='{"query": "mill"}'),))
    room.models.script(work, Answer(ending=Ending.HANG, delay_s=9), Answer(text=("At last.",)))
    async with room.bot(grace_s=0.1):
        asks(room, ago_s=9.9)
        progress = await room.answer("still working")
    assert not progress.deleted
    async with room.bot() as core:
        await room.answer("At last.")
        await room.quiet(core)
    assert room.answers() == ["At last."]


async def test_quick_work_and_slow_words_show_no_progress(room: TextRoom) -> None:
    """TEXT-10: within ten seconds the typing sign is enough; without tools it always is."""
    work = Answer(calls=(Call(name="memory_search", arguments='{"query": "mill"}'),))
    room.models.script(work, Answer(text=("Quick.",), delay_s=0.2), Answer(text=("Slow.",), delay_s=0.4))
    async with room.bot() as core:
        room.says("go")
        await room.answer("Quick.")
        await room.quiet(core)
        asks(room, ago_s=9.9)
        await room.answer("Slow.")
        await room.quiet(core)
    assert len(room.posts()) == 2


async def test_a_reply_may_choose_a_sticker_of_the_server(room: TextRoom) -> None:
    """TEXT-5, CORE-29: of the server's catalog, beside the text or alone; none in direct messages."""
    room.discord.guild.stickers += [
        {**one, "type": 2, "format_type": 1, "guild_id": str(room.discord.guild.id)}
        | {"available": available}
        for one, available in ((WAVE, True), (HUSH, False))
    ]
    direct = room.discord.world.dm(room.ada)
    room.models.script(
        Answer(text=("Hello! ", "<|STICKER Wave|>")),
        Answer(text=("<|STICKER Wave|>",)),
        Answer(text=("Just words.",)),
    )
    async with room.bot() as core:
        room.says("hi")
        await room.discord.until(lambda: bool(room.general.messages[-1].stickers))
        await room.quiet(core)
        room.says("wave again")
        await room.discord.until(lambda: len(room.posts()) == 3)
        await room.quiet(core)
        room.discord.humans.say(direct, room.ada, "psst")
        await room.answer("Just words.", channel=direct)
        await room.quiet(core)
    prompts = [str(request.body["messages"][0]["content"]) for request in room.models.requests]
    assert "- Wave: A friendly wave" in prompts[0]
    assert "Hush" not in prompts[0]
    assert "Wave" not in prompts[2]
    shown = [(one.content, [each["name"] for each in one.stickers]) for one in messages(room)]
    assert shown == [("Hello!", []), ("", ["Wave"]), ("", ["Wave"])]
    assert messages(room)[-1].referenced is not None
    assert len({message.nonce for message in messages(room)}) == 3


async def test_a_sticker_that_is_gone_costs_only_itself(room: TextRoom) -> None:
    """TEXT-5, TEXT-8."""
    stickers = room.discord.guild.stickers
    stickers.append({**WAVE, "type": 2, "format_type": 1, "available": True, "guild_id": "1"})
    async with room.bot() as core:
        room.says("hi")
        await room.answer("hi")
        await room.quiet(core)
        stickers.clear()
        room.models.script(Answer(text=("Hello!", "<|STICKER Wave|>")), Answer(text=("Fine.",)))
        room.says("wave")
        await room.answer("Hello!")
        await room.quiet(core)
        room.says("and now?")
        await room.answer("Fine.")
        await room.quiet(core)
        await asyncio.sleep(0)
    assert not any(message.stickers for message in messages(room))


def messages(room: TextRoom) -> list[Message]:
    return list(room.general.messages.by(room.discord.bot))
