"""Halves of a character that a provider sent as JSON escapes, joined across deltas."""

import re

_ANY = re.compile(r"[\ud800-\udfff]")


class SurrogateJoiner:
    """Text without lone surrogates, which nothing after us could store or send."""

    def __init__(self) -> None:
        self._high = ""

    def feed(self, piece: str) -> str:
        """`piece`, behind the half that the last one ended with."""
        text, self._high = self._high + piece, ""
        if not _ANY.search(text):
            return text
        if "\ud800" <= text[-1] <= "\udbff":
            text, self._high = text[:-1], text[-1]
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    def end(self) -> str:
        """A half that found no other."""
        lone, self._high = bool(self._high), ""
        return "\ufffd" if lone else ""
