"""A Whisper model from the hub, fetched because somebody asked for it by name, and never otherwise.

The hub's client shows the progress, goes on with what is half there, and keeps large files under their
SHA-256: that name is held against the file.
"""

import re
from collections.abc import Callable
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

from voice.providers.packaged_files import ModelMissing

Fetch = Callable[[str], Path]
"""Brings a repository of the hub (owner/name) into its cache; gives the folder, raises what it likes."""

_FILES = ("config.json", "preprocessor_config.json", "model.bin", "tokenizer.json", "vocabulary.*")
_MODELS_OF_FASTER_WHISPER = "_MODELS"  # the public list has the names alone
_CHECKSUM = re.compile(r"[0-9a-f]{64}")


def pull_whisper(name: str, fetch: Fetch | None = None) -> Path:
    """The folder of the model, whole and checked. Blocks for minutes.

    Raises:
        ModelMissing: there is no such model, the hub did not give it, or it is damaged; one line says what.
    """
    repository = name if "/" in name else _known().get(name)
    if repository is None:
        raise ModelMissing(f"{name} is no known Whisper model; there are {', '.join(_known())}")
    try:
        folder = (fetch or _from_hub)(repository)
    except Exception as error:
        raise ModelMissing(f"{repository} could not be fetched ({type(error).__name__})") from error
    _check(folder / "model.bin", repository)
    return folder


def _check(weights: Path, repository: str) -> None:
    if not weights.is_file():
        raise ModelMissing(f"{repository} holds no CTranslate2 model")
    stored = weights.resolve()
    if not _CHECKSUM.fullmatch(stored.name):
        raise ModelMissing(
            f"{repository} came without a checksum: remove it from the hub's cache and try again"
        )
    found = sha256()
    with stored.open("rb") as file:
        while block := file.read(1024 * 1024):
            found.update(block)
    if found.hexdigest() != stored.name:
        stored.unlink()
        raise ModelMissing(f"{repository} was damaged on its way: try again")


def _known() -> dict[str, str]:
    """Name -> repository, as faster-whisper knows them."""
    utilities: Any = import_module("faster_whisper.utils")  # 0.5 s, wanted by this command alone
    models: dict[str, str] = getattr(utilities, _MODELS_OF_FASTER_WHISPER)
    return models


def _from_hub(repository: str) -> Path:
    hub: Any = import_module("huggingface_hub")
    return Path(hub.snapshot_download(repository, allow_patterns=list(_FILES)))
