"""Sound in a file that every player knows: Ogg with Opus, mono, about 3 kB a second of speech."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, cast

import av
import numpy as np

from voice.audio.frames import FULL_BAND_RATE_HZ

_BITS_PER_SECOND = 24_000


class _Stream(Protocol):
    """What is used of PyAV's audio stream; its own types are not complete."""

    bit_rate: int
    options: dict[str, str]

    def encode(self, frame: av.AudioFrame | None) -> Sequence[object]: ...


class _Container(Protocol):
    def add_stream(self, codec_name: str, *, rate: int, layout: str) -> _Stream: ...
    def mux(self, packets: Sequence[object]) -> None: ...
    def close(self) -> None: ...


class OpusFile:
    """Takes PCM, int16 little-endian, 48 kHz, mono, of any length. Blocks: belongs into a thread."""

    def __init__(self, path: Path) -> None:
        """Raises OSError."""
        self._container = cast("_Container", av.open(str(path), "w", format="ogg"))
        self._stream = self._container.add_stream("libopus", rate=FULL_BAND_RATE_HZ, layout="mono")
        self._stream.bit_rate = _BITS_PER_SECOND
        self._stream.options = {"compression_level": "5"}  # 10, the default, costs twice the time
        self.samples = 0

    def write(self, pcm: bytes) -> None:
        """Appends sound. Raises OSError."""
        samples = np.frombuffer(pcm, "<i2").reshape(1, -1)
        frame = av.AudioFrame.from_ndarray(samples, format="s16", layout="mono")
        frame.sample_rate = FULL_BAND_RATE_HZ
        frame.pts = self.samples
        self.samples += samples.shape[1]
        self._container.mux(self._stream.encode(frame))

    def close(self) -> None:
        """Completes the file. Raises OSError."""
        self._container.mux(self._stream.encode(None))
        self._container.close()
