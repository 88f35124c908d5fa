"""How long a text is to Discord, and where a reader's characters begin and end (TEXT-2).

Discord's API counts code points, its editor counts UTF-16 code units (discord-api-docs issues 1315 and
1173). UTF-16 is never the smaller count, so a text that fits by it fits by both.
"""

import re
from itertools import accumulate

import regex

MESSAGE_LIMIT = 2_000
"""Most UTF-16 code units in the content of one message of a bot."""

_CLUSTER = regex.compile(r"\X")
_LONE_HALVES = re.compile("[\ud800-\udfff]")
_BEYOND_BMP = "\uffff"


def discord_length(text: str) -> int:
    """UTF-16 code units in `text`."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


class UnitOffsets:
    """UTF-16 offsets of the code points of one text, both ways."""

    __slots__ = ("_offsets",)

    def __init__(self, text: str) -> None:
        self._offsets: list[int] | None = None
        if text and max(text) > _BEYOND_BMP:
            self._offsets = list(accumulate((1 + (char > _BEYOND_BMP) for char in text), initial=0))

    def at(self, index: int) -> int:
        """UTF-16 code units before code point `index`."""
        return index if self._offsets is None else self._offsets[index]


def index_within(text: str, start: int, units: int) -> int:
    """The index up to which `text` takes at most `units` UTF-16 code units from `start` on."""
    candidate = text[start : start + units]
    if not candidate or max(candidate) <= _BEYOND_BMP:
        return start + len(candidate)
    used = 0
    for index, char in enumerate(candidate):
        used += 1 + (char > _BEYOND_BMP)
        if used > units:
            return start + index
    return start + len(candidate)


def cluster_starts(text: str) -> frozenset[int]:
    """Indices at which a grapheme cluster (Unicode UAX 29) begins, and the length of `text`."""
    return frozenset(match.end() for match in _CLUSTER.finditer(text)) | {0}


def whole_characters(text: str, *, final: bool) -> tuple[str, str]:
    """Join surrogate halves that a model's stream tore apart.

    Returns the clean text and a trailing high half that waits for its other half (empty when `final`);
    a half that stays alone becomes U+FFFD, as it cannot be sent.
    """
    if not _LONE_HALVES.search(text):
        return text, ""
    waiting = text[-1] if not final and "\ud800" <= text[-1] <= "\udbff" else ""
    whole = text[: len(text) - len(waiting)]
    return whole.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace"), waiting
