"""Is this utterance complete? By the model smart-turn v3, from the sound alone (VOX-15).

It looks at the last eight seconds as Whisper does: as 80 bands of energy every 10 ms, with the silence of a
shorter utterance in front. It wants to hear about 200 ms of the pause.

Limits: 0.1 to 0.2 s on one core. It is sure of complete sentences and takes more than half of those cut off
for complete (measured on synthetic speech): it never ends a turn by itself alone.
"""

import asyncio
from collections.abc import AsyncGenerator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from voice.providers.onnx_session import Floats, OnnxSession, as_floats

_WINDOW_SAMPLES = 8 * 16_000


@asynccontextmanager
async def smart_turn(model: Path) -> AsyncGenerator["SmartTurn"]:
    """The model from its ONNX file, on a thread of its own; loaded with the first need."""
    executor = ThreadPoolExecutor(1, thread_name_prefix="turn-model")
    try:
        yield SmartTurn(model, executor)
    finally:
        executor.shutdown(wait=False, cancel_futures=True)


class SmartTurn:
    """See the module. A `TurnModel`."""

    def __init__(self, model: Path, executor: Executor) -> None:
        self._model = model
        self._judge: _Judge | None = None  # the thread's
        self._executor = executor

    async def prepare(self) -> None:
        """Loads the model now."""
        await asyncio.get_running_loop().run_in_executor(self._executor, self._loaded)

    async def completeness(self, pcm: bytes) -> float:
        """0 to 1; without any sound 0."""
        if not pcm:
            return 0.0
        last = pcm[-2 * _WINDOW_SAMPLES :]
        return await asyncio.get_running_loop().run_in_executor(self._executor, self._judged, last)

    def _judged(self, pcm: bytes) -> float:
        return self._loaded().completeness(pcm)

    def _loaded(self) -> "_Judge":
        if self._judge is None:
            self._judge = _Judge(self._model)
        return self._judge


class _Judge:
    def __init__(self, model: Path) -> None:
        whisper: Any = import_module("faster_whisper.feature_extractor")  # 0.5 s, so on this thread
        self._bands = whisper.FeatureExtractor(chunk_length=8)
        self._session = OnnxSession(model.read_bytes())

    def completeness(self, pcm: bytes) -> float:
        sound = as_floats(pcm)
        padded = np.pad(sound, (_WINDOW_SAMPLES - len(sound), 0))
        levelled = (padded - padded.mean()) / np.sqrt(padded.var() + 1e-7)
        bands: Floats = self._bands(levelled, padding=0)[None].astype(np.float32)
        (score,) = self._session.run(("logits",), {"input_features": bands})
        return float(score.ravel()[0])
