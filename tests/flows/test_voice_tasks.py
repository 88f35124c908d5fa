"""Results of tasks in a talk (TASK-11): spoken at a safe moment, and written where people can read them."""

import asyncio

from bot.discord_chat.sleep import ASLEEP
from sessions.channel_settings import ChannelScope
from tests.flows.scripted_services import Talking, heard_s
from tests.flows.slash_commands import run, told_alone
from tests.flows.test_voice_talk import until
from tests.flows.text_room import TextRoom
from tests.flows.voice_room import voice_room
from tests.flows.voice_scene import speech


async def test_a_reminder_waits_until_nobody_speaks_and_is_said_and_shown_once(room: TextRoom) -> None:
    """TASK-11, TASK-14: not into a sentence; when it was heard it stands in the chat, once.

    TASK-16: while the bot sleeps it is written alone.
    """
    talking = Talking()
    async with voice_room(room) as place, room.bot(speech=talking.services, VOICE_MODE="listen") as core:
        ada = place.enter(room.ada)
        await place.summoned()
        await place.reports("Connected")
        await place.until(lambda: ada.ready)
        talking.hearing.texts = ["I was just saying that this takes a while."]
        setting = run(room, "reminder set", channel=place.lounge, when="in 1 second", about="the kettle")
        assert "Reminder" in await told_alone(setting)
        await ada.speak(speech(2.5), pace_s=0.02)  # it falls due meanwhile
        assert talking.speaking.asked == []
        await until(lambda: heard_s(ada) > 0.3)
        (said,) = talking.speaking.asked
        assert "a reminder: the kettle" in said
        await place.until(lambda: any("⏰" in text for text in place.said_in(place.lounge)))
        await asyncio.sleep(0.3)
        assert sum("⏰" in text for text in place.said_in(place.lounge)) == 1
        asleep = ChannelScope(channel_id=str(place.lounge.id))
        await core.stores.settings.change(asleep, ASLEEP, "since now")
        await told_alone(
            run(room, "reminder set", channel=place.lounge, when="in 0.1 seconds", about="the tea")
        )
        await place.until(lambda: any("the tea" in text for text in place.said_in(place.lounge)))
        assert talking.speaking.asked == [said]


async def test_what_is_told_unasked_is_said_in_the_language_of_the_talk(room: TextRoom) -> None:
    """TASK-11, CMD-1."""
    talking = Talking()
    async with (
        voice_room(room) as place,
        room.bot(speech=talking.services, VOICE_MODE="listen", SPEECH_LANGUAGE="ja"),
    ):
        place.enter(room.ada)
        await place.summoned()
        await place.reports("Connected")
        await told_alone(run(room, "reminder set", channel=place.lounge, when="in 1 second", about="やかん"))
        await until(lambda: bool(talking.speaking.asked))
    (said,) = talking.speaking.asked
    assert said.endswith("さん、リマインダーです：やかん")
