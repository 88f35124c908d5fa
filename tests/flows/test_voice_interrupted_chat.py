"""A reply that is whole in the chat, and whose speech somebody interrupts."""

from tests.fake_models.scripts import Answer
from tests.flows.scripted_services import Talking, heard_s
from tests.flows.test_voice_talk import says, until
from tests.flows.text_room import TextRoom
from tests.flows.voice_room import voice_room

STORY = "One two three four five six seven eight nine ten. Eleven twelve thirteen fourteen fifteen sixteen."


async def test_what_is_posted_stays_and_is_marked_as_stopped(room: TextRoom) -> None:
    """VOX-32, VOX-37: an interruption of the voice takes nothing away, and who reads along sees it."""
    talking = Talking()
    talking.hearing.texts = ["Tell me a story.", "No, stop, another one please."]
    room.models.script(Answer(text=(STORY,)), Answer(text=("Fine.",)))
    async with voice_room(room) as place, room.bot(speech=talking.services):
        ada = place.enter(room.ada)
        await place.summoned()
        await says(place, ada)
        await place.until(lambda: STORY in place.said_in(place.lounge))
        await until(lambda: heard_s(ada) > 0.6)
        await says(place, ada, 1.2)
        await place.until(lambda: f"{STORY}\n\n-# Stopped." in place.said_in(place.lounge), within_s=10.0)
        await place.until(lambda: "Fine." in place.said_in(place.lounge), within_s=10.0)
