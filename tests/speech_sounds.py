"""Sound for tests of speech services, and what comes of it."""

import asyncio
from contextlib import aclosing

import numpy as np

from voice.input.speech_to_text import Transcript, Transcription
from voice.output.text_to_speech import SynthesisChunk, TextToSpeech

FRAME_BYTES = 640
"""20 ms at 16 kHz."""


def tone(seconds: float, *, loudness: int = 8_000, rate_hz: int = 16_000) -> bytes:
    """What counts as a voice for everything that does not listen closely; int16, mono."""
    at = np.arange(int(seconds * rate_hz)) / rate_hz
    return (loudness * np.sin(2 * np.pi * 220 * at)).astype("<i2").tobytes()


def hush(seconds: float) -> bytes:
    """A quiet room; int16, 16 kHz, mono."""
    noise = np.random.default_rng(7).standard_normal(int(seconds * 16_000))
    return (noise * 20).astype("<i2").tobytes()


def write_frames(transcription: Transcription, pcm: bytes) -> None:
    """Frame by frame, without waiting."""
    for start in range(0, len(pcm), FRAME_BYTES):
        transcription.write(pcm[start : start + FRAME_BYTES])


async def transcripts_of(transcription: Transcription, *, within_s: float = 20.0) -> list[Transcript]:
    """All of them, up to the end."""
    async with asyncio.timeout(within_s):
        return [transcript async for transcript in transcription.transcripts()]


async def spoken_by(service: TextToSpeech, text: str, *, within_s: float = 20.0) -> list[SynthesisChunk]:
    """All sound of one segment."""
    async with asyncio.timeout(within_s), aclosing(service.speak(text, language="en")) as chunks:
        return [chunk async for chunk in chunks]


def seconds_of(chunks: list[SynthesisChunk]) -> float:
    """How long the sound lasts: 48 kHz, stereo."""
    return sum(len(chunk.pcm) for chunk in chunks) / 4 / 48_000
