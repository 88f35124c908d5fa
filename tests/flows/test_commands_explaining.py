"""`/why`, `/help`, `/about`: what the bot does and why (CMD-1, CMD-3); missing permissions (TEXT-7)."""

import asyncio
from datetime import UTC, datetime

import pytest

from bot.discord_chat.decisions import Decisions
from bot.discord_chat.incoming_message import Author, IncomingMessage
from bot.discord_chat.trigger_rules import HOW_TO_CHANGE, Decision, Reason, Verdict
from tests.fake_discord import Permission
from tests.fake_models import Answer
from tests.flows.slash_commands import registered, run, told_alone
from tests.flows.text_room import TextRoom

ANSWERED = Decision(verdict=Verdict.ANSWER, reason=Reason.MENTION)


def message(number: int, *, channel_id: int = 1, author_id: int = 7) -> IncomingMessage:
    return IncomingMessage(
        id=number,
        channel_id=channel_id,
        guild_id=3,
        author=Author(id=author_id, name="Ada"),
        at=datetime(2026, 11, 30, tzinfo=UTC),
        text="secret words",
    )


def test_every_reason_says_how_to_change_it() -> None:
    """CMD-3: the rule that decided, the setting behind it, and how to change it."""
    assert set(HOW_TO_CHANGE) == set(Reason)


def test_decisions_are_bounded_and_hold_no_words() -> None:
    """CMD-3, SCENE-6: per channel and in the number of channels."""
    decisions = Decisions(per_channel=2, channels=2)
    for number in range(5):
        decisions.record(message(number), ANSWERED)
    assert [decisions.of(1, number) is not None for number in range(5)] == [False, False, False, True, True]
    for channel_id in (2, 3):
        decisions.record(message(9, channel_id=channel_id), ANSWERED)
    assert decisions.of(1, 4) is None
    assert "secret" not in repr(decisions.of(3, 9))
    decisions.forget(3)
    assert decisions.latest(3, author_id=7) is None


def test_a_person_asks_about_their_own_message_first() -> None:
    """CMD-3."""
    decisions = Decisions()
    decisions.record(message(1, author_id=7), ANSWERED)
    decisions.record(message(2, author_id=8), ANSWERED)
    own, others = decisions.latest(1, author_id=7), decisions.latest(1, author_id=9)
    assert own is not None
    assert own.message_id == 1
    assert others is not None
    assert others.message_id == 2


async def test_why_tells_the_rule_and_how_to_change_it(room: TextRoom) -> None:
    """CMD-3: of the asker's last message, and of any message through its menu."""
    humans = room.discord.humans
    async with room.bot():
        said = humans.say(room.general, room.ada, "lovely weather")
        humans.say(room.general, room.discord.grace, "\u200b")
        room.models.script(Answer(text=("Hello.",)))
        asked = room.says("hi", by=room.discord.world.owner)
        await room.answer("Hello.")
        told = await told_alone(run(room, "why"))
        assert "I did not answer" in told
        assert str(said.id) in told
        assert Reason.NOT_ADDRESSED.value in told
        assert "TRIGGER_MODE" in told
        assert Reason.NOTHING_TO_READ.value in await told_alone(run(room, "why", by=room.discord.grace))
        menu = humans.run_context_menu(room.general, room.ada, "Why?", asked)
        assert f"I answered https://discord.com/channels/{room.discord.guild.id}/" in await told_alone(menu)
    async with room.bot():
        await registered(room)
        menu = humans.run_context_menu(room.general, room.ada, "Why?", said)
        judged = await told_alone(menu)
        assert "I do not remember" in judged
        assert f"By the settings of now I would not answer it: {Reason.NOT_ADDRESSED.value}" in judged
        latest = await told_alone(run(room, "why", by=room.discord.world.owner))
        assert str(asked.id) in latest
        assert f"I would answer it: {Reason.MENTION.value}" in latest
        answer = room.general.messages.by(room.discord.bot)[-1]
        menu = humans.run_context_menu(room.general, room.ada, "Why?", answer)
        assert (await told_alone(menu)).startswith("I know nothing of that message")


async def test_help_is_built_from_the_commands(room: TextRoom) -> None:
    """CMD-1: each command and group that Discord was given, in one message to the person alone."""
    async with room.bot():
        await registered(room)
        told = await told_alone(run(room, "help"))
        given = [command.name for command in room.discord.commands.listed() if command.kind == 1]
        assert {"help", "why", "about", "ping", "session"} <= set(given)
        for name in given:
            assert f"`/{name}`" in told
        assert "`/session` " in told
        assert "Why?" in told
        assert len(told) <= 2_000
        assert "MIT" in await told_alone(run(room, "about"))


async def why_says(room: TextRoom, reason: Reason) -> None:
    """A command may come before the message that went out before it was heard."""
    async with asyncio.timeout(5):
        while reason.value not in await told_alone(run(room, "why")):
            await asyncio.sleep(0.02)


async def test_what_may_not_be_answered_costs_no_request_and_the_owner_is_told_once(room: TextRoom) -> None:
    """TEXT-7, CMD-3: found before use, told once over restarts, and again when lost again."""
    room.general.deny(room.discord.bot, Permission.SEND_MESSAGES)
    direct = room.discord.world.dm(room.discord.world.owner)
    async with room.bot() as core:
        room.says("hello")
        notice = await room.answer("Send Messages", channel=direct)
        assert "#general" in notice.content
        room.says("hello?")
        await why_says(room, Reason.MAY_NOT_SEND)
        await room.quiet(core)
    async with room.bot(ANSWER_MISSED_WITHIN_S="0") as core:
        room.says("hello??")
        await why_says(room, Reason.MAY_NOT_SEND)
        room.discord.humans.set_overwrite(room.general, room.discord.bot)
        room.models.script(Answer(text=("Now I can.",)))
        room.says("and now?")
        await room.answer("Now I can.")
        await room.quiet(core)
        assert len(room.answers(direct)) == 1
        room.discord.humans.set_overwrite(room.general, room.discord.bot, deny=Permission.SEND_MESSAGES)
        room.says("lost again")
        await room.discord.until(lambda: len(room.answers(direct)) == 2)
    assert len(room.models.requests) == 1


async def test_a_notice_about_permissions_that_fails_hinders_nothing(room: TextRoom) -> None:
    """TEXT-7: the owner takes no direct messages; no loop, no crash."""
    room.general.deny(room.discord.bot, Permission.SEND_MESSAGES)
    room.discord.world.owner.dms_open = False
    other = room.discord.world.add_channel(room.discord.guild, "other")
    room.models.script(Answer(text=("Here I can.",)))
    async with room.bot() as core:
        room.says("hello")
        room.says("hello")
        room.says("hello", channel=other)
        await room.answer("Here I can.", channel=other)
        await room.quiet(core)
    assert len(room.posts()) == 2


@pytest.mark.parametrize(
    ("permission", "words"),
    [
        (Permission.READ_MESSAGE_HISTORY, "Read Message History"),
        (Permission.ATTACH_FILES, "Attach Files"),
        (Permission.EMBED_LINKS, "Embed Links"),
    ],
)
async def test_what_only_hinders_is_told_in_the_channel_once(
    room: TextRoom, permission: Permission, words: str
) -> None:
    """TEXT-7: and the answers come all the same."""
    room.general.deny(room.discord.bot, permission)
    room.models.script(Answer(text=("One.",)), Answer(text=("Two.",)))
    async with room.bot() as core:
        room.says("hi")
        await room.answer("One.")
        room.says("hi")
        await room.answer("Two.")
        await room.quiet(core)
    assert sorted(room.answers())[-2:] == ["One.", "Two."]
    told = (
        f"-# Somebody talks to me in this channel, and I lack the permission {words} there."
        " Who manages the channel can give it to me: Edit Channel, Permissions."
    )
    assert [text for text in room.answers() if words in text] == [told]
