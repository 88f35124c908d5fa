"""Readings spoken by a real voice and recognised again: the word error of what a listener would hear.

`python -m benchmarks.speech_round_trip [COUNT]` goes through the bot's own services on this machine; without
their packages it says so and ends. What is heard is read by `to_speech_text` too, so that "5 km" and "five
kilometers" count as the same words.
"""

import asyncio
import sys
import time
import tomllib
from contextlib import aclosing
from pathlib import Path

import numpy as np
import soxr

from bot.settings import Settings
from bot.wiring.speech import speech_services
from voice.input.speech_to_text import SpeechToText
from voice.output.text_to_speech import TextToSpeech
from voice.speech_text import to_speech_text

ROOT = Path(__file__).resolve().parents[1]
TABLES = ROOT / "tests" / "data" / "speech"
TOPICS = ("prose", "money", "maths", "units", "chemistry", "discord")
SHORTEST = 4


def readings(count: int) -> list[str]:
    """English readings of at least four words, evenly from every topic."""
    chosen: list[str] = []
    for topic in TOPICS:
        said = [pair[1] for pair in tomllib.loads((TABLES / f"en-{topic}.toml").read_text("utf-8"))["say"]]
        long_enough = [text for text in said if len(text.split()) >= SHORTEST]
        wanted = count // len(TOPICS)
        step = max(1, len(long_enough) // wanted)
        chosen += long_enough[::step][:wanted]
    return chosen


async def spoken(mouth: TextToSpeech, text: str) -> bytes:
    """The sound of a text as a microphone gives it: int16, 16 kHz, mono."""
    async with aclosing(mouth.speak(text, language="en")) as chunks:
        stereo = b"".join([chunk.pcm async for chunk in chunks])
    return soxr.resample(np.frombuffer(stereo, "<i2")[::2], 48_000, 16_000).astype("<i2").tobytes()


async def heard(ear: SpeechToText, sound: bytes) -> str:
    """What is understood of it."""
    utterance = ear.begin(language="en")
    utterance.write(sound)
    utterance.finish()
    return [transcript.text async for transcript in utterance.transcripts()][-1]


def words(text: str) -> list[str]:
    """Words as they are heard, without case and punctuation."""
    said = to_speech_text(text).lower()
    return "".join(letter if letter.isalnum() or letter in " '" else " " for letter in said).split()


def errors(wanted: list[str], heard: list[str]) -> int:
    """Words to insert, delete or change (Levenshtein)."""
    row = list(range(len(heard) + 1))
    for place, word in enumerate(wanted, 1):
        previous, row[0] = row[0], place
        for column, other in enumerate(heard, 1):
            previous, row[column] = (
                row[column],
                min(row[column] + 1, row[column - 1] + 1, previous + (word != other)),
            )
    return row[-1]


async def main() -> None:
    """Prints each reading that was heard otherwise, and the word error of all."""
    texts = readings(int(sys.argv[1]) if len(sys.argv) > 1 else 60)
    wrong = total = 0
    took_s = sound_s = 0.0
    async with speech_services(Settings()) as services:
        if services.speech_to_text is None or services.text_to_speech is None:
            sys.exit("skipped: " + " ".join(services.missing))
        await services.warm_up()
        for text in texts:
            sound = await spoken(services.text_to_speech, text)
            started = time.perf_counter()
            found = await heard(services.speech_to_text, sound)
            took_s += time.perf_counter() - started
            sound_s += len(sound) / 32_000
            missed = errors(words(text), words(found))
            wrong, total = wrong + missed, total + len(words(text))
            if missed:
                print(f"{missed}/{len(words(text))}  {text}\n      heard: {found}")
    print(f"{len(texts)} readings, {total} words, word error {100 * wrong / total:.1f} %")
    print(f"heard in {1000 * took_s / len(texts):.0f} ms an utterance, {took_s / sound_s:.2f} of its length")


if __name__ == "__main__":
    asyncio.run(main())
