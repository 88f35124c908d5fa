"""`/session` over the wire: what is remembered, shown, given out and forgotten (CORE-8, CORE-39, CMD-1)."""

import json

from core.conversation.continuation import ProjectionIssue
from core.conversation.turns import AssistantTurn, ReplyText, Round, UserTurn
from sessions.summaries import StoredSummary
from tests.fake_discord.world import Message
from tests.fake_models import Answer, Ending
from tests.flows.slash_commands import run, shown, told, told_alone
from tests.flows.text_room import TextRoom, spoken
from tests.scene_values import NOON

ISSUE = ProjectionIssue(item_type="reasoning", reason="another protocol")


async def test_an_empty_session_says_so(room: TextRoom) -> None:
    """CMD-1: a room in which nobody has said anything."""
    async with room.bot():
        said = await told_alone(run(room, "session show"))
        assert said.splitlines()[:2] == ["Turns: 0", "Model: fake-model (the default)"]
        assert "Nothing is remembered" in await told_alone(
            run(room, "session export", by=room.discord.world.owner)
        )


async def test_show_tells_turns_persona_summary_and_tokens(room: TextRoom) -> None:
    """CMD-1, CORE-44."""
    room.models.script(Answer(text=("Hello.",), usage=(1234, 56)))
    async with room.bot() as core:
        room.says("hi")
        await room.answer("Hello.")
        await room.quiet(core)
        said = await told_alone(run(room, "session show", by=room.discord.grace))
        window = await core.stores.history.window(f"discord:channel:{room.general.id}", 2)
        first = window.turns[0].turn
        assert isinstance(first, UserTurn)
        assert said.startswith(f"Turns: 2, since <t:{int(first.at.timestamp())}:f>")
        assert "Persona: Parley (`default`, the default)" in said
        assert "Summary of older turns: none yet" in said
        assert "Last reply: 1,234 tokens read, 56 written" in said
        assert "could not be told" not in said
        summary = StoredSummary(position=window.turns[-1].position, text="They met.")
        await core.stores.summaries.keep(f"discord:channel:{room.general.id}", 0, summary)
        assert "Summary of older turns: yes" in await told_alone(run(room, "session show"))


async def test_show_names_what_another_model_could_not_be_told(room: TextRoom) -> None:
    """CORE-8, CORE-34: the last reply's projection issues are readable in the room."""
    async with room.bot() as core:
        room.says("hi")
        await room.answer("hi")
        await room.quiet(core)
        turn = AssistantTurn(
            id="turn",
            run_id=None,
            created_at=NOON,
            completed_at=NOON,
            rounds=(Round(content=(ReplyText(text="Well."),)),),
            issues=(ISSUE,),
        )
        await core.stores.history.append(f"discord:channel:{room.general.id}", 0, turn)
        said = await told_alone(run(room, "session show"))
    assert "- `reasoning`: another protocol" in said
    assert "tokens unknown" in said


async def exported(room: TextRoom, form: str = "markdown") -> Message:
    message = await shown(run(room, "session export", by=room.discord.world.owner, form=form))
    assert message.ephemeral
    return message


async def test_export_gives_the_channel_s_own_whole_replies(room: TextRoom) -> None:
    """CORE-39, SCENE-6: interrupted replies stay here, other channels stay out."""
    other = room.discord.world.add_channel(room.discord.guild, "roses")
    cut = Answer(text=("Half an ", "answer"), ending=Ending.CLOSE)
    room.models.script(Answer(text=("Hello.",)), cut, Answer(text=("Elsewhere.",)))
    async with room.bot() as core:
        for text, answer, channel in (
            ("hi", "Hello.", room.general),
            ("more", "Half", room.general),
            ("there", "Elsewhere.", other),
        ):
            room.says(text, channel=channel)
            await room.answer(answer, channel=channel)
            await room.quiet(core)
        file = (await exported(room, form="json")).attachments[0]
        assert file.filename == f"discord-channel-{room.general.id}.json"
        told_turns = [(turn["author"], turn["text"]) for turn in json.loads(file.content)]
        assert told_turns == [("Ada", "@Parley hi"), (None, "Hello."), ("Ada", "@Parley more")]
        message = await exported(room)
        assert message.content.startswith("3 turns")
        assert message.attachments[0].filename.endswith(".md")
        assert b"> Hello." in message.attachments[0].content
        assert b"Half" not in message.attachments[0].content


async def test_only_managers_export_in_a_server_and_everybody_alone_with_the_bot(room: TextRoom) -> None:
    """CMD-2."""
    direct = room.discord.world.dm(room.ada)
    async with room.bot() as core:
        room.says("hi")
        room.discord.humans.say(direct, room.ada, "psst")
        await room.answer("psst", channel=direct)
        await room.quiet(core)
        assert "Manage Server" in await told_alone(run(room, "session export"))
        file = (await shown(run(room, "session export", channel=direct))).attachments[0]
    assert b"> psst" in file.content
    assert b"hi" not in file.content


async def test_a_manager_lets_the_room_begin_anew(room: TextRoom) -> None:
    """CORE-18, CMD-2."""
    async with room.bot() as core:
        room.says("hi")
        await room.answer("hi")
        await room.quiet(core)
        assert "Manage Server" in await told_alone(run(room, "session reset"))
        assert len(await spoken(core, room.general)) == 2
        assert (await told(run(room, "session reset", by=room.discord.world.owner))).startswith("Done.")
        assert await spoken(core, room.general) == []
        assert (await told_alone(run(room, "session show"))).startswith("Turns: 0")
