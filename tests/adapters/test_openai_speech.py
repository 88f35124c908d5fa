"""Speech over OpenAI's protocol against a service on loopback."""

import asyncio
import io
import wave
from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest

from tests.fake_speech import FakeSpeech, Refusal, Sound, Text
from tests.speech_sounds import hush, seconds_of, spoken_by, tone, transcripts_of, write_frames
from voice.input.speech_to_text import SpeechFailed
from voice.providers.openai_speech import (
    OpenAISpeechToText,
    OpenAITextToSpeech,
    OpenAIVoice,
    openai_speech_to_text,
    openai_text_to_speech,
)
from voice.providers.service_connection import ServiceAddress

HEARD = {
    "text": " Hello there. ",
    "language": "english",
    "words": [{"word": "Hello", "start": 0.1, "end": 0.4}, {"word": "there.", "start": 0.4, "end": 0.8}],
    "segments": [{"avg_logprob": -0.2, "no_speech_prob": 0.01}],
}


@pytest.fixture
async def service() -> AsyncIterator[FakeSpeech]:
    async with FakeSpeech.running() as running:
        yield running


def address(service: FakeSpeech, *, silence_s: float = 5.0) -> ServiceAddress:
    return ServiceAddress(
        base_url=f"{service.base_url}/v1", headers={"Authorization": "Bearer sk-secret"}, silence_s=silence_s
    )


@pytest.fixture
async def ear(service: FakeSpeech) -> AsyncIterator[OpenAISpeechToText]:
    async with openai_speech_to_text(address(service, silence_s=0.3), model="whisper-1") as running:
        yield running


@pytest.fixture
async def mouth(service: FakeSpeech) -> AsyncIterator[OpenAITextToSpeech]:
    voice = OpenAIVoice(model="tts-1", voice="alloy")
    async with openai_text_to_speech(address(service, silence_s=0.3), voice) as running:
        yield running


async def test_an_utterance_is_sent_as_a_file_and_comes_back_with_words(
    service: FakeSpeech, ear: OpenAISpeechToText
) -> None:
    """VOX-21: OpenAI-compatible `/audio/transcriptions`."""
    service.script(Text(body=HEARD))
    utterance = ear.begin(language="en-GB")
    write_frames(utterance, tone(1.0))
    utterance.finish()
    (final,) = await transcripts_of(utterance)
    assert (final.text, final.final, final.language) == ("Hello there.", True, "en")
    assert [(word.text, word.start_s) for word in final.words] == [("Hello", 0.1), ("there.", 0.4)]
    (asked,) = service.asked
    assert asked.headers["Authorization"] == "Bearer sk-secret"
    assert (asked.form["model"], asked.form["language"]) == ("whisper-1", "en")
    with wave.open(io.BytesIO(asked.form["file"])) as file:
        assert (file.getframerate(), file.getnchannels(), file.getnframes()) == (16_000, 1, 16_000)


async def test_what_was_worked_out_at_the_pause_is_final_when_only_quiet_follows(
    service: FakeSpeech, ear: OpenAISpeechToText
) -> None:
    """VOX-16, VOX-21: one request; when the speaker goes on, the whole is asked about again."""
    service.script(Text(body=HEARD), Text(body={**HEARD, "text": "Hello there, you."}))
    utterance = ear.begin(language=None)
    write_frames(utterance, tone(1.0))
    utterance.tail()
    transcripts = utterance.transcripts()
    early = await anext(transcripts)
    assert (early.text, early.final) == ("Hello there.", False)
    write_frames(utterance, hush(0.2))
    utterance.finish()
    final = await anext(transcripts)
    assert (final.text, final.final, len(service.asked)) == ("Hello there.", True, 1)

    service.script(Text(body=HEARD))
    longer = ear.begin(language=None)
    write_frames(longer, tone(1.0))
    longer.tail()
    transcripts = longer.transcripts()
    await anext(transcripts)
    write_frames(longer, tone(0.5))
    longer.finish()
    assert (await anext(transcripts)).final
    assert len(service.asked) == 3


async def test_a_text_that_nobody_said_is_told_as_such(service: FakeSpeech, ear: OpenAISpeechToText) -> None:
    """VOX-19: the service's own probabilities are listened to."""
    segments = [{"avg_logprob": -1.4, "no_speech_prob": 0.7}]
    service.script(Text(body={**HEARD, "segments": segments}))
    utterance = ear.begin(language=None)
    write_frames(utterance, hush(1.0))
    utterance.finish()
    (final,) = await transcripts_of(utterance)
    assert (final.text, final.suspect) == ("", "improbable words")


async def test_a_server_that_knows_the_plain_form_alone_is_asked_for_it(
    service: FakeSpeech, ear: OpenAISpeechToText
) -> None:
    """VOX-21."""
    service.script(Refusal(status=400), Text(body={"text": "Hi."}), Text(body={"text": "Again."}))
    for expected in ("Hi.", "Again."):
        utterance = ear.begin(language=None)
        write_frames(utterance, tone(0.5))
        utterance.finish()
        (final,) = await transcripts_of(utterance)
        assert final.text == expected
    assert [asked.form["response_format"] for asked in service.asked] == ["verbose_json", "json", "json"]


FAILURES = [
    (Refusal(status=401), "key"),
    (Refusal(status=429), "no more for now"),
    (Refusal(status=404), "model"),
    (Refusal(status=500), "failed"),
    (Text(body=b"<html>"), "failed"),
    (Text(body={"error": "x"}), "failed"),
    (Text(body=b'{"te', ending="cut"), "failed"),
    (Text(body=HEARD, delay_s=5.0), "failed"),
]


@pytest.mark.parametrize(("script", "words"), FAILURES)
async def test_a_failing_ear_says_one_sentence_without_secrets(
    service: FakeSpeech, ear: OpenAISpeechToText, script: Refusal | Text, words: str
) -> None:
    """VOX-25: refusing, hanging, breaking off, garbage."""
    service.script(script)
    utterance = ear.begin(language=None)
    write_frames(utterance, tone(0.5))
    utterance.finish()
    with pytest.raises(SpeechFailed, check=lambda failed: words in failed.advice) as caught:
        await transcripts_of(utterance)
    assert caught.value.advice.startswith("My hearing service ")
    assert caught.value.advice.count(".") == 1
    assert "secret" not in caught.value.advice + caught.value.reason


async def test_giving_up_ends_at_once(service: FakeSpeech, ear: OpenAISpeechToText) -> None:
    """VOX-25: `aclose` while the service is asked."""
    service.script(Text(body=HEARD, delay_s=0.25))
    utterance = ear.begin(language=None)
    write_frames(utterance, tone(0.5))
    utterance.finish()
    async with asyncio.TaskGroup() as tasks:
        hearing = tasks.create_task(transcripts_of(utterance))
        while not service.asked:
            await asyncio.sleep(0.005)
        await utterance.aclose()
        async with asyncio.timeout(0.2):
            assert await hearing == []
        await utterance.aclose()


async def test_speech_is_streamed_as_48_khz_stereo(service: FakeSpeech, mouth: OpenAITextToSpeech) -> None:
    """VOX-22: PCM of 24 kHz, cut anywhere."""
    pcm = tone(1.0, rate_hz=24_000)
    service.script(Sound(chunks=(pcm[:7_001], pcm[7_001:20_000], pcm[20_000:])))
    chunks = await spoken_by(mouth, "Hello there.")
    assert len(chunks) > 1
    assert seconds_of(chunks) == pytest.approx(1.0, abs=0.01)
    (asked,) = service.asked
    assert asked.form == {
        "model": "tts-1",
        "voice": "alloy",
        "input": "Hello there.",
        "response_format": "pcm",
    }


async def test_closing_the_iterator_aborts_the_request(
    service: FakeSpeech, mouth: OpenAITextToSpeech
) -> None:
    """VOX-22: what nobody hears is not synthesised further."""
    service.script(Sound(chunks=(tone(1.0, rate_hz=24_000),), ending="hang"))
    async with aclosing(mouth.speak("Hello.", language=None)) as chunks:
        await anext(chunks)
    async with asyncio.timeout(5):
        await service.asked[0].is_over.wait()


BROKEN_SOUND = [
    (Refusal(status=403), "key"),
    (Refusal(status=402), "no more for now"),
    (Sound(chunks=(b"{}",), content_type="application/json"), "failed"),
    (Sound(chunks=(b"RIFF" + bytes(1_000),)), "failed"),
    (Sound(chunks=(b"\xff\xfb\x90\x00" + bytes(1_000),), content_type="audio/mpeg"), "failed"),
    (Sound(), "failed"),
    (Sound(delay_s=5.0), "failed"),
    (Sound(chunks=(tone(0.5, rate_hz=24_000),), ending="cut"), "failed"),
    (Sound(chunks=(tone(0.5, rate_hz=24_000),), ending="hang"), "failed"),
]


@pytest.mark.parametrize(("script", "words"), BROKEN_SOUND)
async def test_a_failing_voice_says_one_sentence(
    service: FakeSpeech, mouth: OpenAITextToSpeech, script: Refusal | Sound, words: str
) -> None:
    """VOX-25: refusing, garbage, another format, nothing, silence, breaking off and falling silent later."""
    service.script(script)
    with pytest.raises(SpeechFailed, check=lambda failed: words in failed.advice) as caught:
        await spoken_by(mouth, "Hello.")
    assert caught.value.advice.startswith("My voice service ")


async def test_another_voice_is_asked_for_by_its_name(service: FakeSpeech, mouth: OpenAITextToSpeech) -> None:
    """VOX-22: any name, as other servers have others; the usual voice stays as it is."""
    assert "nova" in mouth.voice_names
    for speaking in (mouth.voice_of("nova"), mouth):
        service.script(Sound(chunks=(tone(0.2, rate_hz=24_000),)))
        assert await spoken_by(speaking, "Hello.")
    assert [asked.form["voice"] for asked in service.asked] == ["nova", "alloy"]
