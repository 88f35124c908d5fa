"""Text files as parts of a message: how they stand in it, and how they are found again. Pure."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from core.conversation.content import Text, UserContent

_WHOLE: Final = re.compile(
    r"\[attached file (?P<name>[^\n]+):\]\n(?P<text>.*)\n\[end of (?P=name)\]", re.DOTALL
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachedText:
    """A text file."""

    name: str
    text: str


def shown_attachment(file: AttachedText, most: int) -> str:
    """The file as a model reads it: whole, or its first `most` characters; a cut one says so."""
    if len(file.text) <= most:
        return f"[attached file {file.name}:]\n{file.text}\n[end of {file.name}]"
    total = len(file.text)
    if most == 0:
        return f"[attached file {file.name}: no room for its {total:,} characters]"
    return f"[attached file {file.name}:]\n{file.text[:most]}\n[cut here: {most:,} of {total:,} characters]"


def attached_texts(content: Iterable[UserContent]) -> tuple[AttachedText, ...]:
    """The text files that stand whole in a message."""
    texts = (part.text for part in content if isinstance(part, Text))
    found = (_WHOLE.fullmatch(text) for text in texts)
    return tuple(AttachedText(name=one["name"], text=one["text"]) for one in found if one is not None)
