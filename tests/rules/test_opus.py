"""Opus at the measured settings: straight to 16 kHz mono, loss concealed, hostile bytes refused."""

import math
from array import array
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice.audio import opus
from voice.audio.frames import HEARD_FRAME_BYTES, OPUS_SILENCE, SENT_FRAME_BYTES
from voice.audio.opus import BadOpus, Decoder, Encoder
from voice.transport.capabilities import voice_capabilities


def tone(frame: int, *, hertz: float = 440.0) -> bytes:
    """20 ms of a continuous tone, 48 kHz stereo."""
    samples = array("h")
    for index in range(frame * 960, (frame + 1) * 960):
        value = int(9_000 * math.sin(2 * math.pi * hertz * index / 48_000))
        samples.extend((value, value))
    return samples.tobytes()


def loudness(pcm: bytes) -> float:
    return float(np.sqrt(np.mean(np.frombuffer(pcm, "<i2").astype(float) ** 2)))


def test_a_tone_arrives_at_16_khz_mono() -> None:
    """VOX-4: decoded straight to 16 kHz mono: right length, right pitch, right loudness."""
    encoder, decoder = Encoder(), Decoder()
    heard = b"".join(decoder.decode(encoder.encode(tone(frame))) for frame in range(50))
    assert len(heard) == 50 * HEARD_FRAME_BYTES
    samples = np.frombuffer(heard, "<i2").astype(float)[1_600:]
    spectrum = np.abs(np.fft.rfft(samples))
    assert np.argmax(spectrum) * 16_000 / len(samples) == pytest.approx(440, abs=2)
    assert loudness(heard[3_200:]) == pytest.approx(9_000 / math.sqrt(2), rel=0.1)


def test_a_lost_frame_is_concealed_with_something_alike() -> None:
    encoder, decoder = Encoder(), Decoder()
    for frame in range(10):
        decoder.decode(encoder.encode(tone(frame)))
    concealed = decoder.conceal(320)
    assert len(concealed) == HEARD_FRAME_BYTES
    assert loudness(concealed) > 2_000
    assert len(decoder.recover(encoder.encode(tone(11)), 320)) == HEARD_FRAME_BYTES


def test_discords_silence_is_a_frame_of_silence() -> None:
    decoder = Decoder()
    assert opus.packet_samples(OPUS_SILENCE) == 320
    assert loudness(decoder.decode(OPUS_SILENCE)) == 0


@given(packet=st.binary(max_size=1_600))
def test_hostile_packets_are_refused_or_bounded(packet: bytes) -> None:
    """VOX-5: whatever the bytes, at most 120 ms of sound come out."""
    decoder = Decoder()
    with suppress(BadOpus):
        assert len(decoder.decode(packet)) <= 6 * HEARD_FRAME_BYTES
    with suppress(BadOpus):
        assert 0 < opus.packet_samples(packet) <= 1_920
    with suppress(BadOpus):
        assert len(decoder.recover(packet, 320)) == HEARD_FRAME_BYTES


def test_the_encoder_takes_whole_frames_only() -> None:
    with pytest.raises(BadOpus):
        Encoder().encode(bytes(SENT_FRAME_BYTES - 2))
    assert len(Encoder().encode(bytes(SENT_FRAME_BYTES))) < 400
    assert opus.version().startswith("libopus")


def test_this_machine_can_hear_and_speak() -> None:
    """VOX-1: what `/voice doctor` shows: Opus, DAVE and both ciphers work here."""
    found = voice_capabilities()
    assert found.problems == ()
    assert found.opus is not None
    assert found.dave_version == 1
