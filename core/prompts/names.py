"""Names and other words of members, made fit to stand in a prompt (SCENE-3).

People choose these texts freely. Inside a prompt they must stay on one line and must not look like the
attribution `[time] Name (id):` that only the application writes.
"""

import unicodedata
from typing import Final

_NAME_LENGTH: Final = 64
_DROPPED: Final = frozenset("[](){}<>:|`［］（）｛｝＜＞：｜【】")
_UNNAMED: Final = "unnamed"


def plain_name(name: str) -> str:
    """`name` without control characters, brackets, colons and newlines; 1 to 64 characters."""
    kept = ("" if character in _DROPPED else character for character in name)
    return plain_line("".join(kept), limit=_NAME_LENGTH) or _UNNAMED


def plain_line(text: str, *, limit: int) -> str:
    """`text` on one line, control and invisible format characters gone, cut to `limit` characters."""
    visible = "".join(_visible(character) for character in text)
    line = " ".join(visible.split())
    return line if len(line) <= limit else f"{line[: limit - 1].rstrip()}…"


def _visible(character: str) -> str:
    category = unicodedata.category(character)
    if character.isspace() or category in {"Zl", "Zp"}:
        return " "
    return "" if category.startswith("C") else character
