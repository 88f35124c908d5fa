"""The database fails under the bot: nobody waits for nothing, and what comes after works again (CORE-30)."""

import asyncio
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from bot.discord_chat import reply_stream
from tests.fake_discord import ChannelKind
from tests.fake_models import Answer
from tests.flows.slash_commands import run, told_alone
from tests.flows.text_room import TextRoom, spoken


@contextmanager
def without_table(name: str, folder: Path) -> Iterator[None]:
    """Every statement about the table fails meanwhile, as on a full or broken disk."""
    with closing(sqlite3.connect(folder / "parley.db", isolation_level=None)) as database:
        database.execute("PRAGMA legacy_alter_table=ON")
        database.execute(f"ALTER TABLE {name} RENAME TO {name}_away")
        try:
            yield
        finally:
            database.execute(f"ALTER TABLE {name}_away RENAME TO {name}")


async def test_a_message_that_cannot_be_kept_is_answered_with_a_sentence(room: TextRoom) -> None:
    """CORE-30, TEXT-8: in its channel, as a reply, with an id; the next message is answered."""
    async with room.bot() as core:
        room.models.script(Answer(text=("Ready.",)), Answer(text=("Back again.",)))
        room.says("hi")
        await room.answer("Ready.")
        await room.quiet(core)
        with without_table("inbox", room.folder):
            lost = room.says("remember this")
            told = await room.answer("I could not save that.")
        assert re.search(r"\(`err_\w+`\)$", told.content)
        assert told.referenced is lost
        room.says("and now?")
        await room.answer("Back again.")
        await room.quiet(core)
    assert len(room.answers()) == 3


async def test_who_calls_the_bot_is_told_when_nothing_can_be_looked_up(room: TextRoom) -> None:
    """CORE-30, CMD-3: what holds in the channel is not known, so small talk there stays without a word."""
    async with room.bot() as core:
        with without_table("channel_settings", room.folder):
            room.discord.humans.say(room.general, room.discord.grace, "by the way")
            lost = room.says("are you there?")
            told = await room.answer("(`err_")
        assert told.referenced is lost
        assert "could not be looked up" in await told_alone(run(room, "why"))
        room.says("and now?")
        await room.answer("and now?")
        await room.quiet(core)
    assert len(room.answers()) == 2


async def test_a_reply_that_cannot_be_begun_is_answered_with_a_sentence(room: TextRoom) -> None:
    """CORE-30, SCENE-7: nothing of it was kept, so the next start answers it after all, in that message."""
    async with room.bot() as core:
        room.models.script(Answer(text=("Ready.",)), Answer(text=("never shown",)))
        room.says("hi")
        await room.answer("Ready.")
        await room.quiet(core)
        with without_table("outbox", room.folder):
            room.says("remember this")
            await room.answer("Something went wrong on my side.")
    async with room.bot() as core:
        room.models.script(Answer(text=("I remember.",)))
        await room.answer("I remember.")
        await room.quiet(core)
    assert room.answers() == ["Ready.", "I remember."]


async def test_a_reply_is_shown_whole_when_its_post_cannot_be_remembered(room: TextRoom) -> None:
    """TEXT-11, CORE-30: its row is planned, so the nonce finds the post again; what streams goes on."""
    words = tuple(f"word{number} " for number in range(30))
    async with room.bot() as core:
        room.models.script(Answer(text=words, delay_s=0.3, delay_between_s=0.02))
        room.says("tell me")
        await room.models.wait_for_request(1)
        with without_table("outbox", room.folder):
            await room.answer("".join(words).strip())
        await room.quiet(core)
        assert len(await spoken(core, room.general)) == 2
    assert room.answers() == ["".join(words).strip()]


async def test_a_further_message_waits_until_its_row_can_be_written(
    room: TextRoom, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TEXT-11, CORE-30: the row stands before the post, and the rest of the answer is not lost."""
    monkeypatch.setattr(reply_stream, "_RETRIES_AFTER_S", (0.1,) * 9)
    words = "".join(f"word{number} " for number in range(400))
    async with room.bot() as core:
        room.models.script(Answer(text=("So: ", words), delay_between_s=0.3))
        room.says("tell me")
        await room.answer("So:")
        await asyncio.sleep(0.1)
        with without_table("outbox", room.folder):
            await room.answer("word200")
            await asyncio.sleep(0.3)
            assert len(room.answers()) == 1
        await room.answer("word399")
        await room.quiet(core)
        assert (await spoken(core, room.general))[1] == f"bot: So: {words}"


async def test_a_reply_that_was_shown_is_remembered_once_the_database_can(room: TextRoom) -> None:
    """CORE-23, CORE-30: the commit after the last edit fails; nothing is posted twice, nothing forgotten."""
    words = tuple(f"word{number} " for number in range(10))
    async with room.bot() as core:
        room.models.script(Answer(text=words, delay_between_s=0.05))
        room.says("tell me")
        await room.answer("word0")
        with without_table("turns", room.folder):
            await room.answer("".join(words).strip())
            await asyncio.sleep(0.3)
            assert await core.stores.inbox.unfinished()
        await room.quiet(core)
        assert (await spoken(core, room.general))[1:] == [f"bot: {''.join(words)}"]
    assert room.answers() == ["".join(words).strip()]


async def test_half_a_character_hides_no_message(room: TextRoom) -> None:
    """SCENE-7, TEXT-4: JSON can name half a character, which no UTF-8 can hold; live and missed."""
    other = room.discord.world.add_channel(room.discord.guild, "other", kind=ChannelKind.TEXT)
    room.says("hi \ud83d there")
    room.says("hello", channel=other)
    room.models.script(*[Answer(text=("Got it.",))] * 3)
    async with room.bot() as core:
        await room.answer("Got it.")
        await room.answer("Got it.", channel=other)
        room.says("\udc00", channel=other)
        await room.discord.until(lambda: len(room.answers(other)) == 2)
        await room.quiet(core)
        assert (await spoken(core, room.general))[-1] == "bot: Got it."
