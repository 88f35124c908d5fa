"""What breaks into a talk: a stop, a reset, a move, a refusal, a failing store, while the bot hears or speaks."""

from tests.fake_models.scripts import Answer
from tests.flows.scripted_services import Talking, heard_s
from tests.flows.slash_commands import run, told
from tests.flows.test_voice_talk import says, turns_of, until
from tests.flows.text_room import TextRoom
from tests.flows.voice_room import voice_room

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
