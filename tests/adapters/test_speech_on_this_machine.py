"""The real models, one after the other: Piper speaks, Silero and smart-turn judge, Whisper understands."""

import asyncio
from difflib import SequenceMatcher

import numpy as np
import pytest
import soxr

from bot.settings import Settings
from bot.speech_services import SpeechServices
from bot.wiring.speech import speech_services
from tests.speech_sounds import hush, spoken_by, transcripts_of, write_frames
from voice.input.judges import VAD_WINDOW_SAMPLES, VoiceActivity, VoiceWindow
from voice.input.speech_to_text import SpeechToText, Transcript
from voice.providers.packaged_files import SILERO, ModelMissing, packaged_file
from voice.providers.silero_batch import with_speakers

pytestmark = [pytest.mark.xdist_group("speech models"), pytest.mark.timeout(240)]

WHOLE = "We will meet at the station tomorrow morning at nine."
QUESTION = "What time is it?"
CUT = "We went to the shop and"
WINDOW_BYTES = 2 * VAD_WINDOW_SAMPLES


async def test_what_the_voice_says_is_heard_judged_and_understood() -> None:
    """VOX-19, VOX-21, VOX-22, VOX-23: embedded services from the settings, without a key or a download."""
    async with speech_services(Settings()) as services:
        if services.missing:
            pytest.skip("; ".join(services.missing))
        await services.warm_up()
        whole, question, cut = [await said(services, text) for text in (WHOLE, QUESTION, CUT)]
        await voices_are_told_from_noise(services, whole)
        await a_question_is_complete_and_a_cut_sentence_is_not(services, question, cut)
        await words_are_understood(services, whole)
        await words_are_told_apart_in_one_run(services, whole)
        await what_nobody_said_stays_empty(services)


async def said(services: SpeechServices, text: str) -> bytes:
    """The voice's sound as a microphone gives it, with 200 ms of the pause: int16, 16 kHz, mono."""
    assert services.text_to_speech is not None
    chunks = await spoken_by(services.text_to_speech, text, within_s=60)
    stereo = np.frombuffer(b"".join(chunk.pcm for chunk in chunks), "<i2").reshape(-1, 2)
    assert np.array_equal(stereo[:, 0], stereo[:, 1])
    heard = soxr.resample(stereo[:, 0], 48_000, 16_000)
    last = int(np.flatnonzero(np.abs(heard) > 500)[-1])
    return heard[: last + 3_200].astype("<i2").tobytes()


async def voices_are_told_from_noise(services: SpeechServices, voice: bytes) -> None:
    judge = services.voice_activity
    assert judge is not None
    noise = np.random.default_rng(5).standard_normal(len(voice) // 2) * 1_500
    loud_noise = noise.astype("<i2").tobytes()
    speech, together, silence = await scores(judge, (voice, loud_noise, bytes(len(voice))))
    alone = (await scores(judge, (voice,)))[0]
    assert np.mean(np.array(speech) > 0.5) > 0.7
    assert max(together) < 0.5
    assert max(silence) < 0.3
    assert alone == pytest.approx(speech, abs=1e-4)  # a voice is not heard otherwise among others


def test_the_packaged_judge_of_voices_takes_several_speakers_in_one_run() -> None:
    """VOX-23: else each window is a run of its own, which costs five times as much."""
    try:
        packaged = packaged_file(*SILERO)
    except ModelMissing as missing:
        pytest.skip(str(missing))
    assert with_speakers(packaged.read_bytes()) is not None


async def scores(judge: VoiceActivity, sounds: tuple[bytes, ...]) -> list[list[float]]:
    found: list[list[float]] = [[] for _ in sounds]
    for start in range(0, len(sounds[0]) - WINDOW_BYTES, WINDOW_BYTES):
        windows = [
            VoiceWindow(speaker=speaker, pcm=sound[start : start + WINDOW_BYTES], fresh=start == 0)
            for speaker, sound in enumerate(sounds)
        ]
        for speaker, score in enumerate(await judge.speech_scores(windows)):
            found[speaker].append(score)
    return found


async def a_question_is_complete_and_a_cut_sentence_is_not(
    services: SpeechServices, question: bytes, cut: bytes
) -> None:
    turns = services.turn_model
    assert turns is not None
    assert await turns.completeness(question) > 0.5
    assert await turns.completeness(cut) < 0.5
    assert await turns.completeness(b"") == 0.0


async def words_are_understood(services: SpeechServices, whole: bytes) -> None:
    assert services.speech_to_text is not None
    for language in ("en", None):
        transcript = await heard(services.speech_to_text, whole, language)
        found = transcript.text.lower().replace("9", "nine").rstrip(".").split()
        alike = SequenceMatcher(a=WHOLE.lower().rstrip(".").split(), b=found).ratio()
        assert alike > 0.8, transcript.text  # the voice never says it twice alike
        assert transcript.language == "en"
        starts = [word.start_s for word in transcript.words]
        assert len(starts) == len(found)
        assert starts == sorted(starts)
        assert transcript.words[-1].end_s <= len(whole) / 32_000


async def words_are_told_apart_in_one_run(services: SpeechServices, whole: bytes) -> None:
    """The first is decoded by itself, and those that came meanwhile together, each as if it were alone."""
    ear = services.speech_to_text
    assert ear is not None
    shorter = whole[: len(whole) * 3 // 8 * 2]
    async with asyncio.TaskGroup() as tasks:
        hearing = [tasks.create_task(heard(ear, sound, "en")) for sound in (whole, shorter, whole)]
    first, cut, again = (task.result() for task in hearing)
    assert first.text == again.text
    assert [word.start_s for word in again.words] == pytest.approx(
        [word.start_s for word in first.words], abs=0.1
    )
    assert len(cut.text) < len(first.text)
    assert cut.words[-1].end_s <= len(shorter) / 32_000


async def what_nobody_said_stays_empty(services: SpeechServices) -> None:
    assert services.speech_to_text is not None
    noise = (np.random.default_rng(5).standard_normal(24_000) * 1_500).astype("<i2").tobytes()
    for sound in (bytes(32_000), hush(1.0), noise):
        transcript = await heard(services.speech_to_text, sound, "en")
        assert transcript.text == ""


async def heard(ear: SpeechToText, sound: bytes, language: str | None) -> Transcript:
    utterance = ear.begin(language=language)
    write_frames(utterance, sound)
    utterance.tail()
    utterance.finish()
    return (await transcripts_of(utterance, within_s=60))[-1]
