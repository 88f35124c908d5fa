"""Reads values that people wrote in YAML or JSON, one by one, and says which one is wrong."""

from collections.abc import Mapping
from typing import cast

from core.sentences import sentence


class FormRefused(Exception):
    """A value has a wrong form. The message names its place in one sentence, for whoever wrote it."""


class FormReader:
    """The values of one mapping; `where` is its place, empty for the whole form."""

    def __init__(self, form: object, where: str) -> None:
        self._where = where
        if not isinstance(form, Mapping):
            raise FormRefused(sentence("{it} has no names with values.", it=where or sentence("This")))
        self._form = cast("Mapping[object, object]", form)

    def refused(self, name: str, expected: str) -> FormRefused:
        """The refusal of a value, in words."""
        place = f"{self._where}.{name}" if self._where else name
        return FormRefused(sentence("`{place}` {expected}.", place=place, expected=expected))

    def text(self, name: str) -> str:
        """A text that must be there; a number or yes and no are taken for the text that they are."""
        value = self._form.get(name)
        if value is None or isinstance(value, Mapping | list):
            raise self.refused(name, sentence("is missing") if value is None else sentence("must be a text"))
        return _as_text(value)

    def text_or(self, name: str, default: str) -> str:
        """A text, or the default."""
        return default if self._form.get(name) is None else self.text(name)

    def flag(self, name: str, *, default: bool = False) -> bool:
        """Yes or no."""
        value = self._form.get(name, default)
        if not isinstance(value, bool):
            raise self.refused(name, sentence("must be true or false"))
        return value

    def number_or(self, name: str, default: int) -> int:
        """A whole number, or the default."""
        value = self._form.get(name, default)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.refused(name, sentence("must be a whole number"))
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts, or one text with commas."""
        value = self._form.get(name)
        if value is None:
            return ()
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        if not isinstance(value, list):
            raise self.refused(name, sentence("must be a list"))
        items = cast("list[object]", value)
        if any(isinstance(item, Mapping | list) for item in items):
            raise self.refused(name, sentence("must be a list of texts"))
        return tuple(_as_text(item) for item in items if item is not None)

    def inner(self, name: str) -> "FormReader | None":
        """A mapping inside, or None when it is left out."""
        value = self._form.get(name)
        if value is None:
            return None
        if not isinstance(value, Mapping):
            raise self.refused(name, sentence("must hold names with values"))
        return FormReader(cast("object", value), f"{self._where}.{name}" if self._where else name)

    def each(self, name: str) -> "tuple[FormReader, ...]":
        """A list of mappings; empty when it is left out."""
        value = self._form.get(name)
        if value is None:
            return ()
        if not isinstance(value, list):
            raise self.refused(name, sentence("must be a list"))
        place = f"{self._where}.{name}" if self._where else name
        items = cast("list[object]", value)
        return tuple(FormReader(item, f"{place}[{number}]") for number, item in enumerate(items, 1))


def _as_text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"  # YAML reads an unquoted yes as a truth
    return str(value)
