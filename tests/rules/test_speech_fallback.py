"""A second speech service takes over from one that fails or is silent (VOX-25), in virtual time."""

import asyncio

import pytest

from tests.scripted_speech import Mood, ScriptedSpeechToText, Vocabulary, frame
from tests.virtual_time import run_virtually
from voice.input.speech_to_text import Transcription
from voice.providers.fallback import FallbackSpeechToText


async def _text_of(utterance: Transcription) -> str:
    return [transcript async for transcript in utterance.transcripts()][-1].text


@pytest.mark.parametrize(
    ("mood", "waits"),
    [(Mood.HANGS, [True, False]), (Mood.BREAKS, [False, False]), (Mood.FAILS, [False, False])],
)
def test_the_second_service_gets_the_whole_utterance_in_time(mood: Mood, waits: list[bool]) -> None:
    """VOX-25: a hang is a failure, too, long before the utterance would be given up; the first then rests."""
    vocabulary = Vocabulary()

    async def talk() -> None:
        first = ScriptedSpeechToText(vocabulary, moods=[mood])
        both = FallbackSpeechToText(first, ScriptedSpeechToText(vocabulary))
        loop = asyncio.get_running_loop()
        for waited in waits:
            utterance = both.begin(language=None)
            word = frame(vocabulary.value_of("hello"))
            async with asyncio.TaskGroup() as tasks:
                text = tasks.create_task(_text_of(utterance))
                for _ in range(60):
                    utterance.write(word)
                    await asyncio.sleep(0.02)
                utterance.finish()
                ended = loop.time()
            assert text.result() == "hello"
            assert (loop.time() - ended > 3) == waited
            assert loop.time() - ended < 5
        assert len(first.begun) == 1

    run_virtually(talk())
