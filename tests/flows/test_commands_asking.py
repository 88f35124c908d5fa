"""`/ask`: a question as a command, answered in its channel (CMD-1, CMD-2)."""

from tests.fake_discord import Permission
from tests.fake_models import Answer
from tests.flows.slash_commands import registered, run, shown, told_alone
from tests.flows.text_room import TextRoom, messages_of, spoken


async def test_a_question_by_command_stands_in_the_channel_and_is_answered_there(room: TextRoom) -> None:
    """CMD-1, SCENE-2: attributed to the person, in the history of the scene, without pinging anybody."""
    async with room.bot() as core:
        room.models.script(Answer(text=("About forty.",)))
        question = await shown(run(room, "ask", question="how old is @everyone here?"))
        assert question.content == "**Ada** asks: how old is @everyone here?"
        assert question.pinged == set()
        assert not question.ephemeral
        answer = await room.answer("About forty.")
        await room.quiet(core)
        assert await spoken(core, room.general) == ["user: how old is @everyone here?", "bot: About forty."]
    assert answer.referenced is not None
    assert answer.referenced.id == question.id
    assert f"Ada ({room.ada.id}): how old is" in messages_of(room.models.requests[0].body)[-1][1]


async def test_the_question_is_shown_in_the_language_of_the_room(room: TextRoom) -> None:
    """CMD-1: others read it; a name makes no marks in it."""
    room.discord.guild.preferred_locale = "ja"
    room.ada.global_name = "*Ada*"
    async with room.bot() as core:
        room.models.script(Answer(text=("Yes.",)))
        question = await shown(run(room, "ask", question="really?"))
        assert question.content == "**\\*Ada\\*** さんの質問：really?"
        await room.answer("Yes.")
        await room.quiet(core)


async def test_in_threads_and_by_roles_that_are_allowed_a_command_asks_as_a_message_does(
    room: TextRoom,
) -> None:
    """CMD-1, TEXT-9: and the mode of a channel holds in its threads."""
    thread = room.discord.world.add_thread(room.general, "side talk", owner=room.ada)
    role = room.discord.world.add_role(room.discord.guild, "friends")
    room.discord.guild.members[room.ada.id].roles.append(role)
    lists = {"ALLOWED_CHANNELS": str(room.general.id), "ALLOWED_ROLES": str(role.id)}
    async with room.bot(lists) as core:
        room.models.script(Answer(text=("In here.",)))
        await shown(run(room, "ask", channel=thread, question="where are you?"))
        await room.answer("In here.", channel=thread)
        await room.quiet(core)
        refused = await told_alone(run(room, "ask", by=room.discord.grace, question="and I?"))
        assert "may not serve you" in refused
        off = run(room, "session mode", by=room.discord.world.owner, answer="off")
        assert "no message" in await told_alone(off)
        asked = await run(room, "ask", channel=thread, question="and now?")
        await room.discord.until(lambda: bool(asked.followups))
        assert "switched off" in asked.followups[0].content
    assert len(room.models.requests) == 1


async def test_where_the_bot_may_not_write_the_person_is_told(room: TextRoom) -> None:
    """CMD-1, TEXT-7: an interaction can be answered there, a question cannot."""
    room.general.deny(room.discord.bot, Permission.SEND_MESSAGES)
    async with room.bot():
        asked = await run(room, "ask", question="hello?")
        await room.discord.until(lambda: bool(asked.followups))
        assert asked.followups[0].ephemeral
        assert "may not write in this channel" in asked.followups[0].content
    assert room.models.requests == []


async def test_where_answers_are_switched_off_the_person_is_told_why(room: TextRoom) -> None:
    """CMD-3."""
    async with room.bot(TRIGGER_MODE="off"):
        await registered(room)
        asked = await run(room, "ask", question="hello?")
        await asked.shown()
        await room.discord.until(lambda: bool(asked.followups))
    assert asked.followups[0].ephemeral
    assert "switched off" in asked.followups[0].content
    assert room.models.requests == []
