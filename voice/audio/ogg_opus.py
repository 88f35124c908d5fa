"""Sound as a file that every client of Discord plays: Opus in Ogg (RFC 7845)."""

from io import BytesIO
from typing import Any, Final

import av
import numpy as np

from voice.audio.frames import SENT_CHANNELS, SENT_RATE_HZ

_BITS_PER_SECOND: Final = 32_000


def ogg_opus(pcm: bytes) -> bytes:
    """`pcm` is int16 little-endian, 48 kHz, stereo; a voice needs one channel, so the left one is kept.

    Blocks: a minute of sound takes about 300 ms.
    """
    left = np.frombuffer(pcm, dtype="<i2").reshape(-1, SENT_CHANNELS)[:, 0]
    written = BytesIO()
    container: Any  # PyAV's stubs know the stream only by its codec's name
    with av.open(written, "w", format="ogg") as container:
        stream = container.add_stream("libopus", rate=SENT_RATE_HZ, layout="mono")
        stream.bit_rate = _BITS_PER_SECOND
        frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(left).reshape(1, -1), "s16", "mono")
        frame.sample_rate = SENT_RATE_HZ
        for packet in (*stream.encode(frame), *stream.encode(None)):
            container.mux(packet)
    return written.getvalue()
