"""Sound out of a file of any usual kind, as the hearing side takes it: int16 little-endian, 16 kHz, mono."""

from io import BytesIO
from typing import Protocol, cast

import av
import numpy as np
from av.error import FFmpegError

from voice.audio.frames import HEARD_RATE_HZ

_BYTES_PER_SAMPLE = 2


class _Container(Protocol):
    """What is used of PyAV's reader; its own types are not complete."""

    def decode(self, *, audio: int) -> "list[av.AudioFrame]": ...
    def close(self) -> None: ...


class NoSound(Exception):
    """The bytes are no sound that can be read."""


def sound_of(content: bytes, *, most_s: float) -> bytes:
    """The first `most_s` seconds. Blocks: belongs into a thread.

    Raises:
        NoSound: the bytes are something else, or broken from their beginning.
    """
    most = int(most_s * HEARD_RATE_HZ) * _BYTES_PER_SAMPLE
    pcm = bytearray()
    try:
        container = cast("_Container", av.open(BytesIO(content)))
        try:
            resampler = av.AudioResampler(format="s16", layout="mono", rate=HEARD_RATE_HZ)
            for frame in container.decode(audio=0):
                for resampled in resampler.resample(frame):
                    pcm += np.ascontiguousarray(resampled.to_ndarray(), dtype="<i2").tobytes()
                if len(pcm) >= most:
                    break
        finally:
            container.close()
    except (FFmpegError, IndexError, ValueError) as error:
        if not pcm:
            raise NoSound(type(error).__name__) from error
    return bytes(pcm[:most])
