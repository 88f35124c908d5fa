"""How the model is told of the stickers that it may choose from (CORE-29, CORE-37)."""

from typing import Final

from core.markers.stickers import StickerCatalog
from core.prompts.plain_line import plain_line

_DESCRIPTION_LENGTH: Final = 120

_INSTRUCTIONS: Final = """\
# Stickers

A reply may hold one sticker, alone or with text, when it says something that words would not. Write its \
marker where it belongs, for example <|STICKER {example}|>. The stickers, with what they show:"""


def compose_stickers(catalog: StickerCatalog) -> str:
    """The instructions with one line per sticker; empty for an empty catalog."""
    if not catalog.entries:
        return ""
    lines = (f"- {entry.id}: {_described(entry.description)}" for entry in catalog.entries)
    return "\n".join((_INSTRUCTIONS.format(example=catalog.entries[0].id), *lines))


def _described(description: str) -> str:
    return plain_line(description.translate(_NO_MARKERS), limit=_DESCRIPTION_LENGTH)


_NO_MARKERS: Final = str.maketrans("<|>", "   ")
