"""How a reply appears: by edits, split, as a file, without pings, within the limits (TEXT-1 to TEXT-3)."""

import pytest

from bot.discord_chat import reply_stream
from tests.fake_discord import Permission
from tests.fake_models import Answer
from tests.flows.text_room import POST, TYPING, TextRoom, spoken

WORDS = tuple(f"word{number} " for number in range(120))


async def test_text_appears_while_it_is_written_and_ends_complete(limited_room: TextRoom) -> None:
    """TEXT-1: the first text within one request, edits paced under the real limits, the last one complete."""
    room = limited_room
    room.models.script(Answer(text=WORDS, delay_between_s=0.04))
    async with room.bot() as core:
        room.says("tell me a long story")
        first = await room.discord.recorder.request(*POST)
        assert len(first.json["content"]) < 100
        answer = await room.answer(WORDS[-1].strip(), within_s=15)
        await room.quiet(core)
    assert answer.content == "".join(WORDS).strip()
    assert len(answer.contents) >= 4
    for earlier, later in zip(answer.contents, answer.contents[1:], strict=False):
        assert later.startswith(earlier)
    times = [exchange.received_at for exchange in (*room.posts(), *room.edits())]
    for start in times:
        assert len([at for at in times if start <= at < start + 5.0]) <= 5
    assert room.refusals() == []


async def test_finished_messages_only_where_that_is_set(room: TextRoom) -> None:
    """TEXT-1: a setting sends only the finished text."""
    room.models.script(Answer(text=WORDS[:20], delay_between_s=0.02))
    async with room.bot(STREAM_EDITS="off") as core:
        room.says("hi")
        answer = await room.answer("word19")
        await room.quiet(core)
    assert answer.contents == ["".join(WORDS[:20]).strip()]


async def test_many_rooms_at_once_cause_no_rate_limit_refusal(limited_room: TextRoom) -> None:
    """TEXT-1, TEXT-8: ten channels and bursts in each; nothing is refused, nothing is lost."""
    room = limited_room
    guild = room.discord.guild
    channels = [room.discord.world.add_channel(guild, f"room-{number}") for number in range(10)]
    async with room.bot() as core:
        for number, channel in enumerate(channels):
            room.says(f"question {number}", channel=channel)
        for number, channel in enumerate(channels):
            await room.answer(f"question {number}", channel=channel, within_s=20)
        await room.quiet(core)
    assert room.refusals() == []
    assert len(room.posts()) == 10


async def test_an_answer_of_5000_characters_is_split_with_its_code(room: TextRoom) -> None:
    """TEXT-2: every message fits, and the code block is closed and opened again with its language."""
    lines = "\n".join(f"value_{number} = compute({number})  # step {number}" for number in range(145))
    text = f"Here it is:\n\n```python\n{lines}\n```\nDone."
    assert 4_500 < len(text) < 6_000
    room.models.script(Answer(text=tuple(text[at : at + 40] for at in range(0, len(text), 40))))
    async with room.bot() as core:
        room.says("write code")
        await room.answer("Done.", within_s=10)
        await room.quiet(core)
        assert (await spoken(core, room.general))[-1] == f"bot: {text}"
    answers = room.answers()
    assert len(answers) == 3
    assert all(len(answer) <= 2_000 and answer.count("```") % 2 == 0 for answer in answers)
    assert all(answer.startswith("```python\n") for answer in answers[1:])
    shown = [line for answer in answers for line in answer.splitlines() if line.startswith("value_")]
    assert "\n".join(shown) == lines
    messages = list(room.general.messages.by(room.discord.bot))
    assert [message.referenced is not None for message in messages] == [True, False, False]
    nonces = [message.nonce for message in messages]
    assert len(set(nonces)) == 3
    assert all(exchange.json["enforce_nonce"] for exchange in room.posts())


async def test_an_answer_of_60000_characters_becomes_a_file(room: TextRoom) -> None:
    """TEXT-2: a short text and the whole answer attached."""
    text = "".join(f"Sentence number {number} of a very long answer. " for number in range(1_400))
    assert len(text) > 60_000
    room.models.script(Answer(text=tuple(text[at : at + 3_000] for at in range(0, len(text), 3_000))))
    async with room.bot() as core:
        room.says("everything you know")
        await room.answer("attached file", within_s=15)
        await room.quiet(core)
        assert (await spoken(core, room.general))[-1] == f"bot: {text}"
    messages = list(room.general.messages.by(room.discord.bot))
    assert 1 <= len(messages) <= 6
    assert messages[-1].attachments[0].content.decode() == text
    assert all(len(message.content) <= 2_000 for message in messages)


async def test_nothing_that_the_model_writes_pings(room: TextRoom) -> None:
    """TEXT-3: everyone, members, roles, in the first text, in an edit, in a later message; only the asker."""
    guild = room.discord.guild
    role = room.discord.world.add_role(guild, "gardeners")
    guild.members[room.discord.grace.id].roles.append(role)
    guild.members[room.discord.bot.id].roles[0].permissions |= Permission.MENTION_EVERYONE
    calls = f"@everyone @here <@{room.discord.grace.id}> <@&{role.id}> <@{room.ada.id}> "
    room.models.script(Answer(text=(calls, *WORDS[:10], calls, "x " * 1_000, calls), delay_between_s=0.01))
    async with room.bot() as core:
        room.says("ping them all")
        await room.answer("x x", within_s=10)
        await room.quiet(core)
    messages = list(room.general.messages.by(room.discord.bot))
    assert len(messages) == 2
    assert set(messages[0].pinged) == {room.ada.id}
    assert set(messages[1].pinged) == set()
    assert not any(message.mention_everyone for message in messages)


async def test_nobody_at_all_is_pinged_where_that_is_set(room: TextRoom) -> None:
    """TEXT-3: the replied user by setting."""
    async with room.bot(PING_REPLIED_USER="off"):
        room.says("quietly, please")
        answer = await room.answer("quietly")
    assert set(answer.pinged) == set()
    assert answer.referenced is not None


async def test_typing_is_shown_until_the_first_text(room: TextRoom) -> None:
    """TEXT-1: at once, and not after the reply is out."""
    room.models.script(Answer(text=("Ready.",), delay_s=0.3))
    async with room.bot() as core:
        room.says("take your time")
        typing = await room.discord.recorder.request(*TYPING, within_s=1)
        await room.answer("Ready.")
        await room.quiet(core)
    assert len(room.discord.recorder.requests(*TYPING)) == 1
    assert typing.received_at < room.posts()[0].received_at - 0.2


async def test_links_follow_the_settings(room: TextRoom) -> None:
    """TEXT-3: invites go, masked links stay; and the other way round."""
    text = "[docs](https://e.org/a) or discord.gg/abc"
    room.models.script(Answer(text=(text,)), Answer(text=(text,)))
    async with room.bot():
        room.says("where?")
        await room.answer("[docs](https://e.org/a) or (invite link removed)")
    async with room.bot(MASKED_LINKS="show_address", INVITE_LINKS="keep"):
        room.says("and now?")
        await room.answer("docs (<https://e.org/a>) or discord.gg/abc")


async def test_every_post_carries_a_nonce_of_its_own(room: TextRoom) -> None:
    """TEXT-11: made of the question and the number of the message, as the outbox has it."""
    room.models.script(Answer(text=("x " * 1_500,)))
    async with room.bot() as core:
        question = room.says("tell me")
        await room.discord.until(lambda: len(room.answers()) == 2)
        planned = [piece.nonce for piece in await core.stores.outbox.pieces(f"reply:{question.id}")]
        await room.quiet(core)
    sent = [post.json for post in room.posts()]
    assert [one["nonce"] for one in sent] == planned == [f"{question.id}-0", f"{question.id}-1"]
    assert all(one["enforce_nonce"] for one in sent)


async def test_the_typing_sign_lasts_until_the_first_text_and_no_longer(
    room: TextRoom, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TEXT-1: it is shown again while nothing is to be read, and never beside the text."""
    monkeypatch.setattr(reply_stream, "_TYPING_LASTS_S", 0.1)
    room.models.script(Answer(text=WORDS[:20], delay_s=0.5, delay_between_s=0.04))
    async with room.bot() as core:
        room.says("tell me")
        await room.answer("word19")
        await room.quiet(core)
    (posted,) = room.posts()
    typed = [sign.received_at for sign in room.discord.recorder.requests(*TYPING)]
    assert len(typed) >= 3
    assert posted.answered_at is not None
    assert max(typed) <= posted.answered_at
