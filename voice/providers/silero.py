"""Voice activity by Silero VAD (VOX-23): 32 ms windows, several speakers in one run, beside the loop.

The model keeps a memory of each voice, and 64 samples of the window before. Both are held here by speaker
and put back on the loop, so that `forget` is never undone by a run that was under way.

Limits: about 0.1 ms of one core a window (0.24 ms for one alone); 512 voices at most, the longest unheard
goes first. It tells voices from noise, not from music with singing.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from voice.input.judges import VAD_WINDOW_SAMPLES, VoiceWindow
from voice.providers.onnx_session import Floats, OnnxSession, as_floats
from voice.providers.silero_batch import OUTPUTS, STATE_INPUTS, STATE_WIDTH, with_speakers

_CONTEXT_SAMPLES = 64
_MOST_VOICES = 512
_ONE_STATE = np.zeros((1, 1, STATE_WIDTH), np.float32)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Voice:
    """What the model remembers of one voice: two states of 128 numbers, and the last 64 samples."""

    hidden: Floats
    cell: Floats
    context: Floats


_UNHEARD = _Voice(
    hidden=np.zeros(STATE_WIDTH, np.float32),
    cell=np.zeros(STATE_WIDTH, np.float32),
    context=np.zeros(_CONTEXT_SAMPLES, np.float32),
)


@asynccontextmanager
async def silero_voice_activity(model: Path) -> AsyncGenerator["SileroVoiceActivity"]:
    """Silero from its ONNX file, on a thread of its own until the block ends; loaded with the first need."""
    executor = ThreadPoolExecutor(1, thread_name_prefix="voice-activity")
    try:
        yield SileroVoiceActivity(model, executor)
    finally:
        executor.shutdown(wait=False, cancel_futures=True)


class SileroVoiceActivity:
    """See the module. A `VoiceActivity`."""

    def __init__(self, model: Path, executor: Executor) -> None:
        self._model = model
        self._judge: _Judge | None = None  # the thread's
        self._executor = executor
        self._voices: dict[int, _Voice] = {}

    async def prepare(self) -> None:
        """Loads the model now."""
        await asyncio.get_running_loop().run_in_executor(self._executor, self._loaded)

    async def speech_scores(self, windows: Sequence[VoiceWindow]) -> list[float]:
        """One score a window, in order.

        Raises:
            ValueError: a window has not exactly 512 samples.
        """
        if not windows:
            return []
        if any(len(window.pcm) != 2 * VAD_WINDOW_SAMPLES for window in windows):
            raise ValueError(f"a window has {VAD_WINDOW_SAMPLES} samples of 16 bits")
        before = [self._remembered(window) for window in windows]
        sound = [window.pcm for window in windows]
        loop = asyncio.get_running_loop()
        scores, after = await loop.run_in_executor(self._executor, self._heard, sound, before)
        for window, voice in zip(windows, after, strict=True):
            if window.speaker in self._voices:
                self._voices[window.speaker] = voice
        return scores

    def forget(self, speaker: int) -> None:
        """Drops the memory of that voice."""
        self._voices.pop(speaker, None)

    def _heard(self, sound: list[bytes], before: list[_Voice]) -> tuple[list[float], list[_Voice]]:
        return self._loaded().heard(sound, before)

    def _loaded(self) -> "_Judge":
        if self._judge is None:
            self._judge = _Judge(self._model)
        return self._judge

    def _remembered(self, window: VoiceWindow) -> _Voice:
        voice = self._voices.pop(window.speaker, _UNHEARD)
        voice = _UNHEARD if window.fresh else voice
        self._voices[window.speaker] = voice
        if len(self._voices) > _MOST_VOICES:
            self._voices.pop(next(iter(self._voices)))
        return voice


class _Judge:
    """The model itself. Called on one thread at a time."""

    def __init__(self, model: Path) -> None:
        stored = model.read_bytes()
        wide = with_speakers(stored)
        self._is_wide = wide is not None
        self._session = OnnxSession(wide or stored)

    def heard(self, sound: list[bytes], before: list[_Voice]) -> tuple[list[float], list[_Voice]]:
        """Scores, and what is to be remembered of each voice."""
        windows = [as_floats(pcm) for pcm in sound]
        inputs = np.stack(
            [np.concatenate((voice.context, window)) for voice, window in zip(before, windows, strict=True)]
        )
        hidden = np.stack([voice.hidden for voice in before])[None]
        cell = np.stack([voice.cell for voice in before])[None]
        scores, hidden, cell = (self._all_at_once if self._is_wide else self._one_by_one)(
            inputs, hidden, cell
        )
        after = [
            _Voice(hidden=hidden[0, row], cell=cell[0, row], context=window[-_CONTEXT_SAMPLES:])
            for row, window in enumerate(windows)
        ]
        return [float(score) for score in scores], after

    def _all_at_once(self, inputs: Floats, hidden: Floats, cell: Floats) -> tuple[Floats, Floats, Floats]:
        states = dict(zip(STATE_INPUTS, (hidden, cell), strict=True))
        scores, hidden, cell = self._session.run(
            OUTPUTS, {"input": inputs, "h": _ONE_STATE, "c": _ONE_STATE, **states}
        )
        return scores.ravel(), hidden, cell

    def _one_by_one(self, inputs: Floats, hidden: Floats, cell: Floats) -> tuple[Floats, Floats, Floats]:
        runs = [
            self._session.run(
                ("speech_probs", "hn", "cn"),
                {
                    "input": inputs[row : row + 1],
                    "h": hidden[:, row : row + 1],
                    "c": cell[:, row : row + 1],
                },
            )
            for row in range(len(inputs))
        ]
        scores, hiddens, cells = zip(*runs, strict=True)
        return np.concatenate(scores), np.concatenate(hiddens, axis=1), np.concatenate(cells, axis=1)
