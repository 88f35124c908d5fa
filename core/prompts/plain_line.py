"""Words of members, kept to one line of a prompt (SCENE-3)."""

import unicodedata


def plain_line(text: str, *, limit: int) -> str:
    """`text` on one line, control and invisible format characters gone, cut to `limit` characters."""
    # What is printable holds no control and no format character, and no blank but the space.
    visible = text if text.isprintable() else "".join(_visible(character) for character in text)
    line = " ".join(visible.split())
    return line if len(line) <= limit else f"{line[: limit - 1].rstrip()}…"


def _visible(character: str) -> str:
    if character.isspace():
        return " "
    return "" if unicodedata.category(character).startswith("C") else character
