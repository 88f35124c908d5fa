"""The stickers that a reply may choose from (CORE-37).

A sticker is an id and words that tell the model what it shows. Artwork, its storage and its addresses belong
to whoever renders the reply.
"""

from dataclasses import dataclass
from typing import Final

_LONGEST_ID: Final = 100
_RESERVED: Final = frozenset("<|>{}'\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class StickerEntry:
    """`description` is for the model: the image's name, its mood, its tags.

    Raises:
        ValueError: the id cannot stand in a marker.
    """

    id: str
    description: str

    def __post_init__(self) -> None:
        fits = 0 < len(self.id) <= _LONGEST_ID and self.id == " ".join(self.id.split())
        if not fits or _RESERVED & set(self.id):
            message = "a sticker id is one line of at most 100 characters without < | > { } '"
            raise ValueError(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class StickerCatalog:
    """The stickers of one send, as they were when it was submitted (CORE-29).

    Raises:
        ValueError: two entries share an id.
    """

    entries: tuple[StickerEntry, ...] = ()

    def __post_init__(self) -> None:
        if len({entry.id for entry in self.entries}) != len(self.entries):
            message = "sticker ids are unique in a catalog"
            raise ValueError(message)

    def knows(self, sticker_id: str) -> bool:
        """Whether `sticker_id` names an entry."""
        return any(entry.id == sticker_id for entry in self.entries)
