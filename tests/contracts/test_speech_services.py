"""What every speech-to-text and every text-to-speech service promises, scripted or not."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest

from tests.contracts.speech_contract import EARS, MOUTHS, Ear, opened_ear, opened_mouth
from tests.speech_sounds import seconds_of, spoken_by, transcripts_of, write_frames
from voice.input.speech_to_text import Transcript
from voice.output.text_to_speech import TextToSpeech


@pytest.fixture(params=EARS)
async def ear(request: pytest.FixtureRequest) -> AsyncIterator[Ear]:
    async with opened_ear(request.param) as opened:
        yield opened


@pytest.fixture(params=MOUTHS)
async def mouth(request: pytest.FixtureRequest) -> AsyncIterator[TextToSpeech]:
    async with opened_mouth(request.param) as opened:
        yield opened


async def test_the_last_transcript_alone_is_final(ear: Ear) -> None:
    """VOX-21, VOX-30: sound of any length in, each text replacing the one before."""
    utterance = ear.service.begin(language="en")
    write_frames(utterance, ear.sound)
    utterance.finish()
    *earlier, final = await transcripts_of(utterance)
    assert (final.text, final.final) == (ear.text, True)
    assert not any(transcript.final for transcript in earlier)
    await utterance.aclose()


async def test_the_text_of_each_pause_is_told(ear: Ear) -> None:
    """VOX-16: also when it is the text that was told before."""
    utterance = ear.service.begin(language=None)
    write_frames(utterance, ear.sound)
    transcripts = utterance.transcripts()
    told = Transcript(text="", final=False)
    async with asyncio.timeout(10):
        for _ in range(2):
            utterance.tail()
            told = await anext(transcripts)
            while told.text != ear.text:
                told = await anext(transcripts)
            assert not told.final
        utterance.finish()
        while not told.final:
            told = await anext(transcripts)
    assert told.text == ear.text
    await utterance.aclose()


async def test_silence_from_beginning_to_end_is_an_empty_text(ear: Ear) -> None:
    """VOX-30."""
    utterance = ear.service.begin(language=None)
    utterance.finish()
    final = (await transcripts_of(utterance))[-1]
    assert final.final
    await utterance.aclose()


async def test_it_may_be_given_up_at_any_time_and_twice(ear: Ear) -> None:
    """VOX-32: before the first word and in mid-utterance; others go on."""
    other = ear.service.begin(language=None)
    write_frames(other, ear.sound)
    for sound in (b"", ear.sound):
        utterance = ear.service.begin(language=None)
        write_frames(utterance, sound)
        await utterance.aclose()
        await utterance.aclose()
        assert [told for told in await transcripts_of(utterance) if told.final] == []
    other.finish()
    assert (await transcripts_of(other))[-1].text == ear.text
    await other.aclose()


async def test_segments_are_whole_samples_of_stereo_and_may_be_spoken_together(mouth: TextToSpeech) -> None:
    """VOX-22: int16, 48 kHz, stereo."""
    async with asyncio.TaskGroup() as tasks:
        speaking = [tasks.create_task(spoken_by(mouth, text)) for text in ("One.", "Two.")]
    for task in speaking:
        assert all(len(chunk.pcm) % 4 == 0 for chunk in task.result())
        assert 0.2 < seconds_of(task.result()) < 1


async def test_a_segment_may_be_closed_in_its_middle(mouth: TextToSpeech) -> None:
    """VOX-22: and the next one is spoken."""
    async with asyncio.timeout(10), aclosing(mouth.speak("One.", language="en")) as chunks:
        await anext(chunks)
    assert await spoken_by(mouth, "Two.")
