"""`python -m bot say "text"`: prints what a voice would say; plays it, or writes it into a file.

The voice is the one that voice channels have, by the same settings.
"""

import asyncio
import io
import shutil
import subprocess
import sys
import tempfile
import textwrap
import wave
from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path
from typing import Final

from bot.settings import Settings
from bot.settings_source import SettingsInvalid, load_settings
from voice import (
    SENT_CHANNELS,
    SENT_RATE_HZ,
    SpeechFailed,
    to_speech_text,
)

_PLAYERS: Final = (
    ("aplay", "-q"),
    ("paplay",),
    ("afplay",),
    ("ffplay", "-nodisp", "-autoexit", "-loglevel", "error"),
)
_LONGEST_S: Final = 600
_SEGMENT: Final = 1_000
"""Characters that are spoken in one."""


class VoiceUnavailable(Exception):
    """Nothing here can speak; the message says what to do about it."""


def say(text: str, *, language: str, out: Path | None) -> None:
    """Prints the reading; writes it to `out`, or plays it where it can. Raises `VoiceUnavailable`."""
    reading = to_speech_text(text, language=language)
    print(reading, flush=True)  # noqa: T201 - the reading is what was asked for
    if out is not None:
        sound = _spoken(reading, language)
        try:
            out.write_bytes(sound)
        except OSError as error:
            raise VoiceUnavailable(f"{out} cannot be written: {error.strerror}") from error
        return
    player = next((player for player in _PLAYERS if shutil.which(player[0])), None)
    if reading and player is not None and sys.stdout.isatty():
        _play(player, _spoken(reading, language))


def _spoken(reading: str, language: str) -> bytes:
    """A WAV file: 48 kHz, stereo."""
    file = io.BytesIO()
    with wave.open(file, "wb") as written:
        written.setnchannels(SENT_CHANNELS)
        written.setsampwidth(2)
        written.setframerate(SENT_RATE_HZ)
        written.writeframes(asyncio.run(_synthesised(reading, language, _settings())))
    return file.getvalue()


async def _synthesised(reading: str, language: str, settings: Settings) -> bytes:
    from bot.wiring.speech import speech_services  # noqa: PLC0415 - the reading is printed without the adapters

    async with speech_services(settings) as services:
        if services.text_to_speech is None:
            raise VoiceUnavailable(" ".join(services.missing) or "TTS_PROVIDER=off: nothing shall be spoken")
        sound = bytearray()
        try:
            for segment in _segments(reading):
                async with aclosing(services.text_to_speech.speak(segment, language=language)) as chunks:
                    async for chunk in chunks:
                        sound += chunk.pcm
        except SpeechFailed as failed:
            raise VoiceUnavailable(f"the voice failed: {failed.reason}") from failed
    return bytes(sound)


def _segments(reading: str) -> Iterator[str]:
    for paragraph in reading.splitlines():
        yield from textwrap.wrap(paragraph, _SEGMENT, break_on_hyphens=False)


def _settings() -> Settings:
    """A file that cannot be read is the doctor's matter: the voice of this machine speaks all the same."""
    try:
        return load_settings()
    except SettingsInvalid:
        return Settings()


def _play(player: tuple[str, ...], sound: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "reading.wav"
        file.write_bytes(sound)
        subprocess.run([*player, str(file)], timeout=_LONGEST_S, check=False)  # noqa: S603 - a player from the list
