"""What breaks into a talk: a stop, a reset, a refusal, a failing store, while the bot hears or speaks."""

import asyncio

from tests.fake_models.scripts import Answer
from tests.flows.scripted_services import Talking, ToneVoice, heard_s, speech_of
from tests.flows.slash_commands import run, told
from tests.flows.test_voice_talk import says, turns_of, until
from tests.flows.text_room import TextRoom
from tests.flows.voice_room import voice_room
from tests.flows.voice_scene import speech

STORY = " ".join(["One", *(["two", "three", "four", "five"] * 12)]) + "."


async def test_a_stop_silences_speech_whose_text_is_whole(room: TextRoom) -> None:
    """VOX-32, CMD-1: the model is done long before the voice; `/stop` ends the voice all the same."""
    talking = Talking()
    talking.hearing.texts = ["Tell me a story."]
    room.models.script(Answer(text=(STORY,)))
    async with voice_room(room) as place, room.bot(speech=talking.services) as core:
        ada = place.enter(room.ada)
        await place.summoned()
        await says(place, ada)
        await place.until(lambda: STORY in place.said_in(place.lounge))
        await until(lambda: heard_s(ada) > 1.0)
        assert await told(run(room, "stop", channel=place.lounge)) == "Stopped."
        cut = (await turns_of(core, place, 2, within_s=3.0))[1]
    assert STORY.startswith(getattr(cut, "text", "?"))
    assert heard_s(ada) < 6.0


async def test_a_reset_silences_speech_whose_text_is_whole(room: TextRoom) -> None:
    """VOX-37, SCENE-3: what was forgotten is not said on, and the call hears and answers anew."""
    talking = Talking()
    talking.hearing.texts = ["Tell me a story.", "Are you still here?"]
    room.models.script(Answer(text=(STORY,)), Answer(text=("Yes.",)))
    async with voice_room(room) as place, room.bot(speech=talking.services) as core:
        ada = place.enter(room.ada)
        await place.summoned()
        await says(place, ada)
        await place.until(lambda: STORY in place.said_in(place.lounge))
        await until(lambda: heard_s(ada) > 1.0)
        await told(run(room, "session reset", by=room.discord.world.owner, channel=place.lounge))
        await says(place, ada)
        await place.until(lambda: "Yes." in place.said_in(place.lounge))
        turns = await turns_of(core, place, 2)
    assert [getattr(turn, "text", "") for turn in turns] == ["", "Yes."]
    assert heard_s(ada) < 6.0


async def test_who_is_denied_is_neither_answered_nor_kept(room: TextRoom) -> None:
    """TEXT-9, VOX-26: of whom a list leaves out nothing is begun, shown or overheard."""
    talking = Talking()
    talking.hearing.texts = ["Parley, tell me about unicorns.", "Parley, what did Grace say?"]
    room.models.script(Answer(text=("Nothing.",)))
    grace = room.discord.grace
    settings = {"VOICE_CHAT": "all", "DENIED_USERS": str(grace.id)}
    async with voice_room(room) as place, room.bot(settings, speech=talking.services):
        ada, denied = place.enter(room.ada), place.enter(grace)
        await place.summoned()
        await says(place, denied)
        await until(lambda: talking.hearing.begun and talking.hearing.begun[0].closed)
        await asyncio.sleep(0.5)
        await says(place, ada)
        await place.until(lambda: "Nothing." in place.said_in(place.lounge))
        assert not any("unicorn" in text for text in place.said_in(place.lounge))
    (request,) = room.models.requests
    assert "unicorn" not in str(request.body)


async def test_speech_counts_for_the_limits_of_messages(room: TextRoom) -> None:
    """TEXT-9: the second request within a minute is not answered; whoever spoke is told once."""
    talking = Talking()
    talking.hearing.texts = ["First?", "Second?", "Third?"]
    room.models.script(Answer(text=("One.",)))
    settings = {"LIMIT_USER_MESSAGES_PER_MINUTE": "1"}
    async with voice_room(room) as place, room.bot(settings, speech=talking.services) as core:
        ada = place.enter(room.ada)
        await place.summoned()
        await says(place, ada)
        await turns_of(core, place, 2)
        await says(place, ada)
        await place.until(lambda: any("one message a minute" in said for said in place.said_in(place.lounge)))
        await says(place, ada)
        await until(lambda: len(talking.hearing.begun) == 3 and talking.hearing.begun[2].closed)
        await asyncio.sleep(0.5)
        told_of_it = [said for said in place.said_in(place.lounge) if "one message a minute" in said]
    assert len(told_of_it) == 1
    assert len(room.models.requests) == 1


async def test_a_new_name_calls_the_bot_at_once(room: TextRoom) -> None:
    """VOX-18: renamed in mid-call, it is called by the new name."""
    talking = Talking()
    talking.hearing.texts = ["Marvin, are you there?"]
    room.models.script(Answer(text=("Yes.",)))
    async with voice_room(room) as place, room.bot(speech=talking.services):
        ada = place.enter(room.ada)
        place.enter(room.discord.grace)
        await place.summoned()
        room.discord.humans.change_member(place.guild, room.discord.bot, nick="Marvin")
        await says(place, ada)
        await place.until(lambda: "Yes." in place.said_in(place.lounge))


async def test_what_is_read_on_request_is_talked_over_like_a_reply_and_stopped_by_who_asked(
    room: TextRoom,
) -> None:
    """VOX-17, CMD-1: who speaks into `/voice say` silences it; so does a `/stop` of the person who asked."""
    talking = Talking()
    talking.hearing.texts = ["Thank you, that is enough."]
    room.models.script(Answer(text=("Fine.",)))
    async with voice_room(room) as place, room.bot(speech=talking.services):
        ada = place.enter(room.ada)
        await place.summoned()
        await place.reports("Connected")
        assert await told(run(room, "voice say", text=STORY)) == "I say it."
        await until(lambda: heard_s(ada) > 0.5)
        await says(place, ada)
        await until(lambda: "Fine." in talking.speaking.asked)
        await until(lambda: heard_s(ada) > 0.5)
        assert heard_s(ada) < 6.0
        assert await told(run(room, "voice say", text=STORY)) == "I say it."
        before = heard_s(ada)
        await until(lambda: heard_s(ada) > before + 0.5)
        by_grace = run(room, "stop", by=room.discord.grace, channel=place.lounge)
        assert "asked" in await told(by_grace)
        assert await told(run(room, "stop", channel=place.lounge)) == "Stopped."
        silent_at = heard_s(ada)
        await asyncio.sleep(0.5)
        assert heard_s(ada) < silent_at + 0.2


async def test_what_is_said_in_one_channel_is_not_said_on_in_another(room: TextRoom) -> None:
    """SCENE-6, VOX-7, VOX-9: moved while it speaks, it falls silent before the people there hear any of it.

    Nor hears it any of them before they are told that it is there.
    """
    talking = Talking()
    talking.hearing.texts = ["Are you up here now?"]
    room.models.script(Answer(text=("Yes.",)))
    async with voice_room(room) as place, room.bot(speech=talking.services):
        ada = place.enter(room.ada)
        above = place.enter(room.discord.grace, place.attic)
        await place.summoned()
        await place.reports("Connected")
        assert await told(run(room, "voice say", text=STORY)) == "I say it."
        await until(lambda: heard_s(ada) > 0.5)
        untold = room.discord.failures.hold("POST", "/channels/{channel_id}/messages")
        place.voice.move_bot(place.guild, place.attic)
        await place.until(lambda: place.bot_is_in(place.attic))
        await place.reports("Connected")
        await place.until(lambda: above.ready)
        await above.speak(speech(0.8))
        await asyncio.sleep(0.8)
        assert heard_s(above) < 0.1
        assert talking.hearing.begun == []
        untold.release()
        room.discord.failures.clear()
        await place.until(lambda: any("listening" in said for said in place.said_in(place.attic)))
        await says(place, above)
        await place.until(lambda: "Yes." in place.said_in(place.attic))
        assert await told(run(room, "voice say", by=room.discord.grace, text="Hello up here.")) == "I say it."
        await until(lambda: heard_s(above) > 0.3)


async def test_without_hearing_it_speaks_what_it_is_asked_to(room: TextRoom) -> None:
    """VOX-30, CMD-1: output needs no input."""
    speaking = ToneVoice()
    async with voice_room(room) as place, room.bot(speech=speech_of(speaking=speaking)):
        ada = place.enter(room.ada)
        await place.summoned()
        await place.reports("Connected")
        assert await told(run(room, "voice say", text="Hello.")) == "I say it."
        await until(lambda: heard_s(ada) > 0.1)


async def test_stopped_while_it_speaks_it_leaves_and_keeps_the_text(room: TextRoom) -> None:
    """SET-3, VOX-37: no stop waits for the end of a story; the chat has all of it, and so has the history."""
    talking = Talking()
    talking.hearing.texts = ["Tell me a story."]
    room.models.script(Answer(text=(STORY,)))
    async with voice_room(room) as place:
        ada = place.enter(room.ada)
        async with room.bot(speech=talking.services):
            await place.summoned()
            await says(place, ada)
            await until(lambda: heard_s(ada) > 0.5)
            loop = asyncio.get_running_loop()
            asked_at = loop.time()
        assert loop.time() - asked_at < 5.0
        assert not place.bot_is_in(place.lounge)
        assert STORY in place.said_in(place.lounge)
        async with room.bot(speech=talking.services) as core:
            said, answered = await turns_of(core, place, 2)
            assert getattr(answered, "text", "") == STORY
            assert said is not answered
    assert heard_s(ada) < 6.0
