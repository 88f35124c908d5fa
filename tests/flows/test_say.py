"""`python -m bot say` as its own process."""

from pathlib import Path

import pytest

from bot.say import HOW_TO_INSTALL, installed_voice
from tests.flows.test_command_line import run


def test_the_reading_is_printed_without_any_settings(tmp_path: Path) -> None:
    """SPEECH-2: a person can try what a voice would say."""
    (tmp_path / ".env").write_text("LOG_LEVEL=LOUD\n")
    done = run(tmp_path, "say", "It is **$5** and $x^2$.")
    assert (done.returncode, done.stdout) == (0, "It is five dollars and x squared.\n")


def test_the_language_is_the_voices(tmp_path: Path) -> None:
    """SPEECH-8: without words, the voice's language reads."""
    assert run(tmp_path, "say", "$x^2$", "--language", "ja").stdout == "xの二乗\n"


def test_a_file_needs_a_voice(tmp_path: Path) -> None:
    """SPEECH-2: without a voice the reading is still printed, and one line says what is missing."""
    if installed_voice() is not None:
        pytest.skip("a voice is installed here")
    done = run(tmp_path, "say", "Hi.", "--out", "hi.wav")
    assert (done.returncode, done.stdout, done.stderr) == (1, "Hi.\n", HOW_TO_INSTALL + "\n")
    assert not (tmp_path / "hi.wav").exists()


def test_a_voice_writes_the_file(tmp_path: Path) -> None:
    """SPEECH-2: with a voice, `--out` holds speech."""
    if installed_voice() is None:
        pytest.skip("piper-tts and a voice are not installed")
    assert run(tmp_path, "say", "Hello there.", "--out", "hi.wav").returncode == 0
    assert (tmp_path / "hi.wav").read_bytes()[:4] == b"RIFF"
