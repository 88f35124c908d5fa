"""Sound of any rate as 48 kHz stereo: the same tone, the same length, wherever the stream is cut."""

from collections.abc import AsyncIterator
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice.audio.resampling import StreamResampler, resampled


def tone(rate_hz: int, seconds: float, *, pitch_hz: float = 440.0) -> bytes:
    at = np.arange(int(rate_hz * seconds)) / rate_hz
    return (np.sin(2 * np.pi * pitch_hz * at) * 9_000).astype("<i2").tobytes()


def whole(pcm: bytes, rate_hz: int) -> bytes:
    stream = StreamResampler(rate_hz)
    return stream.feed(pcm) + stream.end()


def alike(first: bytes, second: bytes) -> None:
    """Equal up to the dither of the last bits."""
    assert len(first) == len(second)
    there, here = (np.frombuffer(pcm, "<i2").astype(int) for pcm in (first, second))
    assert np.abs(there - here).max(initial=0) <= 3


@pytest.mark.parametrize("rate_hz", [16_000, 22_050, 24_000, 44_100, 48_000])
def test_a_tone_keeps_its_pitch_its_length_and_its_loudness(rate_hz: int) -> None:
    """VOX-22: what a synthesiser gives is resampled to what is sent: 48 kHz, two equal channels."""
    sent = np.frombuffer(whole(tone(rate_hz, 0.5), rate_hz), "<i2").reshape(-1, 2)
    assert abs(len(sent) - 24_000) <= 3
    assert (sent[:, 0] == sent[:, 1]).all()
    there = sent[2_000:22_000, 0].astype(float)
    wanted = np.frombuffer(tone(48_000, 0.5), "<i2")[2_000:22_000]
    assert np.abs(there - wanted).max() < 200


@given(st.binary(max_size=4_000), st.lists(st.integers(0, 4_000), max_size=6))
def test_a_stream_is_the_same_wherever_it_is_cut(pcm: bytes, cuts: list[int]) -> None:
    stream = StreamResampler(22_050)
    places = sorted({0, len(pcm), *(cut for cut in cuts if cut < len(pcm))})
    pieces = [stream.feed(pcm[start:end]) for start, end in pairwise(places)]
    alike(b"".join(pieces) + stream.end(), whole(pcm, 22_050))


async def test_long_chunks_are_worked_on_in_order_beside_the_loop() -> None:
    pcm = tone(24_000, 2.0)

    async def chunks() -> AsyncIterator[bytes]:
        for start in range(0, len(pcm), 31_001):
            yield pcm[start : start + 31_001]

    sent = b"".join([sound async for sound in resampled(chunks(), from_rate_hz=24_000)])
    alike(sent, whole(pcm, 24_000))


def test_an_impossible_rate_is_refused() -> None:
    with pytest.raises(ValueError, match="no rate"):
        StreamResampler(0)
