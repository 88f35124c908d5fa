"""What hearing gives and speaking takes: frames of 20 ms, and the facts around them.

Heard sound is int16 little-endian, 16 kHz, mono, 320 samples a frame, and 48 kHz, mono, 960 samples beside
it while somebody asks for that; sent sound is int16 little-endian, 48 kHz, stereo, 960 samples per channel.
RTP counts all of it at 48 kHz: 960 a frame.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

FRAME_MS = 20
FRAME_S = FRAME_MS / 1000
FRAME_TIMESTAMPS = 960
RTP_CLOCK_HZ = 48_000
HEARD_RATE_HZ = 16_000
HEARD_FRAME_SAMPLES = HEARD_RATE_HZ * FRAME_MS // 1000
HEARD_FRAME_BYTES = HEARD_FRAME_SAMPLES * 2
FULL_BAND_RATE_HZ = 48_000
SENT_RATE_HZ = 48_000
SENT_CHANNELS = 2
SENT_FRAME_BYTES = SENT_RATE_HZ * FRAME_MS // 1000 * SENT_CHANNELS * 2
OPUS_SILENCE = b"\xf8\xff\xfe"
"""The frame that Discord's clients send five times when a transmission ends; never encrypted by DAVE."""
SILENCE_FRAMES = 5


class Origin(Enum):
    """Where the sound of a frame comes from."""

    DECODED = "decoded"
    RECOVERED = "recovered"
    """From the forward error correction inside the next packet."""
    CONCEALED = "concealed"
    """Made up by the decoder for a lost packet."""


class HeardFrame(NamedTuple):
    """20 ms of one speaker: `pcm` has 320 samples, int16 little-endian, 16 kHz, mono.

    `position` counts at 48 kHz along the speaker's own clock and never runs backwards within a transmission;
    `skipped` is what of it passed since the frame before without sound (a pause or an unconcealed loss),
    in the same unit. `at` is when the frame left the jitter buffer, in seconds of the monotonic clock.
    `full_band` is the same sound with 960 samples, int16 little-endian, 48 kHz, mono, while
    `Call.hear_full_band` asks for it, else empty. A tuple, since one is made for each packet.
    """

    user_id: int
    ssrc: int
    pcm: bytes
    position: int
    at: float
    origin: Origin = Origin.DECODED
    skipped: int = 0
    full_band: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class TransmissionStarted:
    """The first frame of a speaker after a pause follows."""

    user_id: int
    ssrc: int
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TransmissionEnded:
    """The speaker's client stopped to send: silence frames, or no packets for a while."""

    user_id: int
    ssrc: int
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeakerLeft:
    """The user is gone from the call; no frame of this SSRC follows."""

    user_id: int
    at: float


HeardEvent = HeardFrame | TransmissionStarted | TransmissionEnded | SpeakerLeft


class SentFrames:
    """Cuts PCM of any length into sent frames; the last one is padded with silence."""

    __slots__ = ("_rest",)

    def __init__(self) -> None:
        self._rest = b""

    def cut(self, pcm: bytes) -> Iterator[bytes]:
        """Whole frames of 3,840 bytes; the rest waits for more."""
        joined = self._rest + pcm if self._rest else pcm
        whole = len(joined) - len(joined) % SENT_FRAME_BYTES
        self._rest = joined[whole:]
        for start in range(0, whole, SENT_FRAME_BYTES):
            yield joined[start : start + SENT_FRAME_BYTES]

    def last(self) -> bytes | None:
        """The partial frame at the end, padded; None when nothing is left."""
        rest, self._rest = self._rest, b""
        return rest.ljust(SENT_FRAME_BYTES, b"\0") if rest else None
