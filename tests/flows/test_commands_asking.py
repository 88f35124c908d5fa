"""`/ask`: a question as a command, answered in its channel (CMD-1, CMD-2)."""

from tests.fake_models import Answer
from tests.flows.slash_commands import registered, run, shown
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
