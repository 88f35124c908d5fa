"""The fake's messages, files, threads and permissions against a real discord.py client."""

import io
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import discord
import pytest
from discord.http import Route

from tests.fake_discord import ChannelKind, FakeDiscord, MessageKind, Permission
from tests.fake_discord.probe import ProbeClient, connected

PNG = b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + (3).to_bytes(4) + (2).to_bytes(4) + b"\x08\x02\0\0\0"


@asynccontextmanager
async def in_general(server: FakeDiscord) -> AsyncIterator[tuple[ProbeClient, discord.TextChannel]]:
    async with connected(server) as client:
        channel = client.get_channel(server.general.id)
        assert isinstance(channel, discord.TextChannel)
        yield client, channel


async def test_messages_go_both_ways(discord_server: FakeDiscord) -> None:
    async with in_general(discord_server) as (client, _channel):
        question = discord_server.humans.mention_bot(discord_server.general, discord_server.ada, "hello")
        await discord_server.until(lambda: client.received)
        got = client.received[0]
        assert isinstance(got.author, discord.Member)
        assert (got.id, got.author.display_name) == (question.id, "Ada")
        assert client.user in got.mentions
        async with got.channel.typing():
            sent = await got.reply("hi")
        answer = await discord_server.humans.answer_in(discord_server.general)
        assert (answer.id, answer.kind, answer.referenced) == (sent.id, MessageKind.REPLY, question)
        assert answer.pinged == {discord_server.ada.id}
        assert discord_server.general.typing[0][0] == discord_server.bot.id
        await discord_server.until(lambda: len(client.received) == 2)
        resolved = client.received[1].reference
        assert resolved is not None
        assert isinstance(resolved.resolved, discord.Message)


async def test_edits_and_deletions_go_both_ways(discord_server: FakeDiscord) -> None:
    humans, general, ada = discord_server.humans, discord_server.general, discord_server.ada
    async with in_general(discord_server) as (client, channel):
        sent = await channel.send("thinking")
        await sent.edit(content="thought")
        assert general.messages[-1].contents == ["thinking", "thought"]
        await sent.delete()
        assert len(general.messages) == 0
        messages = [humans.say(general, ada, text) for text in ("a", "b", "c")]
        humans.edit(messages[0], "A")
        humans.delete(messages[0])
        humans.delete_many(messages[1:])
        await discord_server.until(lambda: "bulk_message_delete" in client.events)
        assert {"raw_message_edit", "raw_message_delete"} <= set(client.events)


async def test_the_same_nonce_gives_the_same_message(discord_server: FakeDiscord) -> None:
    """TEXT-11: a post that is repeated with its nonce does not appear twice."""
    async with in_general(discord_server) as (_client, channel):
        first = await channel.send("once", nonce="42")
        again = await channel.send("twice?", nonce="42")
        other = await channel.send("another", nonce="43")
        assert first.id == again.id != other.id
        assert [message.content for message in discord_server.general.messages] == ["once", "another"]
        history = [message async for message in channel.history(limit=5)]
        assert [message.nonce for message in history] == ["43", "42"]
        discord_server.messages.nonce_window_s = 0.0
        assert (await channel.send("later", nonce="42")).id != first.id


async def test_a_nonce_that_is_not_enforced_does_not_hold(discord_server: FakeDiscord) -> None:
    async with in_general(discord_server) as (client, channel):
        route = Route("POST", "/channels/{channel_id}/messages", channel_id=channel.id)
        for _ in range(2):
            await client.http.request(route, json={"content": "again", "nonce": "7"})
        assert len(discord_server.general.messages) == 2


@pytest.mark.parametrize(
    ("allowed", "pinged"),
    [
        (None, {"ada", "grace"}),
        (discord.AllowedMentions.none(), set[str]()),
        (discord.AllowedMentions(users=False, roles=False, everyone=False, replied_user=True), {"grace"}),
        (discord.AllowedMentions(users=True, roles=False, everyone=True, replied_user=False), {"ada"}),
    ],
)
async def test_allowed_mentions_decide_who_is_pinged(
    discord_server: FakeDiscord, allowed: discord.AllowedMentions | None, pinged: set[str]
) -> None:
    """TEXT-3: what may ping is recorded as `pinged`."""
    server = discord_server
    question = server.humans.say(server.general, server.grace, "?")
    async with in_general(server) as (_client, channel):
        message = await channel.fetch_message(question.id)
        more: Any = {} if allowed is None else {"allowed_mentions": allowed}
        await message.reply(f"{server.ada.mention} @everyone `{server.world.owner.mention}`", **more)
        sent = server.general.messages[-1]
        assert {server.world.users[number].name for number in sent.pinged} == pinged
        assert sent.mention_everyone is False, "the bot has no such permission"


async def test_a_reply_to_a_deleted_message(discord_server: FakeDiscord) -> None:
    question = discord_server.humans.say(discord_server.general, discord_server.ada, "?")
    async with in_general(discord_server) as (_client, channel):
        message = await channel.fetch_message(question.id)
        discord_server.humans.delete(question)
        with pytest.raises(discord.HTTPException) as raised:
            await message.reply("!")
        assert (raised.value.status, raised.value.code) == (400, 50035)
        await channel.send("!", reference=message.to_reference(fail_if_not_exists=False))
        assert discord_server.general.messages[-1].reference is None


async def test_files_are_stored_and_served_until_their_link_expires(discord_server: FakeDiscord) -> None:
    """TEXT-4: expired links answer 404; a message fetched again has fresh ones."""
    general = discord_server.general
    async with in_general(discord_server) as (client, channel):
        files = [
            discord.File(io.BytesIO(PNG), "dot.png", description="a dot"),
            discord.File(io.BytesIO(b"x"), "x.txt"),
        ]
        sent = await channel.send("see", files=files)
        image, text = sent.attachments
        assert (image.width, image.height, image.content_type, image.description) == (
            3,
            2,
            "image/png",
            "a dot",
        )
        assert await image.read() == PNG
        assert general.messages[-1].attachments[1].content == b"x"
        await sent.edit(attachments=[text, discord.File(io.BytesIO(b"y"), "y.txt")])
        assert [one.filename for one in general.messages[-1].attachments] == ["x.txt", "y.txt"]
        message = discord_server.humans.say(
            general, discord_server.ada, attachments=[("notes.txt", "ä".encode())]
        )
        await discord_server.until(lambda: client.received and client.received[-1].id == message.id)
        got = client.received[-1]
        assert await got.attachments[0].read() == "ä".encode()
        message.attachments[0].expired = True
        with pytest.raises(discord.NotFound):
            await got.attachments[0].read()
        again = await channel.fetch_message(message.id)
        assert await again.attachments[0].read() == "ä".encode()


async def test_too_large_uploads_are_refused(discord_server: FakeDiscord) -> None:
    discord_server.state.max_upload_bytes = 100
    async with in_general(discord_server) as (_client, channel):
        with pytest.raises(discord.HTTPException) as raised:
            await channel.send(file=discord.File(io.BytesIO(b"x" * 101), "x.bin"))
        assert (raised.value.status, raised.value.code) == (413, 40005)


async def test_history_is_paged_as_discord_pages(discord_server: FakeDiscord) -> None:
    general, ada = discord_server.general, discord_server.ada
    old = discord_server.world.clock() - timedelta(hours=1).total_seconds()
    discord_server.humans.say(general, ada, "today")
    discord_server.humans.say(general, ada, "an hour ago", at=old)
    made = [discord_server.humans.say(general, ada, str(number)) for number in range(150)]
    async with in_general(discord_server) as (_client, channel):
        everything = [message.content async for message in channel.history(limit=None, oldest_first=True)]
        assert everything == ["an hour ago", "today", *map(str, range(150))]
        before = [one.content async for one in channel.history(limit=3, before=discord.Object(made[10].id))]
        assert before == ["9", "8", "7"]
        after = [one.content async for one in channel.history(limit=2, after=discord.Object(made[10].id))]
        assert after == ["11", "12"]
        around = [one.content async for one in channel.history(limit=5, around=discord.Object(made[10].id))]
        assert sorted(around) == ["10", "11", "12", "8", "9"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [({"content": ""}, 50006), ({"embeds": [discord.Embed(title="x" * 257)]}, 50035)],
)
async def test_what_discord_refuses_is_refused(
    discord_server: FakeDiscord, arguments: dict[str, object], code: int
) -> None:
    async with in_general(discord_server) as (_client, channel):
        with pytest.raises(discord.HTTPException) as raised:
            await channel.send(**arguments)  # type: ignore[arg-type] # deliberately wrong
        assert raised.value.code == code
    discord_server.violations.clear()


async def test_a_text_over_2000_characters_is_refused_and_reported(discord_server: FakeDiscord) -> None:
    """TEXT-2: Discord counts characters, not bytes or UTF-16 units."""
    async with in_general(discord_server) as (_client, channel):
        await channel.send("😀" * 2000)
        with pytest.raises(discord.HTTPException) as raised:
            await channel.send("x" * 2001)
        assert "Must be 2000 or fewer in length" in str(raised.value)
    discord_server.violations.clear()


async def test_missing_things_have_discords_codes(discord_server: FakeDiscord) -> None:
    async with in_general(discord_server) as (client, channel):
        with pytest.raises(discord.NotFound) as raised:
            await channel.fetch_message(1)
        assert raised.value.code == 10008
        with pytest.raises(discord.NotFound) as raised:
            await client.fetch_channel(1)
        assert raised.value.code == 10003


@pytest.mark.parametrize(
    ("denied", "code"), [(Permission.VIEW_CHANNEL, 50001), (Permission.SEND_MESSAGES, 50013)]
)
async def test_permissions_are_held(discord_server: FakeDiscord, denied: Permission, code: int) -> None:
    """TEXT-7: missing View is 50001, missing Send 50013."""
    async with in_general(discord_server) as (client, channel):
        discord_server.humans.set_overwrite(discord_server.general, discord_server.bot, deny=denied)
        with pytest.raises(discord.Forbidden) as raised:
            await channel.send("may I?")
        assert raised.value.code == code
        await discord_server.until(lambda: "guild_channel_update" in client.events)
        assert channel.permissions_for(channel.guild.me).send_messages is False
        discord_server.humans.set_overwrite(discord_server.general, discord_server.bot)
        await channel.send("thank you")


async def test_a_channel_out_of_sight_is_not_heard(discord_server: FakeDiscord) -> None:
    secret = discord_server.world.add_channel(discord_server.guild, "secret")
    secret.deny(discord_server.guild.everyone, Permission.VIEW_CHANNEL)
    async with in_general(discord_server) as (client, _channel):
        discord_server.humans.say(secret, discord_server.ada, "psst")
        discord_server.humans.say(discord_server.general, discord_server.ada, "aloud")
        await discord_server.until(lambda: client.received)
        assert [message.content for message in client.received] == ["aloud"]


async def test_direct_messages(discord_server: FakeDiscord) -> None:
    ada, grace = discord_server.ada, discord_server.grace
    async with connected(discord_server) as client:
        discord_server.humans.say(discord_server.world.dm(ada), ada, "psst")
        await discord_server.until(lambda: client.received)
        assert isinstance(client.received[0].channel, discord.DMChannel)
        await client.received[0].channel.send("yes?")
        assert (await discord_server.humans.answer_in(discord_server.world.dm(ada))).content == "yes?"
        user = await client.fetch_user(grace.id)
        grace.dms_open = False
        with pytest.raises(discord.Forbidden) as raised:
            await user.send("hello?")
        assert raised.value.code == 50007


async def test_threads(discord_server: FakeDiscord) -> None:
    """SCENE-2: writing into an archived thread opens it; what else is archived is 50083."""
    server, humans = discord_server, discord_server.humans
    question = humans.say(server.general, server.ada, "?")
    async with in_general(server) as (client, channel):
        message = await channel.fetch_message(question.id)
        thread = await message.create_thread(name="about that")
        own = await thread.send("here")
        made = server.world.channels[thread.id]
        assert made.id == question.id
        humans.say(made, server.ada, "thanks")
        await server.until(lambda: any(one.content == "thanks" for one in client.received))
        humans.archive(made)
        await server.until(lambda: "raw_thread_update" in client.events)
        with pytest.raises(discord.HTTPException) as raised:
            await own.edit(content="too late")
        assert raised.value.code == 50083
        assert [one.id async for one in channel.archived_threads()] == [thread.id]
        await thread.send("still here")
        assert made.thread is not None
        assert made.thread.archived is False
        humans.archive(made, locked=True)
        with pytest.raises(discord.HTTPException) as raised:
            await thread.send("no")
        assert raised.value.code == 50083
        with pytest.raises(discord.HTTPException) as raised:
            await message.create_thread(name="again")
        assert raised.value.code == 160004
        plain = await channel.create_thread(name="loose", type=discord.ChannelType.public_thread)
        assert (await plain.edit(archived=True)).archived


async def test_forum_posts(discord_server: FakeDiscord) -> None:
    server = discord_server
    forum = server.world.add_channel(server.guild, "ideas", kind=ChannelKind.FORUM)
    async with connected(server) as client:
        post, first = server.humans.create_post(forum, "an idea", server.ada, "what if")
        await server.until(lambda: client.received)
        assert client.received[0].id == first.id
        assert client.received[0].channel.id == post.id
        channel = client.get_channel(forum.id)
        assert isinstance(channel, discord.ForumChannel)
        made = await channel.create_thread(name="mine", content="an idea of mine")
        assert server.world.channels[made.thread.id].messages[0].content == "an idea of mine"


async def test_slow_mode_can_bind_the_bot(discord_server: FakeDiscord) -> None:
    general = discord_server.general
    general.slow_mode_s, general.slow_mode_binds_bots = 60, True
    async with connected(discord_server, max_ratelimit_timeout=30.0) as client:
        channel = client.get_channel(general.id)
        assert isinstance(channel, discord.TextChannel)
        await channel.send("one")
        with pytest.raises(discord.RateLimited) as raised:
            await channel.send("two")
        assert 55 < raised.value.retry_after <= 60
    assert discord_server.recorder.exchanges[-1].answer["code"] == 20016


async def test_embeds_components_polls_and_reactions(discord_server: FakeDiscord) -> None:
    """TEXT-5: cards as embeds or Components V2, polls, reactions; each answer keeps to the document."""
    server = discord_server
    async with in_general(server) as (client, channel):
        card = discord.Embed(title="t", description="d", color=5, timestamp=discord.utils.utcnow())
        card.add_field(name="n", value="v").set_footer(text="f").set_author(name="a")
        view = discord.ui.View()
        view.add_item(discord.ui.Button(label="Stop", custom_id="stop"))
        view.add_item(discord.ui.Select(custom_id="pick", options=[discord.SelectOption(label="a")]))
        await channel.send("card", embed=card, view=view)
        layout = discord.ui.LayoutView()
        box = discord.ui.Container(discord.ui.TextDisplay("hello"), discord.ui.Separator())
        box.add_item(discord.ui.Section("text", accessory=discord.ui.Thumbnail("https://example.com/a.png")))
        layout.add_item(box)
        layout.add_item(discord.ui.MediaGallery(discord.MediaGalleryItem("https://example.com/b.png")))
        await channel.send(view=layout)
        poll = (
            discord.Poll(question="tea?", duration=timedelta(hours=2))
            .add_answer(text="yes")
            .add_answer(text="no")
        )
        await channel.send(poll=poll)
        message = server.humans.say(server.general, server.ada, "nice")
        got = await channel.fetch_message(message.id)
        await got.add_reaction("👍")
        server.humans.react(message, server.grace, "👍")
        await server.until(lambda: "reaction_add" in client.events)
        fetched = await channel.fetch_message(message.id)
        assert [(one.emoji, one.count, one.me) for one in fetched.reactions] == [("👍", 2, True)]
        await got.remove_reaction("👍", client.guilds[0].me)
        assert len(message.reactions[0].users) == 1


async def test_pins(discord_server: FakeDiscord) -> None:
    server = discord_server
    message = server.humans.say(server.general, server.ada, "keep this")
    server.general.allow(server.bot, Permission.PIN_MESSAGES, Permission.MANAGE_MESSAGES)
    async with in_general(server) as (client, channel):
        server.humans.pin(message, server.ada)
        await server.until(lambda: "guild_channel_pins_update" in client.events)
        assert [one.id async for one in channel.pins()] == [message.id]
        await (await channel.fetch_message(message.id)).unpin()
        assert message.pinned is False


async def test_forwards_carry_a_snapshot(discord_server: FakeDiscord) -> None:
    server = discord_server
    original = server.humans.say(server.general, server.grace, "the original")
    other = server.world.add_channel(server.guild, "other")
    async with in_general(server) as (client, _channel):
        server.humans.say(other, server.ada, forward=original)
        await server.until(lambda: client.received)
        assert client.received[0].message_snapshots[0].content == "the original"
        target = client.get_channel(other.id)
        assert isinstance(target, discord.TextChannel)
        await client.received[0].forward(target)
