"""A person talks with the bot in a voice channel: the whole road over sockets, with scripted services."""

import asyncio
from collections.abc import Callable

from bot.wiring.core import Core
from core.conversation.content import Text
from core.conversation.turns import AssistantTurn, Speaker, Turn, UserTurn
from tests.fake_discord import ChannelKind
from tests.fake_discord.voice import Human
from tests.fake_models.scripts import Answer
from tests.flows.scripted_services import Talking, heard_s
from tests.flows.slash_commands import run, told_alone
from tests.flows.text_room import TextRoom
from tests.flows.voice_room import VoiceRoom, voice_room
from tests.flows.voice_scene import speech
from voice.input.speech_to_text import SpeechFailed


async def until(look: Callable[[], object], within_s: float = 10.0) -> None:
    """Looks each 10 ms: sound comes without an event of Discord."""
    async with asyncio.timeout(within_s):
        while not look():
            await asyncio.sleep(0.01)


async def turns_of(core: Core, place: VoiceRoom, count: int, *, within_s: float = 10.0) -> list[Turn]:
    """The turns of the lounge's scene, once there are so many: a reply stands there when it was heard."""
    async with asyncio.timeout(within_s):
        while True:
            window = await core.stores.history.window(f"discord:channel:{place.lounge.id}", 500)
            if len(window.turns) >= count:
                return [stored.turn for stored in window.turns]
            await asyncio.sleep(0.01)


async def says(place: VoiceRoom, human: Human, seconds: float = 0.8) -> None:
    """Speaks once the bot can hear, and stops to send."""
    await place.reports("Connected")
    await place.until(lambda: human.ready)
    await human.speak(speech(seconds))


async def test_what_is_said_is_answered_aloud_and_in_the_chat(room: TextRoom) -> None:
    """VOX-10, VOX-22, VOX-26, VOX-37: one stream, heard and shown; the turn stands in the channel's scene."""
    talking = Talking()
    talking.hearing.texts = ["What is the capital of France?"]
    room.models.script(Answer(text=("Paris is ", "the capital of France.")))
    async with voice_room(room) as place, room.bot(speech=talking.services) as core:
        ada = place.enter(room.ada)
        await place.summoned()
        await says(place, ada)
        await place.until(lambda: "Paris is the capital of France." in place.said_in(place.lounge))
        await until(lambda: heard_s(ada) > 1.0)
        assert talking.speaking.asked == ["Paris is the capital of France."]
        said, answered = await turns_of(core, place, 2)
        assert isinstance(said, UserTurn)
        assert said.speaker == Speaker(id=str(room.ada.id), name="Ada")
        assert said.content == (Text(text="What is the capital of France?"),)
        assert isinstance(answered, AssistantTurn)
        assert answered.text == "Paris is the capital of France."
        assert "This reply is spoken" in str(room.models.requests[-1].body)


async def test_a_reply_is_begun_at_the_pause_and_adopted(room: TextRoom) -> None:
    """VOX-16: one request to the model for one question, begun before the turn was over."""
    talking = Talking()
    talking.hearing.texts = ["What is the capital of France?"]
    room.models.script(Answer(text=("Paris.",)))
    async with voice_room(room) as place, room.bot(speech=talking.services):
        ada = place.enter(room.ada)
        await place.summoned()
        await says(place, ada)
        await place.until(lambda: "Paris." in place.said_in(place.lounge))
    assert len(room.models.requests) == 1


async def test_talking_over_the_bot_stops_it_and_history_keeps_what_was_heard(room: TextRoom) -> None:
    """VOX-17, VOX-32: sound stops; the chat keeps what it shows; the scene remembers what was heard."""
    talking = Talking()
    story = (
        "One two three four five six seven eight nine ten. Eleven twelve thirteen fourteen fifteen sixteen."
    )
    talking.hearing.texts = ["Tell me a story.", "No, stop, another one please."]
    room.models.script(Answer(text=(story,)), Answer(text=("Fine.",)))
    async with voice_room(room) as place, room.bot(speech=talking.services) as core:
        ada = place.enter(room.ada)
        await place.summoned()
        await says(place, ada)
        await until(lambda: heard_s(ada) > 0.6)
        await says(place, ada, 1.2)
        await until(lambda: "Fine." in talking.speaking.asked)
        turns = await turns_of(core, place, 4)
    cut = turns[1]
    assert isinstance(cut, AssistantTurn)
    assert cut.interrupted
    assert story.startswith(cut.text)
    assert 0 < len(cut.text) < len(story)


async def test_with_several_people_the_bot_answers_who_names_it_and_overhears_the_others(
    room: TextRoom,
) -> None:
    """VOX-14, VOX-18: what people say to each other is attributed context; who names it is answered."""
    talking = Talking()
    talking.hearing.texts = ["Shall we order pizza tonight?", "Parley, which one should we take?"]
    room.models.script(Answer(text=("Margherita.",)))
    async with voice_room(room) as place, room.bot(speech=talking.services):
        ada, grace = place.enter(room.ada), place.enter(room.discord.grace)
        await place.summoned()
        await says(place, ada)
        await until(lambda: len(talking.hearing.begun) == 1)
        await asyncio.sleep(0.6)
        await says(place, grace)
        await place.until(lambda: "Margherita." in place.said_in(place.lounge))
        await until(lambda: heard_s(grace) > 0.1)
    (request,) = room.models.requests
    said = str(request.body)
    assert said.index("Shall we order pizza tonight?") < said.index("which one should we take?")
    assert f"Ada ({room.ada.id})" in said or str(room.ada.id) in said


async def test_a_voice_that_fails_leaves_the_answer_in_the_chat(room: TextRoom) -> None:
    """VOX-25: one sentence for the room, the answer as text, and the call goes on."""
    talking = Talking()
    talking.hearing.texts = ["Say something."]
    talking.speaking.failing = ["Something."]
    room.models.script(Answer(text=("Something.",)))
    async with voice_room(room) as place, room.bot(speech=talking.services) as core:
        ada = place.enter(room.ada)
        await place.summoned()
        await says(place, ada)
        await place.until(lambda: "Something." in place.said_in(place.lounge))
        turns = await turns_of(core, place, 2)
        assert place.bot_is_in(place.lounge)
    assert isinstance(turns[1], AssistantTurn)
    assert turns[1].text == "Something."
    assert heard_s(ada) == 0


async def test_hearing_that_fails_is_told_once_and_the_call_goes_on(room: TextRoom) -> None:
    """VOX-25: the sentence says what to do; the next utterance is understood."""
    talking = Talking()
    advice = "I did not understand that. Please say it again."
    talking.hearing.texts = [SpeechFailed(advice, reason="scripted"), "Hello?"]
    room.models.script(Answer(text=("Hello.",)))
    async with voice_room(room) as place, room.bot(speech=talking.services):
        ada = place.enter(room.ada)
        await place.summoned()
        await says(place, ada)
        await place.until(lambda: advice in place.said_in(place.lounge))
        await until(lambda: talking.hearing.begun[0].closed)
        await says(place, ada)
        await place.until(lambda: "Hello." in place.said_in(place.lounge))


async def test_typed_and_spoken_messages_share_one_history(room: TextRoom) -> None:
    """VOX-26, SCENE-1, REC-9: what was typed is known to the voice; a typed reply is not spoken."""
    talking = Talking()
    talking.hearing.texts = ["What did I write?"]
    room.models.script(Answer(text=("Noted.",)), Answer(text=("Blue.",)))
    async with voice_room(room) as place, room.bot(speech=talking.services, TRIGGER_MODE="all"):
        ada = place.enter(room.ada)
        await place.summoned()
        room.says("My colour is blue.", channel=place.lounge)
        await place.until(lambda: "Noted." in place.said_in(place.lounge))
        await says(place, ada)
        await place.until(lambda: "Blue." in place.said_in(place.lounge))
    assert "My colour is blue." in str(room.models.requests[-1].body)
    assert talking.speaking.asked == ["Blue."]


async def test_moved_to_another_channel_it_talks_there_in_that_scene(room: TextRoom) -> None:
    """VOX-7, SCENE-2: the call goes on; what is said belongs to the channel where it was said."""
    talking = Talking()
    talking.hearing.texts = ["Where are we?", "And now?"]
    room.models.script(Answer(text=("In the lounge.",)), Answer(text=("In the attic.",)))
    async with voice_room(room) as place, room.bot(speech=talking.services):
        ada = place.enter(room.ada)
        await place.summoned()
        await says(place, ada)
        await place.until(lambda: "In the lounge." in place.said_in(place.lounge))
        above = place.enter(room.discord.grace, place.attic)
        place.voice.move_bot(place.guild, place.attic)
        await place.until(lambda: place.bot_is_in(place.attic))
        await says(place, above)
        await place.until(lambda: "In the attic." in place.said_in(place.attic))
    assert "In the attic." not in place.said_in(place.lounge)
    assert "Where are we?" not in str(room.models.requests[-1].body)


async def test_talks_in_two_servers_at_once_do_not_meet(room: TextRoom) -> None:
    """VOX-7, VOX-14: answered while the other reply sounds; each in its own chat, scene and sound."""
    world, grace = room.discord.world, room.discord.grace
    talking = Talking()
    talking.hearing.texts = ["Where is the mill?", "Where is the well?"]
    mill = "Down there at the river, behind the old stone bridge. " * 4  # eight seconds
    well = "Ask the miller for the well."
    room.models.script(Answer(text=(mill,)), Answer(text=(well,)))
    async with voice_room(room) as place:
        second = world.add_guild("Field", members=(grace,))
        hall = world.add_channel(second, "hall", kind=ChannelKind.VOICE)
        room.discord.humans.add_bot_to(second)
        async with room.bot(speech=talking.services):
            ada, other = place.enter(room.ada), place.enter(grace, hall)
            await place.summoned()
            await told_alone(run(room, "summon", by=grace, channel=hall))
            await place.until(lambda: other.ready)
            await says(place, ada)
            await until(lambda: heard_s(ada) > 0)
            await other.speak(speech(0.8, seed=2))
            await until(lambda: heard_s(other) > 0)
            assert heard_s(ada) < 7.0
            await told_alone(run(room, "voice leave"))
            await until(lambda: heard_s(other) > 1.1)
            assert place.bot_is_in(hall)
            assert heard_s(ada) < 7.0
            await place.until(lambda: well in place.said_in(hall))
            assert not any("well" in said for said in place.said_in(place.lounge))
            assert not any("mill " in said or "river" in said for said in place.said_in(hall))
    assert "mill?" not in str(room.models.requests[-1].body)


async def test_transcripts_are_shown_where_the_setting_says_so(room: TextRoom) -> None:
    """VOX-26: with VOICE_CHAT=all the chat has both sides, with the speaker's name."""
    talking = Talking()
    talking.hearing.texts = ["Good *morning*!"]
    room.models.script(Answer(text=("Morning.",)))
    async with voice_room(room) as place, room.bot(speech=talking.services, VOICE_CHAT="all"):
        ada = place.enter(room.ada)
        await place.summoned()
        await says(place, ada)
        await place.until(lambda: "Morning." in place.said_in(place.lounge))
    notice, transcript, answer = place.said_in(place.lounge)
    assert transcript == "**Ada:** Good \\*morning\\*!"
    assert answer == "Morning."
    assert "listening" in notice
