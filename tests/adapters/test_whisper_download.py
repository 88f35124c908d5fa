"""A model that somebody asked for, from a hub that gives what it should, or not."""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from bot.cli import main
from voice.providers.packaged_files import ModelMissing
from voice.providers.whisper_download import pull_whisper

WEIGHTS = b"weights"


def hub(folder: Path, *, stored: bytes = WEIGHTS, links: bool = True) -> Callable[[str], Path]:
    """Stores as the hub's client does: the file under its checksum, the model's name as a link to it."""

    def fetch(repository: str) -> Path:
        snapshot = folder / repository.replace("/", "--")
        snapshot.mkdir()
        blob = snapshot / sha256(WEIGHTS).hexdigest()
        blob.write_bytes(stored)
        if links:
            (snapshot / "model.bin").symlink_to(blob)
        else:
            blob.rename(snapshot / "model.bin")
        return snapshot

    return fetch


def test_a_model_is_fetched_by_its_name_and_checked(tmp_path: Path) -> None:
    """VOX-21: the hub by name, only when the user asked for that model."""
    folder = pull_whisper("small", hub(tmp_path))
    assert folder.name == "Systran--faster-whisper-small"
    assert pull_whisper("someone/model", hub(tmp_path)).name == "someone--model"


def test_a_damaged_file_is_thrown_away(tmp_path: Path) -> None:
    """VOX-21: a checksum."""
    with pytest.raises(ModelMissing, match="damaged on its way"):
        pull_whisper("small", hub(tmp_path, stored=b"weighty"))
    assert not list(tmp_path.rglob(sha256(WEIGHTS).hexdigest()))
    with pytest.raises(ModelMissing, match="without a checksum"):
        pull_whisper("tiny", hub(tmp_path, links=False))


def test_a_hub_that_does_not_answer_is_one_line(tmp_path: Path) -> None:
    def fetch(repository: str) -> Path:
        raise ConnectionError(repository)

    with pytest.raises(ModelMissing, match=r"could not be fetched \(ConnectionError\)"):
        pull_whisper("small", fetch)


def test_the_command_says_which_models_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    """VOX-21: `python -m bot models pull NAME`; an unknown name asks nobody."""
    assert main(["models", "pull", "smal"]) == 1
    assert capsys.readouterr().err.startswith("smal is no known Whisper model; there are tiny.en, tiny, ")
