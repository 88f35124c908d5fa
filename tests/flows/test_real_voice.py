"""Real speech through the whole road: spoken, sent under DAVE, recognised, answered aloud, heard again.

Piper and Whisper do on both sides what they do for people; only the language model is scripted.
"""

import numpy as np
import pytest
import soxr

from bot.wiring.speech import speech_services
from core.conversation.turns import UserTurn
from tests.fake_discord.voice import Human
from tests.fake_models.scripts import Answer
from tests.flows.scripted_services import heard_s
from tests.flows.test_voice_talk import turns_of, until
from tests.flows.text_room import TextRoom
from tests.flows.voice_room import voice_room
from tests.speech_sounds import spoken_by, transcripts_of, write_frames
from voice.output.text_to_speech import TextToSpeech
from voice.providers.packaged_files import PIPER_ENGINE, is_installed

pytestmark = [
    pytest.mark.timeout(180),
    pytest.mark.xdist_group("speech models"),
    pytest.mark.skipif(not is_installed(PIPER_ENGINE), reason="piper-tts is not installed"),
]

QUESTION = "What is the highest mountain in the world?"
ANSWER = "The highest mountain in the world is Mount Everest."
_NOISE = 60
"""Amplitude of the noise under the question."""


async def _sound_of(voice: TextToSpeech, text: str) -> bytes:
    """48 kHz stereo, with a little noise, as from a headset."""
    pcm = b"".join(chunk.pcm for chunk in await spoken_by(voice, text))
    samples = np.frombuffer(pcm, dtype="<i2").astype(np.int32)
    noise = np.random.default_rng(5).integers(-_NOISE, _NOISE, size=samples.size)
    return np.clip(samples + noise, -32_768, 32_767).astype("<i2").tobytes()


def _heard_by(human: Human) -> bytes:
    """What the person heard, as a recogniser takes it: 16 kHz mono."""
    pcm = b"".join(bytes(one) for one in human.heard.values())
    mono = np.frombuffer(pcm, dtype="<i2").reshape(-1, 2).mean(axis=1).astype("<i2")
    return np.asarray(soxr.resample(mono, 48_000, 16_000)).astype("<i2").tobytes()


def _words(text: str) -> list[str]:
    return "".join(one for one in text.lower() if one.isalnum() or one.isspace()).split()


async def test_a_spoken_question_is_understood_and_the_spoken_answer_too(room: TextRoom) -> None:
    """VOX-1, VOX-21 to VOX-23, VOX-26: no model of speech is scripted; a word may be off, not the sense."""
    room.models.script(Answer(text=(ANSWER,)))
    async with speech_services(room.settings()) as services:
        hearing, speaking = services.speech_to_text, services.text_to_speech
        assert hearing is not None
        assert speaking is not None
        await services.warm_up()
        question = await _sound_of(speaking, QUESTION)
        async with voice_room(room) as place, room.bot(speech=services) as core:
            ada = place.enter(room.ada)
            await place.summoned()
            await place.reports("Connected")
            await place.until(lambda: ada.ready)
            await ada.speak(question)
            said = (await turns_of(core, place, 2, within_s=60.0))[0]
            await until(lambda: heard_s(ada) > 1.0)
        transcription = hearing.begin(language="en")
        write_frames(transcription, _heard_by(ada))
        transcription.finish()
        again = (await transcripts_of(transcription))[-1].text
        await transcription.aclose()
    assert isinstance(said, UserTurn)
    (content,) = said.content
    understood = set(_words(getattr(content, "text", "")))
    assert {"highest", "mountain", "world"} <= understood, understood
    assert {"highest", "mountain", "everest"} <= set(_words(again)), again
