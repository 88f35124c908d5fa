"""What a deployment knows better than the table of models, as one line of text (CORE-16).

    vision-*=images; qwen3:8b=images,-tools; *=-stream_usage

Each entry names models, with * and ? as in names of files, and what to add to the table's word on them, or,
after a minus, to take away. Where several entries name a model, later ones have the last word.
"""

from dataclasses import dataclass, fields, replace
from fnmatch import fnmatchcase
from typing import Final, Self

from core.generation.capabilities import Capabilities, TokenCap

_FLAGS: Final = tuple(field.name for field in fields(Capabilities) if field.type is bool)
_TOKEN_CAP: Final = TokenCap.MAX_COMPLETION_TOKENS.value
CAPABILITY_WORDS: Final = (*_FLAGS, _TOKEN_CAP)
"""The flags of `Capabilities`, and the name of the token cap that a model wants in place of `max_tokens`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CapabilityChange:
    """One entry: words and whether they hold."""

    models: str
    words: tuple[tuple[str, bool], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CapabilityChanges:
    """All entries in order."""

    entries: tuple[CapabilityChange, ...] = ()

    @classmethod
    def read(cls, text: str) -> Self:
        """The changes that `text` means.

        Raises:
            ValueError: it says what is expected, and nothing of what was given.
        """
        return cls(entries=tuple(_entry(part) for part in text.split(";") if part.strip()))

    def applied(self, known: Capabilities, model: str) -> Capabilities:
        """The table's `known` of a model as the deployment has it, whatever path or vendor is in its name."""
        names = (model.lower(), model.lower().rpartition("/")[2])
        for entry in self.entries:
            if any(fnmatchcase(name, entry.models) for name in names):
                known = _changed(known, entry.words)
        return known


def _entry(text: str) -> CapabilityChange:
    models, _, told = text.partition("=")
    words = tuple(_word(word) for word in told.split(",") if word.strip())
    if not models.strip() or not words:
        raise _expected()
    return CapabilityChange(models=models.strip().lower(), words=words)


def _word(text: str) -> tuple[str, bool]:
    word = text.strip().lower()
    name = word.removeprefix("-")
    if name not in CAPABILITY_WORDS:
        raise _expected()
    return name, not word.startswith("-")


def _expected() -> ValueError:
    return ValueError(f"MODEL=words, with ; between models, the words out of {', '.join(CAPABILITY_WORDS)}")


def _changed(known: Capabilities, words: tuple[tuple[str, bool], ...]) -> Capabilities:
    flags = {name: holds for name, holds in words if name in _FLAGS}
    caps = [
        TokenCap.MAX_COMPLETION_TOKENS if holds else TokenCap.MAX_TOKENS
        for name, holds in words[::-1]
        if name == _TOKEN_CAP
    ]
    return replace(known, token_cap=caps[0] if caps else known.token_cap, **flags)


NO_CHANGES: Final = CapabilityChanges()
