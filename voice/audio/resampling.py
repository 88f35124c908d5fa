"""Sound of a synthesiser as sound that is sent (VOX-22): mono of any rate in, 48 kHz stereo out, as a stream.

One `StreamResampler` is one stretch of sound: it remembers what the filter still needs, so chunks may be cut
anywhere, also within a sample. A long chunk is worth a thread: half a second costs about half a millisecond.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable
from typing import Final

import numpy as np
import soxr  # pyright: ignore[reportMissingTypeStubs] # compiled, without stubs

from voice.audio.frames import SENT_RATE_HZ

_SAMPLE_BYTES: Final = 2
_LONG_CHUNK_S: Final = 0.5


class StreamResampler:
    """int16 little-endian mono at `from_rate_hz` -> int16 little-endian, 48 kHz, stereo.

    About 35 ms of the newest sound stay inside until more comes or the stream ends.

    Raises:
        ValueError: a rate that no sound has.
    """

    def __init__(self, from_rate_hz: int) -> None:
        if not 4_000 <= from_rate_hz <= 384_000:
            raise ValueError(f"{from_rate_hz} Hz is no rate of sound")
        self._rest = b""
        self._stream = (
            None
            if from_rate_hz == SENT_RATE_HZ
            else soxr.ResampleStream(from_rate_hz, SENT_RATE_HZ, 1, dtype="int16")
        )

    def feed(self, pcm: bytes) -> bytes:
        """The sound that `pcm` completes."""
        pcm = self._rest + pcm
        whole = len(pcm) - len(pcm) % _SAMPLE_BYTES
        self._rest = pcm[whole:]
        return self._resampled(pcm[:whole], last=False)

    def end(self) -> bytes:
        """The sound that was still inside; half a sample at the end is dropped. Nothing is fed after it."""
        return self._resampled(b"", last=True)

    def _resampled(self, pcm: bytes, *, last: bool) -> bytes:
        mono = np.frombuffer(pcm, "<i2")
        if self._stream is not None:
            mono = self._stream.resample_chunk(mono, last=last)
        return np.repeat(mono.astype("<i2", copy=False), 2).tobytes()


async def resampled(chunks: AsyncIterable[bytes], *, from_rate_hz: int) -> AsyncGenerator[bytes]:
    """Every chunk as 48 kHz stereo as soon as it comes; a long one is worked on beside the loop."""
    stream = StreamResampler(from_rate_hz)
    long_chunk = int(_LONG_CHUNK_S * from_rate_hz) * _SAMPLE_BYTES
    async for chunk in chunks:
        beside = len(chunk) > long_chunk
        sound = await asyncio.to_thread(stream.feed, chunk) if beside else stream.feed(chunk)
        if sound:
            yield sound
    if sound := stream.end():
        yield sound
