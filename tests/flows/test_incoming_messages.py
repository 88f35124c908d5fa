"""TEXT-4: every kind of message that Discord sends, over the gateway, up to what the model reads of it."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.conversation.content import Image
from core.conversation.turns import UserTurn
from tests.fake_discord import ChannelKind, MessageFlag, MessageKind
from tests.fake_discord.entities import Channel, Message
from tests.fake_models import Answer
from tests.flows.slash_commands import run, told_alone
from tests.flows.text_room import POST, TextRoom

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\2\0\0\0\3\x08\2\0\0\0"
HUGE = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\1\0\0\0\0\0\3\x08\2\0\0\0"
PDF = b"%PDF-1.7\n%%EOF"
EMOJI = "<:party_cat:123456789012345678>"
STICKER = {"id": "749054660769218631", "name": "Wave", "format_type": 1}
POLL = {
    "question": {"text": "Pizza or soup?"},
    "answers": [
        {"poll_media": {"text": "Pizza", "emoji": {"id": None, "name": "🍕"}}},
        {"poll_media": {"text": "Soup"}},
    ],
    "allow_multiselect": True,
}
CARD = {
    "title": "Build 17",
    "description": "Everything\nis green",
    "url": "https://ci.example/17",
    "fields": [{"name": "Took", "value": "4 min"}],
}


@dataclass(frozen=True, kw_only=True)
class Case:
    """A message that is answered, and what the model reads of it; `media` are the parts beside the text."""

    name: str
    act: Callable[[TextRoom, Channel], object]
    reads: tuple[str, ...]
    never: tuple[str, ...] = ()
    media: tuple[str, ...] = ()


def say(text: str = "", **more: Any) -> Callable[[TextRoom, Channel], Message]:
    return lambda room, channel: room.discord.humans.say(channel, room.ada, text, **more)


def attached(
    *files: tuple[str, bytes], text: str = "", **details: Any
) -> Callable[[TextRoom, Channel], Message]:
    def act(room: TextRoom, channel: Channel) -> Message:
        stored = [room.discord.humans.attach(channel, name, content, **details) for name, content in files]
        flags = MessageFlag.VOICE_MESSAGE if "duration_s" in details else 0
        return room.discord.humans.say(channel, room.ada, text, attachments=stored, flags=flags)

    return act


def reply_to_an_image(room: TextRoom, channel: Channel) -> Message:
    humans = room.discord.humans
    shown = humans.say(
        room.general, room.discord.grace, "my cat", attachments=[("cat.png", PNG)], at=time.time() - 9e4
    )
    return humans.say(room.general, room.ada, f"{room.discord.bot.mention} what is this?", reply_to=shown)


def reply_to_a_card(room: TextRoom, channel: Channel) -> Message:
    card = room.discord.humans.say(channel, room.discord.bot, "", embeds=[CARD])
    return room.discord.humans.say(channel, room.ada, "did it pass?", reply_to=card)


def forward(room: TextRoom, channel: Channel) -> Message:
    said = room.discord.humans.say(
        room.general, room.discord.grace, "the plan is out", attachments=[("plan.txt", b"Step one.")]
    )
    return room.discord.humans.say(channel, room.ada, forward=said)


def expired(room: TextRoom, channel: Channel) -> Message:
    file = room.discord.humans.attach(channel, "old.txt", b"still readable")
    file.expired = True
    return room.discord.humans.say(channel, room.ada, "this one", attachments=[file])


def mention_many(room: TextRoom, channel: Channel) -> Message:
    role = room.discord.humans.create_role(room.discord.guild, "gardeners")
    named = (
        f"{room.discord.bot.mention} {room.discord.grace.mention} <@&{role.id}> <#{room.general.id}> @here"
    )
    return room.discord.humans.say(channel, room.ada, f"{named} who comes?")


CASES = [
    Case(name="text", act=say("hello there"), reads=("hello there",)),
    Case(
        name="right to left", act=say("مرحبا، كيف حالك؟ \u200fשלום"), reads=("مرحبا، كيف حالك؟ \u200fשלום",)
    ),
    Case(name="zero-width inside", act=say("a\u200bb\u200d"), reads=("a\u200bb",)),
    Case(name="4,000 characters", act=say("word " * 800), reads=("word " * 799 + "word",)),
    Case(name="custom emoji", act=say(f"nice {EMOJI}"), reads=("nice :party_cat:",), never=("1234567890",)),
    Case(name="time", act=say("at <t:1796064420:R>"), reads=("at 2026-11-30 18:47 UTC",)),
    Case(name="sticker alone", act=say(stickers=[STICKER]), reads=("[sticker: Wave]",)),
    Case(
        name="poll",
        act=say(poll=POLL),
        reads=("[poll: Pizza or soup? Answers: 🍕 Pizza; Soup, several may be chosen]",),
    ),
    Case(
        name="embed alone",
        act=say(embeds=[CARD]),
        reads=("[embed: Build 17. Everything is green. Took: 4 min (https://ci.example/17)]",),
    ),
    Case(
        name="reply to a card",
        act=reply_to_a_card,
        reads=("[embed: Build 17. Everything is green. Took: 4 min (https://ci.example/17)])\ndid it pass?",),
    ),
    Case(
        name="image alone",
        act=attached(("cat.png", PNG), description="a grey cat"),
        reads=(": ",),
        media=("data:image/png;base64,",),
    ),
    Case(
        name="image with text",
        act=attached(("cat.png", PNG), text="look:"),
        reads=("look:",),
        media=("data:image/png;base64,",),
    ),
    Case(
        name="picture that is none",
        act=attached(("cat.png", b"<html>"), text="look:"),
        reads=("look:\n[attachment: cat.png, image/png, 6 bytes: not what its name says]",),
    ),
    Case(
        name="picture of 65,536 pixels",
        act=attached(("wide.png", HUGE)),
        reads=("too large to look at, at most 8000 pixels a side]",),
    ),
    Case(
        name="text file",
        act=attached(("notes.txt", "Grüße".encode("cp1252")), text="read this"),
        reads=("read this\n[attached file notes.txt:]\nGrüße\n[end of notes.txt]",),
    ),
    Case(
        name="source code that Discord takes for a film",
        act=attached(("app.ts", b"let a = 1"), content_type="video/mp2t"),
        reads=("[attached file app.ts:]\nlet a = 1\n[end of app.ts]",),
    ),
    Case(
        name="text file that is none",
        act=attached(("notes.txt", b"\0\1\2\3" * 9)),
        reads=("[attachment: notes.txt, text/plain, 36 bytes: not text]",),
    ),
    Case(
        name="long text file",
        act=attached(("long.txt", b"a" * 30_000)),
        reads=("a" * 16_000 + "\n[cut here: 16,000 of 30,000 characters]",),
        never=("a" * 16_001,),
    ),
    Case(
        name="text file that is too large",
        act=attached(("huge.txt", b"a" * 1_100_000)),
        reads=("[attachment: huge.txt, text/plain, 1.1 MB: too large to read, at most 1.0 MB]",),
    ),
    Case(
        name="empty file",
        act=attached(("none.txt", b"")),
        reads=("[attachment: none.txt, text/plain, 0 bytes: empty]",),
    ),
    Case(name="PDF", act=attached(("plan.pdf", PDF)), reads=(": ",), media=("data:application/pdf;base64,",)),
    Case(
        name="voice message",
        act=attached(("voice-message.ogg", b"OggS"), duration_s=7.2, content_type="audio/ogg"),
        reads=("[voice message, 7 s: no transcript]",),
    ),
    Case(
        name="recording",
        act=attached(("song.mp3", b"ID3\4...")),
        reads=("[audio without a transcript]",),
    ),
    Case(
        name="film",
        act=attached(("film.mp4", b"...."), text="watch"),
        reads=("watch\n[attachment: film.mp4, video/mp4, 4 bytes]",),
    ),
    Case(
        name="ten files",
        act=attached(*((f"{number}.txt", f"part {number}".encode()) for number in range(10))),
        reads=tuple(f"[attached file {number}.txt:]\npart {number}\n" for number in range(10)),
    ),
    Case(
        name="forward",
        act=forward,
        reads=(
            "[forwarded message:]\nthe plan is out\n[end of the forwarded message]",
            "[attached file plan.txt:]\nStep one.",
        ),
    ),
    Case(name="expired link", act=expired, reads=("this one\n[attached file old.txt:]\nstill readable",)),
]


def last_read(room: TextRoom) -> tuple[str, list[str]]:
    """Text and addresses of media of the newest user message in the newest request."""
    content = room.models.requests[-1].body["messages"][-1]["content"]
    if isinstance(content, str):
        return content, []
    texts = [part["text"] for part in content if part["type"] == "text"]
    addresses = [
        part["image_url"]["url"] if part["type"] == "image_url" else part["file"]["file_data"]
        for part in content
        if part["type"] != "text"
    ]
    return "\n".join(texts), addresses


async def test_every_kind_of_message_reaches_the_model(room: TextRoom) -> None:
    """TEXT-4: as its own words, as media, or as a label that says what it was; each answered once."""
    direct = room.discord.world.dm(room.ada)
    async with room.bot(OPENAI_MODEL="gpt-4o") as core:
        for number, case in enumerate(CASES, 1):
            case.act(room, direct)
            await room.discord.until(lambda wanted=number: len(room.models.requests) >= wanted, within_s=5)
            await room.quiet(core)
            assert len(room.models.requests) == number, case.name
            text, media = last_read(room)
            for words in case.reads:
                assert words in text, f"{case.name}: {text[-300:]}"
            for words in case.never:
                assert words not in text, case.name
            assert len(media) == len(case.media), case.name
            for address, start in zip(media, case.media, strict=True):
                assert address.startswith(start), case.name


async def test_a_group_of_mentions_is_read_by_its_names(room: TextRoom) -> None:
    """TEXT-4, TEXT-3: people, roles and channels; none of them is pinged by what the bot answers."""
    room.models.script(Answer(text=("All of you @here.",)))
    async with room.bot():
        asked = mention_many(room, room.general)
        answer = await room.answer("All of you")
    text, _ = last_read(room)
    assert text.endswith(f"@Parley @Grace @gardeners #{room.general.name} @\u200bhere who comes?")
    assert answer.referenced is asked
    assert set(answer.pinged) == {room.ada.id}


async def test_what_only_one_person_sees_is_not_heard(room: TextRoom) -> None:
    """TEXT-4: an ephemeral message of somebody's command is neither answered nor context."""
    humans = room.discord.humans
    room.models.script(Answer(text=("Yes.",)))
    async with room.bot() as core:
        mention = room.discord.bot.mention
        secret = humans.say(room.general, room.ada, f"{mention} a secret", flags=MessageFlag.EPHEMERAL)
        room.discord.state.announcements.message_created(secret)
        room.says("anything new?")
        await room.answer("Yes.")
        await room.quiet(core)
    assert len(room.models.requests) == 1
    assert "a secret" not in str(room.models.requests[0].body["messages"])


async def test_a_command_in_a_server_where_the_bot_is_no_member(room: TextRoom) -> None:
    """TEXT-4, CMD-1: installed by a user, it says where it can answer; nothing is stored of that server."""
    world = room.discord.world
    foreign = world.add_guild("Elsewhere", members=[room.ada], with_bot=False)
    lobby = world.add_channel(foreign, "lobby")
    async with room.bot() as core:
        asked = run(room, "ask", channel=lobby, question="hello?")
        assert "I am no member of this server" in await told_alone(await asked)
        await room.quiet(core)
    assert room.models.requests == []


async def test_a_quoted_picture_is_seen_as_well(room: TextRoom) -> None:
    """TEXT-4: "what is this?" in reply to somebody's picture."""
    room.models.script(Answer(text=("A cat.",)))
    async with room.bot(OPENAI_MODEL="gpt-4o"):
        reply_to_an_image(room, room.general)
        await room.answer("A cat.")
    text, media = last_read(room)
    assert f"(in reply to Grace ({room.discord.grace.id}): my cat [attachment: cat.png, image/png, " in text
    assert text.endswith("what is this?")
    assert len(media) == 1


async def test_a_text_model_reads_what_the_picture_is_called(room: TextRoom) -> None:
    """TEXT-4, CORE-16: labels on lines of their own, and the picture is kept for a model that sees."""
    direct = room.discord.world.dm(room.ada)
    room.models.script(Answer(text=("I cannot see.",)), Answer(text=("Now I can.",)))
    async with room.bot() as core:
        attached(("cat.png", PNG), text="Look:", description="a cat")(room, direct)
        await room.answer("I cannot see.", channel=direct)
        assert last_read(room)[0].endswith("Look:\n[image: a cat]")
        await room.quiet(core)
        window = await core.stores.history.window(f"discord:channel:{direct.id}", 9)
        asked = window.turns[0].turn
        assert isinstance(asked, UserTurn)
        assert [type(part) for part in asked.content][1:] == [Image]
    async with room.bot(OPENAI_MODEL="gpt-4o"):
        room.discord.humans.say(direct, room.ada, "and now?")
        await room.answer("Now I can.", channel=direct)
    assert "data:image/png;base64," in str(room.models.requests[-1].body["messages"])


async def test_a_download_that_fails_is_a_label_and_an_answer(room: TextRoom) -> None:
    """TEXT-4: the file is gone for good; the question is answered all the same."""
    direct = room.discord.world.dm(room.ada)
    room.models.script(Answer(text=("It is gone.",)))
    async with room.bot():
        file = room.discord.humans.attach(direct, "gone.txt", b"nothing")
        file.url = file.url.replace(str(file.id), "1")
        room.discord.humans.say(direct, room.ada, "see", attachments=[file])
        await room.answer("It is gone.", channel=direct)
    assert last_read(room)[0].endswith("see\n[attachment: gone.txt, text/plain, 7 bytes: is no longer there]")


async def test_a_file_is_not_read_beyond_its_bounds(room: TextRoom) -> None:
    """TEXT-4: whatever size it was said to have."""
    direct = room.discord.world.dm(room.ada)
    room.models.script(Answer(text=("Too large.",)))
    async with room.bot():
        file = room.discord.humans.attach(direct, "notes.txt", b"short")
        room.discord.humans.say(direct, room.ada, "see", attachments=[file])
        file.content = b"a" * 1_100_000
        await room.answer("Too large.", channel=direct)
    assert last_read(room)[0].endswith("see\n[attachment: notes.txt, text/plain, 5 bytes: too large to read]")


async def test_kept_files_are_private(room: TextRoom) -> None:
    """TEXT-4: nobody else on the machine reads them; their names are ours."""
    direct = room.discord.world.dm(room.ada)
    room.models.script(Answer(text=("Seen.",)))
    async with room.bot(OPENAI_MODEL="gpt-4o"):
        attached(("passwd.png", PNG))(room, direct)
        await room.answer("Seen.", channel=direct)
    media = room.folder / "media"
    kept = await asyncio.to_thread(lambda: [path for path in media.rglob("*") if path.is_file()])
    assert len(kept) == 1
    assert kept[0].suffix == ".png"
    assert modes(media, kept[0].parent, kept[0]) == [0o700, 0o700, 0o600]


def modes(*paths: Path) -> list[int]:
    return [path.stat().st_mode & 0o777 for path in paths]


async def test_what_nobody_wrote_to_the_bot_is_never_answered(room: TextRoom) -> None:
    """SCENE-4, TEXT-4: system messages, webhooks, bots, crossposts, previews, pins, blank ones."""
    humans, world = room.discord.humans, room.discord.world
    other = world.add_user("beeper", bot=True)
    world.add_member(room.discord.guild, other)
    mention = room.discord.bot.mention
    async with room.bot(TRIGGER_MODE="all") as core:
        for kind in (MessageKind.JOIN, MessageKind.BOOSTED, MessageKind.RENAMED, MessageKind.STAGE_STARTED):
            humans.system_message(room.general, room.ada, kind, mention)
        humans.system_message(room.general, room.ada, MessageKind.COMMAND, mention)
        humans.say(room.general, other, f"{mention} hello")
        humans.say(room.general, room.ada, mention, webhook_id=123456)
        humans.say(room.general, room.ada, mention, webhook_id=123456, flags=MessageFlag.IS_CROSSPOST)
        humans.say(room.general, room.ada, "\u200b\u2800\u3164")
        asked = humans.say(room.general, room.ada, "see https://example.org")
        await room.discord.until(lambda: len(room.models.requests) == 1)
        await room.quiet(core)
        humans.embed_links(asked, [{"title": "Example"}])
        humans.pin(asked, room.ada)
        humans.say(room.general, room.ada, "the end")
        await room.discord.until(lambda: len(room.models.requests) == 2)
        await room.quiet(core)
    assert len(room.discord.recorder.requests(*POST)) == 2


async def test_notices_of_discord_are_context_of_the_room(room: TextRoom) -> None:
    """TEXT-4: stage and thread system messages, who pinned and who joined, as data about their author."""
    humans = room.discord.humans
    room.models.script(Answer(text=("Ready.",)), Answer(text=("I know.",)))
    async with room.bot():
        room.says("hi")
        await room.answer("Ready.")
        humans.system_message(room.general, room.discord.grace, MessageKind.STAGE_TOPIC, "Night of\nstars")
        humans.create_thread(room.general, "side talk", room.ada)
        humans.system_message(room.general, room.discord.grace, MessageKind.JOIN)
        humans.system_message(room.general, room.discord.grace, MessageKind.BOOSTED)
        room.says("what happened?")
        await room.answer("I know.")
    read = str(room.models.requests[-1].body["messages"])
    assert f"Grace ({room.discord.grace.id}): [changed the topic of the stage to: Night of stars]" in read
    assert f"Ada ({room.ada.id}): [started a thread: side talk]" in read
    assert f"Grace ({room.discord.grace.id}): [joined the server]" in read


async def test_a_thread_begins_with_the_message_it_was_made_on(room: TextRoom) -> None:
    """TEXT-4: the thread starter message is context of the thread, and is not answered there again."""
    humans = room.discord.humans
    plan = humans.say(room.general, room.discord.grace, "we could meet at the mill", at=time.time() - 3600)
    thread = humans.create_thread(room.general, "the mill", room.ada, on=plan)
    room.models.script(Answer(text=("At eight.",)))
    async with room.bot():
        room.says("when?", channel=thread)
        await room.answer("At eight.", channel=thread)
    read = str(room.models.requests[-1].body["messages"])
    assert "[this thread began with a message of Grace:] we could meet at the mill" in read
    assert len(room.models.requests) == 1


async def test_a_forum_post_is_a_scene_and_its_first_message_a_question(room: TextRoom) -> None:
    """SCENE-1, TEXT-4: the post and its first message share an id."""
    forum = room.discord.humans.create_channel(room.discord.guild, "help", kind=ChannelKind.FORUM)
    room.models.script(Answer(text=("Try this.",)))
    async with room.bot():
        mention = room.discord.bot.mention
        post, first = room.discord.humans.create_post(forum, "It is broken", room.ada, f"{mention} help!")
        answer = await room.answer("Try this.", channel=post)
    assert answer.referenced is first
    assert post.id != room.general.id


async def test_bulk_deletion_takes_back_what_waits(room: TextRoom) -> None:
    """TEXT-4, TEXT-6: one event with many messages."""
    humans = room.discord.humans
    async with room.bot(BURST_WINDOW_MS="0") as core:
        room.models.script(Answer(text=("First.",), delay_s=0.3))
        room.says("first")
        await room.discord.until(lambda: len(room.models.requests) == 1)
        waiting = [room.says(f"more {number}", by=room.discord.grace) for number in range(3)]
        await asyncio.sleep(0.1)
        humans.delete_many(waiting)
        await room.answer("First.")
        await room.quiet(core)
    assert len(room.models.requests) == 1
