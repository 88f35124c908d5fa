"""`/voice mode|talk|say|stats` with the whole bot in a voice channel."""

import asyncio

from tests.fake_models.scripts import Answer
from tests.flows.scripted_services import Talking, heard_s
from tests.flows.slash_commands import run, told_alone
from tests.flows.test_voice_talk import says, turns_of, until
from tests.flows.text_room import TextRoom
from tests.flows.voice_room import voice_room


async def test_say_speaks_and_stats_tell_how_quickly_was_answered(room: TextRoom) -> None:
    """CMD-1, VOX-27: every part of the way has its time; nobody outside of the channel makes it speak."""
    talking = Talking()
    talking.hearing.texts = ["Hello there."]
    room.models.script(Answer(text=("Hello.",)))
    async with voice_room(room) as place, room.bot(speech=talking.services) as core:
        assert "I am in no voice channel here" in await told_alone(run(room, "voice say", text="Hi"))
        ada = place.enter(room.ada)
        await place.summoned()
        assert "Nothing was answered aloud" in await told_alone(run(room, "voice stats"))
        refused = await told_alone(run(room, "voice say", by=room.discord.grace, text="Hi"))
        assert "Only who is in" in refused
        await says(place, ada)
        await turns_of(core, place, 2)
        stats = await told_alone(run(room, "voice stats"))
        assert "from your last word to my first" in stats
        assert "until the model's first words" in stats
        assert "1 of 1 answers that were begun early were used" in stats
        before = heard_s(ada)
        assert await told_alone(run(room, "voice say", text="Good night everybody.")) == "I say it."
        await until(lambda: heard_s(ada) > before + 0.3)
        assert talking.speaking.asked[-1] == "Good night everybody."


async def test_modes_are_chosen_by_managers_and_act_at_once(room: TextRoom) -> None:
    """VOX-18, VOX-22: listen answers nobody; push answers who asked to talk, once, in the chosen voice."""
    talking = Talking()
    talking.hearing.texts = ["Just talking.", "Now you.", "Just talking again."]
    room.models.script(Answer(text=("Me?",)))
    async with voice_room(room) as place, room.bot(speech=talking.services):
        ada = place.enter(room.ada)
        await place.summoned()
        assert "I answer everything with one person" in await told_alone(run(room, "voice mode"))
        owner = room.discord.world.owner
        assert await told_alone(run(room, "voice voice")) == "I speak in my usual voice here."
        assert "Manage Server" in await told_alone(run(room, "voice voice", name="deep"))
        assert "no voice of that name" in await told_alone(run(room, "voice voice", by=owner, name="nobody"))
        assert "voice `deep`" in await told_alone(run(room, "voice voice", by=owner, name="deep"))
        assert "whichever language" in await told_alone(run(room, "voice language"))
        assert "by its code" in await told_alone(run(room, "voice language", by=owner, name="German!"))
        assert "speak `de`" in await told_alone(run(room, "voice language", by=owner, name="de"))
        assert "Manage Server" in await told_alone(run(room, "voice mode", answers="listen"))
        assert "do not answer" in await told_alone(run(room, "voice mode", by=owner, answers="listen"))
        await says(place, ada)
        await until(lambda: len(talking.hearing.begun) == 1 and talking.hearing.begun[0].closed)
        assert "`/voice talk`" in await told_alone(run(room, "voice mode", by=owner, answers="push"))
        assert await told_alone(run(room, "voice talk")) == "I am listening to you."
        await says(place, ada)
        await place.until(lambda: "Me?" in place.said_in(place.lounge))
        await until(lambda: heard_s(ada) > 0.1)
        assert talking.deep.asked == ["Me?"]
        assert talking.speaking.asked == []
        assert "usual voice" in await told_alone(run(room, "voice voice", by=owner, name="default"))
        await asyncio.sleep(0.5)
        await says(place, ada)
        await asyncio.sleep(1.0)
    assert len(room.models.requests) == 1
    assert len(talking.hearing.begun) == 2
