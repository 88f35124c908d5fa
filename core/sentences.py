"""Sentences that people read, written so that a face can say them in another language (CMD-1).

A `Sentence` is its English text, and passes for it everywhere: in logs, in tests, towards a model. Beside the
text it remembers the words without their values, which are the key in a table of another language. So rules,
domains and failures say what is to be said, and none of them knows who reads it.
"""

from collections.abc import Mapping, Sequence
from typing import Self


class Sentence(str):
    """The English text. `template` has `{names}` where the `values` stand."""

    __slots__ = ("template", "values")

    template: str
    values: Mapping[str, object]

    def __new__(cls, template: str, values: Mapping[str, object]) -> Self:
        made = super().__new__(cls, template.format(**values) if values else template)
        made.template = template
        made.values = values
        return made

    def __str__(self) -> str:
        """Itself, so that an exception with such a message gives it back whole."""
        return self

    def __reduce__(self) -> tuple[type[Self], tuple[str, Mapping[str, object]]]:
        """How it is made anew where it is copied or stored."""
        return type(self), (self.template, self.values)


def sentence(template: str, /, **values: object) -> Sentence:
    """A sentence; a value may be one, too. Without values braces stand for themselves."""
    return Sentence(template, values)


def listed(parts: Sequence[str]) -> Sentence:
    """The parts with commas between; parts that are sentences stay so."""
    if len(parts) < 2:
        return sentence("{only}", only=parts[0]) if parts else sentence("")
    return sentence("{first}, {rest}", first=parts[0], rest=listed(parts[1:]))
