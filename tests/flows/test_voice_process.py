"""The bot as a process in a voice channel: killed and started again, stopped by a signal while it speaks."""

import signal
import time

import pytest

from tests.fake_models.scripts import Answer
from tests.fake_speech import FakeSpeech, Sound, Text
from tests.flows.bot_process import BotProcess
from tests.flows.scripted_services import heard_s
from tests.flows.slash_commands import run, told_alone
from tests.flows.test_bot_process import by_environment
from tests.flows.text_room import TextRoom
from tests.flows.voice_room import voice_room
from tests.speech_sounds import tone
from tests.vowel_sounds import at_a_headset, vowels

STORY = ("Once there was a house. ", "It stood on a hill. ", "Nobody lived in it. ", "Then somebody came.")


@pytest.mark.timeout(240)  # two processes start, on a machine that may be busy
async def test_killed_in_a_call_it_comes_back_and_a_signal_takes_it_out(room: TextRoom) -> None:
    """VOX-7, SET-3: `/voice stay` outlives SIGKILL; SIGTERM ends a reply in mid-sentence, and nothing hangs.

    What was not heard stands in the chat.
    """
    folder, settings = room.folder.parent, by_environment(room)
    async with voice_room(room) as place, FakeSpeech.running() as ear, FakeSpeech.running() as mouth:
        async with BotProcess.started(folder, settings) as bot:
            await room.discord.bot_connected(within_s=80)
            ada = place.enter(room.ada)
            await place.summoned()
            await told_alone(run(room, "voice stay", by=room.discord.world.owner))
            bot.signal(signal.SIGKILL)
            await bot.ended()
        ear.script(*[Text(body={"text": "Tell me a story."})] * 4)
        mouth.script(*[Sound(chunks=(tone(20.0, rate_hz=24_000),))] * (len(STORY) + 1))
        hosted = {
            "OPENAI_STT_API_BASE_URL": f"{ear.base_url}/v1",
            "OPENAI_TTS_API_BASE_URL": f"{mouth.base_url}/v1",
        }
        async with BotProcess.started(folder, {**settings, **hosted}) as bot:
            await place.until(lambda: len(place.said_in(place.lounge)) == 2, within_s=80)
            await place.speaks(ada)
            await place.reports(f"<@{ada.user_id}>: 25 packets", within_s=10)
            room.models.script(Answer(text=STORY, delay_between_s=0.01))
            await ada.speak(at_a_headset(vowels("aieoua")))
            await place.until(lambda: heard_s(ada) > 0.3, within_s=20)
            asked_at = time.monotonic()
            await bot.stopped()
            assert time.monotonic() - asked_at < 10
            assert room.discord.bot.id not in place.guild.voice_states
        assert place.said_in(place.lounge)[-1] == "".join(STORY)
