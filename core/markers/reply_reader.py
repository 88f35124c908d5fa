"""One reply as its scene may have it: text, at most one known sticker, pauses and tones (CORE-29, CORE-37).

Puts the parser, the stripper of a self-written prefix and the rules of a reply together. Blanks at the very
start of a reply are dropped, and a marker that vanishes between two blanks takes one of them along.
"""

from typing import assert_never

from core.markers.parser import Delay, Emote, Literal, MarkerParser, Piece, Silent, Sticker, Unknown
from core.markers.self_prefix import SelfPrefixStripper
from core.markers.stickers import StickerCatalog

ReplyPiece = Literal | Sticker | Silent | Delay | Emote


class ReplyReader:
    """One reply's stream: `feed` every chunk in order, `next_round` between model requests, then `end` once.

    `Silent` comes out only when silence was offered and nothing visible came before it; nothing follows it
    (CORE-20). `Sticker` comes out once, for the first id that the catalog knows; other ids and unknown
    markers vanish.
    """

    def __init__(
        self,
        *,
        stickers: StickerCatalog | None = None,
        silence_offered: bool = False,
        own_names: tuple[str, ...] = (),
    ) -> None:
        self._parser = MarkerParser()
        self._own_names = own_names
        self._prefix = SelfPrefixStripper(own_names)
        self._stickers = stickers or StickerCatalog()
        self._silence_offered = silence_offered
        self._visible = False
        self._ends_blank = True
        self._after_marker = False
        self.sticker_id: str | None = None
        self.silent = False

    def feed(self, chunk: str) -> tuple[ReplyPiece, ...]:
        """What `chunk` settles, in order."""
        return self._read(self._parser.feed(chunk))

    def next_round(self) -> tuple[ReplyPiece, ...]:
        """What still waited when a model request ended; the next one may write its prefix again."""
        pieces = self.end()
        self._parser = MarkerParser()
        self._prefix = SelfPrefixStripper(self._own_names)
        return pieces

    def end(self) -> tuple[ReplyPiece, ...]:
        """What still waited when the stream ended."""
        pieces = self._read(self._parser.end())
        return (*pieces, *self._text(self._prefix.end()))

    def _read(self, pieces: tuple[Piece, ...]) -> tuple[ReplyPiece, ...]:
        read: list[ReplyPiece] = []
        for piece in pieces:
            if isinstance(piece, Literal):
                read += self._text(self._prefix.feed(piece.text))
                continue
            if self._prefix.holds_text:
                read += self._text(self._prefix.end())
            self._after_marker = True
            read += self._marker(piece)
        return tuple(read)

    def _marker(self, marker: Sticker | Silent | Delay | Emote | Unknown) -> tuple[ReplyPiece, ...]:
        if self.silent:
            return ()
        match marker:
            case Sticker():
                if self.sticker_id is not None or not self._stickers.knows(marker.id):
                    return ()
                self.sticker_id = marker.id
            case Silent():
                if not self._silence_offered or self._visible or self.sticker_id is not None:
                    return ()
                self.silent = True
            case Delay() | Emote():
                pass
            case Unknown():
                return ()
            case _:
                assert_never(marker)
        return (marker,)

    def _text(self, text: str) -> tuple[Literal, ...]:
        if not self._visible:
            text = text.lstrip()
        if self._after_marker and self._ends_blank:
            text = text.lstrip(" ")
        if not text or self.silent:
            return ()
        self._visible, self._after_marker = True, False
        self._ends_blank = text[-1].isspace()
        return (Literal(text=text),)
