"""ElevenLabs' two websockets against a service on loopback."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest

from tests.fake_speech import FakeSpeech, Refusal, Sound, Text
from tests.speech_sounds import hush, seconds_of, spoken_by, tone, transcripts_of, write_frames
from voice.input.speech_to_text import SpeechFailed
from voice.providers.elevenlabs_scribe import ElevenLabsScribe, elevenlabs_scribe
from voice.providers.elevenlabs_voice import (
    ElevenLabsTextToSpeech,
    ElevenLabsVoice,
    elevenlabs_text_to_speech,
)
from voice.providers.service_connection import ServiceAddress

HALF_SECOND = tone(0.5, rate_hz=24_000)


@pytest.fixture
async def service() -> AsyncIterator[FakeSpeech]:
    async with FakeSpeech.running() as running:
        yield running


def address(service: FakeSpeech) -> ServiceAddress:
    return ServiceAddress(base_url=service.base_url, headers={"xi-api-key": "secret-key"}, silence_s=0.3)


@pytest.fixture
async def mouth(service: FakeSpeech) -> AsyncIterator[ElevenLabsTextToSpeech]:
    voice = ElevenLabsVoice(voice_id="a/voice", model="eleven_flash_v2_5")
    async with elevenlabs_text_to_speech(address(service), voice) as running:
        yield running


@pytest.fixture
async def ear(service: FakeSpeech) -> AsyncIterator[ElevenLabsScribe]:
    async with elevenlabs_scribe(address(service), model="scribe_v2_realtime") as running:
        yield running


def letters(text: str, *, each_ms: int = 50) -> dict[str, list[object]]:
    return {"chars": list(text), "charStartTimesMs": [each_ms * at for at in range(len(text))]}


async def test_a_segment_comes_as_sound_with_the_times_of_its_words(
    service: FakeSpeech, mouth: ElevenLabsTextToSpeech
) -> None:
    """VOX-22: streaming websocket, PCM; times count from the segment's first sample."""
    service.script(
        Sound(chunks=(HALF_SECOND, HALF_SECOND), alignments=(letters("Hello the"), letters("re, you. ")))
    )
    chunks = await spoken_by(mouth, "Hello there, you.")
    assert seconds_of(chunks) == pytest.approx(1.0, abs=0.01)
    words = [(word.start_s, word.end_offset) for chunk in chunks for word in chunk.words]
    assert words == [(0.0, 5), (0.3, 12), (0.7, 17)]
    (asked,) = service.asked
    assert asked.path == "/v1/text-to-speech/a/voice/stream-input"
    assert asked.headers["xi-api-key"] == "secret-key"
    assert asked.query["output_format"] == "pcm_24000"
    assert asked.query["language_code"] == "en"
    assert asked.messages == [{"text": " "}, {"text": "Hello there, you. "}, {"text": ""}]


async def test_closing_the_iterator_closes_the_connection(
    service: FakeSpeech, mouth: ElevenLabsTextToSpeech
) -> None:
    """VOX-22."""
    service.script(Sound(chunks=(HALF_SECOND,), ending="hang"))
    async with aclosing(mouth.speak("Hello.", language=None)) as chunks:
        await anext(chunks)
    async with asyncio.timeout(5):
        await service.asked[0].is_over.wait()


BROKEN_SOUND = [
    (Refusal(status=401), "key"),
    (Sound(messages=('{"message": "m", "error": "invalid_api_key", "code": 1008}',)), "key"),
    (Sound(messages=('{"message": "m", "error": "quota_exceeded", "code": 1008}',)), "no more for now"),
    (Sound(messages=('{"message": "m", "error": "voice_does_not_exist", "code": 1008}',)), "voice"),
    (Sound(messages=("not JSON",)), "failed"),
    (Sound(messages=('{"audio": "***"}',)), "failed"),
    (Sound(messages=("{}",)), "failed"),
    (Sound(messages=("[]",)), "failed"),
    (Sound(delay_s=5.0), "failed"),
    (Sound(chunks=(HALF_SECOND,), ending="cut"), "failed"),
    (Sound(chunks=(HALF_SECOND,), ending="hang"), "failed"),
]


@pytest.mark.parametrize(("script", "words"), BROKEN_SOUND)
async def test_a_failing_voice_says_one_sentence(
    service: FakeSpeech, mouth: ElevenLabsTextToSpeech, script: Refusal | Sound, words: str
) -> None:
    """VOX-25: refused by status and by message, garbage, broken off, silent at once and in mid-segment."""
    service.script(script)
    with pytest.raises(SpeechFailed, check=lambda failed: words in failed.advice) as caught:
        await spoken_by(mouth, "Hello.")
    assert caught.value.advice.startswith("My voice service ")
    assert "secret" not in caught.value.reason


async def test_speech_is_sent_as_it_comes_and_committed_at_its_end(
    service: FakeSpeech, ear: ElevenLabsScribe
) -> None:
    """VOX-21: Scribe in real time: guesses while somebody speaks, one final text."""
    service.script(Text(guesses=("Hel", "Hello"), commits=("Hello there.",)))
    utterance = ear.begin(language="en-GB")
    write_frames(utterance, tone(1.0))
    transcripts = utterance.transcripts()
    async with asyncio.timeout(10):
        assert [(await anext(transcripts)).text for _ in range(2)] == ["Hel", "Hello"]
        utterance.finish()
        assert (await anext(transcripts)).text == "Hello there."
    (asked,) = service.asked
    assert asked.sound == tone(1.0)
    assert asked.query["audio_format"] == "pcm_16000"
    assert asked.query["language_code"] == "en"


async def test_what_was_committed_at_the_pause_is_final_when_only_quiet_follows(
    service: FakeSpeech, ear: ElevenLabsScribe
) -> None:
    """VOX-16, VOX-21: and when the speaker goes on, the texts are joined."""
    service.script(Text(commits=("One,",)), Text(commits=("One,", "two.")))
    for added, expected, commits in ((hush(0.2), "One,", 1), (tone(0.5), "One, two.", 2)):
        utterance = ear.begin(language=None)
        write_frames(utterance, tone(1.0))
        utterance.tail()
        transcripts = utterance.transcripts()
        async with asyncio.timeout(10):
            early = await anext(transcripts)
            assert (early.text, early.final) == ("One,", False)
            write_frames(utterance, added)
            utterance.finish()
            final = await anext(transcripts)
        assert (final.text, final.final, service.asked[-1].commits) == (expected, True, commits)
        await utterance.aclose()


async def test_nothing_said_is_an_empty_text(service: FakeSpeech, ear: ElevenLabsScribe) -> None:
    service.script(Text(), Text(commits=({"message_type": "insufficient_audio_activity"},)))
    for pcm in (b"", hush(1.0)):
        utterance = ear.begin(language=None)
        write_frames(utterance, pcm)
        utterance.finish()
        (final,) = await transcripts_of(utterance)
        assert (final.text, final.final) == ("", True)


FAILURES = [
    (Refusal(status=401), "key"),
    (Text(commits=({"message_type": "auth_error", "error": "secret"},)), "key"),
    (Text(commits=({"message_type": "quota_exceeded"},)), "no more for now"),
    (Text(commits=({"message_type": "transcriber_error"},)), "failed"),
    (Text(commits=({"text": "no type"},)), "failed"),
    (Text(commits=([],)), "failed"),
    (Text(guesses=("Hel",), ending="cut"), "failed"),
    (Text(ending="cut"), "failed"),
    (Text(ending="hang"), "failed"),
]


@pytest.mark.parametrize(("script", "words"), FAILURES)
async def test_a_failing_ear_says_one_sentence(
    service: FakeSpeech, ear: ElevenLabsScribe, script: Refusal | Text, words: str
) -> None:
    """VOX-25: refusing, garbage, killed in mid-utterance, hanging; and the next one is heard again."""
    service.script(script, Text(commits=("Fine.",)))
    utterance = ear.begin(language=None)
    write_frames(utterance, tone(1.0))
    utterance.finish()
    with pytest.raises(SpeechFailed, check=lambda failed: words in failed.advice) as caught:
        await transcripts_of(utterance)
    assert "secret" not in caught.value.advice + caught.value.reason
    again = ear.begin(language=None)
    write_frames(again, tone(1.0))
    again.finish()
    assert (await transcripts_of(again))[-1].text == "Fine."


async def test_giving_up_ends_at_once(service: FakeSpeech, ear: ElevenLabsScribe) -> None:
    """VOX-25: `aclose` in mid-utterance, more than once."""
    service.script(Text())
    utterance = ear.begin(language=None)
    write_frames(utterance, tone(1.0))
    async with asyncio.timeout(5):
        while not service.asked:
            await asyncio.sleep(0.005)
        await utterance.aclose()
        await utterance.aclose()
        assert await transcripts_of(utterance) == []
        await service.asked[0].is_over.wait()


async def test_another_voice_is_asked_for_by_its_id(
    service: FakeSpeech, mouth: ElevenLabsTextToSpeech
) -> None:
    """VOX-22."""
    service.script(Sound(chunks=(HALF_SECOND,)))
    assert await spoken_by(mouth.voice_of("other"), "Hello.")
    assert "/other/" in service.asked[0].path
