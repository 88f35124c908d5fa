"""`python -m bot say` as its own process."""

import wave
from pathlib import Path

import pytest

from bot.cli import main
from tests.flows.test_command_line import run
from voice.providers.packaged_files import PIPER_ENGINE, PIPER_VOICE, is_installed


def test_the_reading_is_printed_without_any_settings(tmp_path: Path) -> None:
    """SPEECH-2: a person can try what a voice would say."""
    (tmp_path / ".env").write_text("LOG_LEVEL=LOUD\n")
    done = run(tmp_path, "say", "It is **$5** and $x^2$.")
    assert (done.returncode, done.stdout) == (0, "It is five dollars and x squared.\n")


def test_the_language_is_the_voices(tmp_path: Path) -> None:
    """SPEECH-8: without words, the voice's language reads."""
    assert run(tmp_path, "say", "$x^2$", "--language", "ja").stdout == "xの二乗\n"


def test_a_file_needs_a_voice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """SPEECH-2: without a voice the reading is still printed, and one line says what is missing."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text("PIPER_VOICE=nowhere.onnx\n")
    code = main(["say", "Hi.", "--out", "hi.wav"])
    told = capsys.readouterr()
    assert (code, told.out) == (1, "Hi.\n")
    assert told.err.startswith("Nothing can be said in voice channels: ")
    assert not (tmp_path / "hi.wav").exists()


@pytest.mark.timeout(180)
def test_a_voice_writes_the_file(tmp_path: Path) -> None:
    """SPEECH-2, VOX-22: with a voice, `--out` holds speech; it is the voice of voice channels."""
    if not (is_installed(PIPER_ENGINE) and is_installed(PIPER_VOICE[0])):
        pytest.skip("piper-tts and a voice are not installed")
    done = run(tmp_path, "say", "Hello there.", "--out", "hi.wav")
    assert (done.returncode, done.stderr) == (0, "")
    with wave.open(str(tmp_path / "hi.wav")) as file:
        assert (file.getframerate(), file.getnchannels()) == (48_000, 2)
        assert 0.3 < file.getnframes() / 48_000 < 3
