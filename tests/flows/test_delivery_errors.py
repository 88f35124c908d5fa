"""TEXT-7, TEXT-8: each error of Discord has its kind, and each kind its right behaviour."""

import asyncio
import re
import time
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from bot.discord_chat import delivery_errors
from bot.discord_chat.delivery_errors import (
    KINDS,
    ChannelGone,
    DeliveryError,
    MessageBlocked,
    MessageGone,
    MessageRejected,
    NotAllowed,
    ReplyNotAllowed,
    ThreadArchived,
    Unavailable,
    kind_of_error,
)
from tests.fake_discord import Permission
from tests.fake_models import Answer
from tests.flows.text_room import EDIT, POST, TextRoom, spoken

HELLO = Answer(text=("Hello.",))
STREAM = Answer(text=tuple(f"word{number} " for number in range(60)), delay_between_s=0.02)
BLOCKED = "A rule of this server (AutoMod) blocks the rest of my reply."
REJECTED = "Discord does not take the rest of my reply."


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (404, 10003, ChannelGone),
        (404, 10004, ChannelGone),
        (404, 10008, MessageGone),
        (403, 50001, ChannelGone),
        (403, 50013, NotAllowed),
        (403, 50007, NotAllowed),
        (403, 50278, NotAllowed),
        (403, 20026, NotAllowed),
        (400, 50008, NotAllowed),
        (400, 50024, NotAllowed),
        (403, 160005, NotAllowed),
        (403, 160002, ReplyNotAllowed),
        (400, 50083, ThreadArchived),
        (400, 50035, MessageRejected),
        (400, 50006, MessageRejected),
        (413, 40005, MessageRejected),
        (400, 200000, MessageBlocked),
        (400, 200001, MessageBlocked),
        (400, 240000, MessageBlocked),
        (400, 20009, MessageBlocked),
        (429, 20016, Unavailable),
        (429, 20028, Unavailable),
        (403, 20022, Unavailable),
        (400, 40003, Unavailable),
        (503, 40062, Unavailable),
        (403, 40333, Unavailable),
        (429, 0, Unavailable),
        (500, 0, Unavailable),
        (502, 10003, Unavailable),
        (503, 130000, Unavailable),
        (403, 0, NotAllowed),
        (404, 0, ChannelGone),
        (400, 999999, MessageRejected),
    ],
)
def test_every_code_has_its_kind(status: int, code: int, kind: type[DeliveryError]) -> None:
    """TEXT-8: by its code, else by its status; a server in trouble is asked again."""
    assert kind_of_error(status, code) is kind


def test_the_table_of_codes_is_tested_whole() -> None:
    """TEXT-8: a code that comes into the table comes into the test."""
    tested = {int(code) for code in re.findall(r"\(\d{3}, (\d{5,}), \w+\)", Path(__file__).read_text())}
    assert set(KINDS) <= tested
    assert set(KINDS.values()) < {kind for kind in vars(delivery_errors).values() if isinstance(kind, type)}


@pytest.mark.parametrize(("code", "note"), [(200000, BLOCKED), (240000, BLOCKED), (50035, REJECTED)])
async def test_a_reply_that_is_not_taken_says_so_once(room: TextRoom, code: int, note: str) -> None:
    """TEXT-8: the same content is not posted again; the room learns why there is no answer."""
    room.discord.failures.fail(*POST, status=400, code=code)
    room.models.script(HELLO, Answer(text=("Fine.",)))
    async with room.bot() as core:
        room.says("hi")
        await room.answer(note)
        await room.quiet(core)
        assert await spoken(core, room.general) == ["user: @Parley hi"]
        room.says("and now?")
        await room.answer("Fine.")
    assert room.answers() == [note, "Fine."]
    assert len(room.posts()) == 3


async def test_a_reply_that_is_blocked_on_its_way_keeps_what_stands(room: TextRoom) -> None:
    """TEXT-8, CORE-36: AutoMod refuses an edit; the history keeps what the room can read."""
    room.discord.failures.fail(*EDIT, status=400, code=200000)
    room.models.script(STREAM)
    async with room.bot() as core:
        room.says("tell me")
        answer = await room.answer(BLOCKED)
        await room.quiet(core)
        stands, _, note = answer.content.partition("\n\n-# ")
        assert note == BLOCKED
        assert stands.startswith("word0")
        assert await spoken(core, room.general) == ["user: @Parley tell me", f"cut: {stands}"]
    assert len(room.posts()) == 1


async def test_the_note_fits_under_a_full_message(room: TextRoom) -> None:
    """TEXT-2, TEXT-8: a later message is refused, and the last one that stands has no room left."""
    room.discord.failures.fail(*POST, status=400, code=200000, where=lambda sent: "word300" in str(sent.json))
    room.models.script(Answer(text=("".join(f"word{number} " for number in range(400)),)))
    async with room.bot() as core:
        room.says("tell me")
        answer = await room.answer(BLOCKED)
        await room.quiet(core)
        assert (await spoken(core, room.general))[1].startswith("cut: word0")
    assert len(answer.content) > 1_900
    assert room.answers() == [answer.content]


@pytest.mark.parametrize("streams", ["on", "off"])
@pytest.mark.parametrize(("status", "code"), [(403, 50013), (413, 40005)])
async def test_where_no_file_is_taken_a_long_answer_comes_in_messages(
    room: TextRoom, streams: str, status: int, code: int
) -> None:
    """TEXT-2, TEXT-7, TEXT-8: without Attach Files, or beyond the size; what is told is what stands."""
    for way in (POST, EDIT):
        room.discord.failures.fail(
            *way, status=status, code=code, times=50, where=lambda sent: bool(sent.files)
        )
    room.models.script(Answer(text=tuple(f"word{number} " for number in range(3_000))))
    async with room.bot(STREAM_EDITS=streams) as core:
        room.says("tell me everything")
        last = await room.answer("-# The rest is left out", within_s=20)
        await room.quiet(core)
        kept = (await spoken(core, room.general))[1]
    assert len(room.answers()) == 6
    assert not last.attachments
    assert kept.startswith("cut: word0 word1 ")
    assert "word2900" not in kept


@pytest.mark.parametrize(
    ("status", "code"), [(400, 50035), (400, 200000), (403, 50013), (403, 50001), (404, 10003)]
)
async def test_a_notice_that_fails_as_well_ends_it(room: TextRoom, status: int, code: int) -> None:
    """TEXT-7, TEXT-8: no loop, no crash, one line in the log; the next question is answered."""
    rule = room.discord.failures.fail(*POST, status=status, code=code, times=100)
    room.models.script(HELLO, Answer(text=("Fine.",)))
    with capture_logs() as logs:
        async with room.bot() as core:
            room.says("hi")
            await room.discord.until(lambda: bool(rule.hits))
            await room.quiet(core)
            assert len(rule.hits) <= 2
            room.discord.failures.clear()
            room.says("and now?")
            await room.answer("Fine.")
            await room.quiet(core)
    assert room.answers() == ["Fine."]
    assert [entry["event"] for entry in logs if entry["log_level"] == "error"] == []
    assert [entry["event"] for entry in logs if "error_id" in entry] == ["reply failed"]


async def test_an_archived_thread_is_opened_for_the_end_of_its_reply(room: TextRoom) -> None:
    """SCENE-2, TEXT-8: 50083 on an edit."""
    thread = room.discord.humans.create_thread(room.general, "side talk", room.ada)
    room.models.script(STREAM)
    async with room.bot() as core:
        room.says("tell me", channel=thread)
        await room.answer("word0", channel=thread)
        room.discord.humans.archive(thread)
        await room.answer("word59", channel=thread)
        await room.quiet(core)
    assert thread.thread is not None
    assert not thread.thread.archived
    assert len(thread.messages.by(room.discord.bot)) == 1


async def test_a_locked_thread_ends_the_reply_quietly(room: TextRoom) -> None:
    """TEXT-8: the bot may not open it."""
    thread = room.discord.humans.create_thread(room.general, "side talk", room.ada)
    room.models.script(STREAM)
    async with room.bot() as core:
        room.says("tell me", channel=thread)
        await room.answer("word0", channel=thread)
        room.discord.humans.archive(thread, locked=True)
        await room.quiet(core)
        opened = room.discord.recorder.requests("PATCH", "/channels/{channel_id}")
    assert len(opened) == 1
    assert thread.thread is not None
    assert thread.thread.archived


async def test_without_message_history_the_answer_is_no_reply(room: TextRoom) -> None:
    """TEXT-7: 160002; the answer comes all the same, and the missing permission is told once beside it."""
    room.general.deny(room.discord.bot, Permission.READ_MESSAGE_HISTORY)
    room.models.script(HELLO)
    async with room.bot():
        room.says("hi")
        answer = await room.answer("Hello.")
    assert answer.referenced is None
    told = [text for text in room.answers() if "Read Message History" in text]
    assert len(told) == 1
    assert sorted(room.answers()) == sorted([*told, "Hello."])


async def test_slow_mode_delays_and_loses_nothing(room: TextRoom) -> None:
    """TEXT-8: 20016, in a channel where the bot is bound by it."""
    room.general.slow_mode_s, room.general.slow_mode_binds_bots = 1, True
    room.models.script(HELLO, Answer(text=("Again.",)))
    async with room.bot() as core:
        room.says("hi")
        await room.answer("Hello.")
        room.says("again")
        await room.answer("Again.", within_s=10)
        await room.quiet(core)
    assert room.answers() == ["Hello.", "Again."]


async def test_a_bot_in_a_time_out_is_silent_until_it_is_over(room: TextRoom) -> None:
    """TEXT-7: known before a request; the owner is told once; what was being written stays."""
    humans, guild, bot = room.discord.humans, room.discord.guild, room.discord.bot
    room.models.script(STREAM, Answer(text=("Back.",)))
    async with room.bot() as core:
        room.says("tell me")
        await room.answer("word0")
        humans.change_member(guild, bot, timed_out_until=time.time() + 600)
        await room.quiet(core)
        posts = len(room.posts())
        room.says("and now?")
        told = await room.answer("timed out", channel=room.discord.world.dm(room.discord.world.owner))
        assert f"#{room.general.name}" in told.content
        room.says("hello?")
        await asyncio.sleep(0.2)
        humans.change_member(guild, bot, timed_out_until=None)
        room.says("and now?")
        await room.answer("Back.")
        await room.quiet(core)
    assert len(room.posts()) == posts + 2
    assert len(room.models.requests) == 2
