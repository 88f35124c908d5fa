"""What can be asked of a message, under Apps (CMD-1), and what a reply does beside words (TEXT-5)."""

import json
from base64 import b64decode

import pytest

from tests.fake_discord import MessageFlag, Permission
from tests.fake_discord.interactions import CallbackKind, Interaction
from tests.fake_models import Answer, Call
from tests.flows.scripted_services import Talking
from tests.flows.slash_commands import registered, told_alone
from tests.flows.text_room import TextRoom


async def form(asked: Interaction) -> Interaction:
    """The form with which the bot answered."""
    await asked.responded()
    assert asked.callback is CallbackKind.MODAL
    return asked


async def test_a_question_about_a_message_carries_it_along(room: TextRoom) -> None:
    """CMD-1, SCENE-2: question and answer stand in the channel; nobody is pinged by what is quoted."""
    humans = room.discord.humans
    plan = humans.say(room.general, room.discord.grace, "we meet at the mill @everyone")
    room.models.script(Answer(text=("At eight.",)))
    async with room.bot() as core:
        await registered(room)
        asked = await form(humans.run_context_menu(room.general, room.ada, "Ask about this", plan))
        sent = humans.submit_modal(asked, {"question": "and when?"})
        question = await sent.shown()
        answer = await room.answer("At eight.")
        await room.quiet(core)
    assert question.content.startswith("**Ada** asks about https://discord.com/channels/")
    assert question.content.endswith(": and when?")
    assert answer.referenced is question
    read = str(room.models.requests[0].body["messages"])
    assert f"Grace ({room.discord.grace.id}): we meet at the mill" in read
    assert "and when?" in read
    assert not question.mention_everyone


async def test_a_summary_reads_from_the_message_on(room: TextRoom) -> None:
    """CMD-1: what stands before it is not asked about; each line says who wrote it."""
    humans = room.discord.humans
    humans.say(room.general, room.ada, "before all that")
    first = humans.say(room.general, room.discord.grace, "let us plant roses")
    humans.say(room.general, room.ada, "or tulips")
    room.models.script(Answer(text=("Roses or tulips.",)))
    async with room.bot(BACKFILL_MESSAGES="0") as core:
        await registered(room)
        menu = humans.run_context_menu(room.general, room.ada, "Summarise from here", first)
        assert "asks what was said from" in (await menu.shown()).content
        await room.answer("Roses or tulips.")
        await room.quiet(core)
    read = str(room.models.requests[0].body["messages"][1:])
    assert f"Grace ({room.discord.grace.id}): let us plant roses" in read
    assert f"Ada ({room.ada.id}): or tulips" in read
    assert "before all that" not in read
    assert "[forwarded message:]" in read


@pytest.mark.parametrize(("tokens", "least", "most"), [("64000", 14_000, 17_000), ("8000", 2_500, 4_500)])
async def test_a_summary_of_too_much_reads_the_latest_of_it(
    room: TextRoom, tokens: str, least: int, most: int
) -> None:
    """CMD-1: 16,000 characters or what the model takes, and none for who may not read the history."""
    humans = room.discord.humans
    first = humans.say(room.general, room.discord.grace, "the oldest")
    for number in range(40):
        humans.say(room.general, room.discord.grace, f"{number:02} {'word ' * 390}")
    room.models.script(Answer(text=("Words.",)))
    async with room.bot(BACKFILL_MESSAGES="0", MODEL_CONTEXT_TOKENS=tokens) as core:
        await registered(room)
        humans.set_overwrite(room.general, room.ada, deny=Permission.READ_MESSAGE_HISTORY)
        refused = humans.run_context_menu(room.general, room.ada, "Summarise from here", first)
        assert (await refused.shown()).content == "You may not read the history of this channel."
        humans.set_overwrite(room.general, room.ada)
        humans.run_context_menu(room.general, room.ada, "Summarise from here", first)
        await room.answer("Words.")
        await room.quiet(core)
    read = str(room.models.requests[0].body["messages"][-1])
    assert "39 word" in read
    assert "the oldest" not in read
    assert least < len(read) < most


async def test_a_message_without_words_is_neither_remembered_nor_read(room: TextRoom) -> None:
    """CMD-1, CMD-2."""
    humans = room.discord.humans
    said = humans.say(room.general, room.discord.grace, "\u200b")
    async with room.bot(speech=Talking().services):
        await registered(room)
        menu = humans.run_context_menu(room.general, room.ada, "Remember this", said)
        assert await told_alone(menu) == "There are no words in that message."
        menu = humans.run_context_menu(room.general, room.ada, "Read aloud", said)
        assert "nothing in this message that can be read aloud" in await told_alone(menu)


async def test_a_message_is_remembered_once_the_person_agrees(room: TextRoom) -> None:
    """CMD-1, MEM-6: its words stand in the form; the entry knows where it came from."""
    humans = room.discord.humans
    said = humans.say(room.general, room.discord.grace, "The mill opens at eight.")
    async with room.bot():
        await registered(room)
        asked = await form(humans.run_context_menu(room.general, room.ada, "Remember this", said))
        assert "The mill opens at eight." in str(asked.callback_data["components"])
        values: dict[str, str | list[str]] = {
            "title": "Mill",
            "summary": "When it opens",
            "text": "The mill opens at eight.",
        }
        assert "Remembered as `m" in await told_alone(humans.submit_modal(asked, values))
        shown = humans.run_command(room.general, room.ada, "memory show", options={"entry": "m1"})
        card = await shown.shown()
        assert str(said.id) in str(card.embeds)


async def test_a_reply_reacts_polls_and_hands_out_a_file(room: TextRoom) -> None:
    """TEXT-5: in the channel of the question alone; each once."""
    poll = {"question": "Soup?", "answers": ["Yes", "No"], "hours": 2, "several": False}
    file = {"name": "../plan.md", "content": "# Plan"}
    calls = (
        Call(name="discord_react", arguments=json.dumps({"emoji": "👍"})),
        Call(name="discord_poll", arguments=json.dumps(poll)),
        Call(name="discord_file", arguments=json.dumps(file)),
    )
    room.models.script(Answer(calls=calls), Answer(text=("There you are.",)))
    async with room.bot() as core:
        question = room.says("ask them, and write it down")
        await room.answer("There you are.")
        await room.quiet(core)
    posted = list(room.general.messages.by(room.discord.bot))
    assert [one.poll["question"]["text"] for one in posted if one.poll] == ["Soup?"]
    files = [(each.filename, each.content) for one in posted for each in one.attachments]
    assert files == [("plan.md", b"# Plan")]
    assert [one.name for one in question.reactions] == ["👍"]
    assert len({one.nonce for one in posted}) == 3


async def test_what_is_asked_for_as_speech_comes_as_a_voice_message(room: TextRoom) -> None:
    """TEXT-5: as Discord's clients show one, with its length and its picture; no words beside it."""
    call = Call(
        name="discord_voice", arguments=json.dumps({"text": "Good **night**.", "instead_of_words": True})
    )
    room.models.script(Answer(calls=(call,)))
    talking = Talking()
    async with room.bot(speech=talking.services) as core:
        room.says("say good night aloud, please")
        await room.discord.until(lambda: bool(room.answers()))
        await room.quiet(core)
    (posted,) = room.general.messages.by(room.discord.bot)
    (sound,) = posted.attachments
    assert posted.flags & MessageFlag.VOICE_MESSAGE
    assert (posted.content, sound.content_type) == ("", "audio/ogg")
    assert sound.duration_s is not None
    assert 0.4 < sound.duration_s < 5
    assert sound.waveform is not None
    assert max(b64decode(sound.waveform)) == 255
    assert talking.speaking.asked == ["Good night."]


async def test_a_sign_may_be_the_whole_answer(room: TextRoom) -> None:
    """TEXT-5: a quick acknowledgement without words."""
    sign = Call(name="discord_react", arguments=json.dumps({"emoji": "👍", "instead_of_words": True}))
    room.models.script(Answer(calls=(sign,)))
    async with room.bot() as core:
        question = room.says("thanks!")
        await room.discord.until(lambda: bool(question.reactions))
        await room.quiet(core)
    assert room.answers() == []
    assert len(room.models.requests) == 1


async def test_what_discord_refuses_is_told_to_the_model(room: TextRoom) -> None:
    """TEXT-5, TEXT-7: no permission for files; the answer comes all the same."""
    room.general.deny(room.discord.bot, Permission.ADD_REACTIONS)
    sign = Call(name="discord_react", arguments=json.dumps({"emoji": "👍"}))
    room.models.script(Answer(calls=(sign,)), Answer(text=("In words, then.",)))
    async with room.bot():
        room.says("thanks!")
        await room.answer("In words, then.")
    assert "did not take the reaction" in str(room.models.requests[1].body["messages"])
