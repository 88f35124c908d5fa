"""The menu "Read aloud" (CMD-1): a file for who asks, or the bot's voice where they are."""

from io import BytesIO

import av
import numpy as np

from tests.flows.scripted_services import Talking, heard_s
from tests.flows.slash_commands import registered, run, told_alone
from tests.flows.test_voice_talk import until
from tests.flows.text_room import TextRoom
from tests.flows.voice_room import voice_room


def seconds_of(ogg: bytes) -> float:
    """Of sound, not of silence."""
    with av.open(BytesIO(ogg), "r") as container:
        frames = [frame.to_ndarray() for frame in container.decode(audio=0)]
    samples = np.abs(np.concatenate([frame.reshape(-1) for frame in frames]).astype(np.float64))
    return float((samples > 0.02 * samples.max()).sum()) / 48_000


async def test_a_message_is_read_as_words_into_a_file_for_who_asks(room: TextRoom) -> None:
    """SPEECH-9: the voice gets the reading, not the Markdown; the file is a minute of Opus at most."""
    talking = Talking()
    async with room.bot(speech=talking.services):
        await registered(room)
        humans = room.discord.humans
        message = room.says("It costs **$5**, see https://example.com/a/b", by=room.discord.grace)
        menu = humans.run_context_menu(room.general, room.ada, "Read aloud", message)
        answered = await menu.shown()
    (file,) = answered.attachments
    assert file.filename == "message.ogg"
    spoken = " ".join(talking.speaking.asked)
    assert "five dollars" in spoken
    assert not set("*$/") & set(spoken)
    assert seconds_of(file.content) > 0.4


async def test_in_a_call_it_is_said_there(room: TextRoom) -> None:
    """CMD-1: whoever is in the bot's channel hears it at once."""
    talking = Talking()
    async with voice_room(room) as place, room.bot(speech=talking.services):
        ada = place.enter(room.ada)
        await place.summoned()
        await place.reports("Connected")
        await place.until(lambda: ada.ready)
        message = room.says("Dinner is ready.", by=room.discord.grace)
        menu = room.discord.humans.run_context_menu(room.general, room.ada, "Read aloud", message)
        assert await told_alone(menu) == "I read it to you."
        await until(lambda: heard_s(ada) > 0.4)
        assert talking.speaking.asked == ["Parley Dinner is ready."]  # a mention is said as the name
        menu = room.discord.humans.run_context_menu(room.general, room.discord.grace, "Read aloud", message)
        assert (await menu.shown()).attachments, "who is not in the call gets a file, and the call nothing"
        assert len(talking.speaking.asked) == 2
        await told_alone(run(room, "voice leave"))
