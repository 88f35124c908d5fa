"""A growing Markdown reply as Discord messages (TEXT-1, TEXT-2), without ever rewriting a full one.

A piece is sealed by the first visible character that no longer fits it, and its cut looks at nothing after
that character. So the pieces depend on the text alone, not on how it was streamed, and whoever posts piece
k never touches the pieces before it. The work is linear in the length of the reply.

What survives: `join_pieces` gives the text back exactly, up to white space at its end. A piece's `text` is
its `body` between two pieces of glue: `opening` and `closing` repeat and close code blocks and emphasis
that a cut broke. `skipped` (before) and `dropped` (after) are what no message shows: the white space at a
cut, and a code block's closing marker where the glue already closed the block. Mentions, links and tables
are others' concern.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from bot.discord_chat.cut_points import Cut, choose_cut
from bot.discord_chat.markdown_spans import FENCE, Carry, MarkdownSpans, backtick_run_is_open
from bot.discord_chat.message_length import (
    MESSAGE_LIMIT,
    cluster_starts,
    discord_length,
    index_within,
    whole_characters,
)

_VISIBLE = re.compile(r"\S")


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One message's worth of a reply."""

    skipped: str
    opening: str
    body: str
    closing: str
    dropped: str = ""

    @property
    def text(self) -> str:
        """What is posted; at most the limit in UTF-16 code units."""
        return self.opening + self.body + self.closing


def join_pieces(pieces: Iterable[Piece]) -> str:
    """The text that was split, up to white space at its end."""
    return "".join(piece.skipped + piece.body + piece.dropped for piece in pieces)


def split_message(text: str, limit: int = MESSAGE_LIMIT) -> tuple[Piece, ...]:
    """Split a finished text."""
    splitter = MessageSplitter(limit)
    splitter.feed(text)
    return splitter.finish()


class MessageSplitter:
    """Splits a text while it grows; see the module for what holds."""

    def __init__(self, limit: int = MESSAGE_LIMIT) -> None:
        if limit < 100:
            raise ValueError("a message of less than 100 units has no room for what is opened again")
        self._limit = limit
        self._sealed: list[Piece] = []
        self._tail = ""
        self._tail_units = 0
        self._torn = ""
        self._carry = Carry()

    @property
    def sealed(self) -> tuple[Piece, ...]:
        """Pieces that are full and will never change."""
        return tuple(self._sealed)

    @property
    def sealed_count(self) -> int:
        return len(self._sealed)

    def feed(self, delta: str) -> None:
        """Take the next part of the text."""
        whole, self._torn = whole_characters(self._torn + delta, final=False)
        self._take(whole)

    def live(self, provisional: str = "") -> Piece | None:
        """The piece being written, as it may be shown now; None while there is nothing to see.

        `provisional` is text that may still change. It is shown as far as this piece has room.
        """
        tail = self._tail + provisional
        start = self._body_start(tail)
        body = tail[start:].rstrip()
        window = body[: self._limit + 1]
        if window == body:
            window = body = body[: MarkdownSpans(body, self._carry).content_end()].rstrip()
        if not window:
            return None
        piece = self._whole_piece(tail[:start], window, final=False) if window == body else None
        return piece or self._cut_piece(tail[:start], window)[0]

    def finish(self) -> tuple[Piece, ...]:
        """All pieces of the text, which is complete now."""
        whole, self._torn = whole_characters(self._torn, final=True)
        self._take(whole)
        tail = self._tail.rstrip()
        while True:
            start = self._body_start(tail)
            if start >= len(tail):
                break
            piece = self._whole_piece(tail[:start], tail[start:], final=True)
            if piece is not None:
                self._sealed.append(piece)
                tail = ""
                break
            tail = tail[start + self._seal(tail[:start], tail[start:]) :]
        self._drop_tail(tail)
        return self.sealed

    # -- sealing ---------------------------------------------------------------------------------

    def _take(self, text: str) -> None:
        self._tail += text
        self._tail_units += discord_length(text)
        if self._tail_units <= self._limit - discord_length(self._carry.opening):
            return
        tail, position = self._tail, 0
        while (window := self._full_window(tail, position)) is not None:
            start, end = window
            position = start + self._seal(tail[position:start], tail[start:end])
        self._drop_tail(tail[position:])

    def _drop_tail(self, tail: str) -> None:
        self._tail = tail
        self._tail_units = discord_length(tail)

    def _full_window(self, tail: str, position: int) -> tuple[int, int] | None:
        """Where the next body begins, and the end of the visible character that overflows it."""
        start = self._body_start(tail, position)
        room = self._limit - discord_length(self._carry.opening)
        overflow = _VISIBLE.search(tail, index_within(tail, start, room))
        if overflow is None:
            return None
        end = overflow.end()
        while end < len(tail) and tail[end] == "`" and backtick_run_is_open(tail[max(start, end - 3) : end]):
            end += 1
        if end == len(tail) and backtick_run_is_open(tail[max(start, end - 3) : end]):
            return None
        return start, end

    def _body_start(self, tail: str, position: int = 0) -> int:
        """The first character that the next message shows; inside code its indentation counts."""
        if self._carry.fence is not None:
            return position
        visible = _VISIBLE.search(tail, position)
        start = len(tail) if visible is None else visible.start()
        if start > position and start < len(tail) and not tail[start].isascii():
            joined = tail[start - 1 : start + 1]
            return start if 1 in cluster_starts(joined) else start - 1
        return start

    def _whole_piece(self, skipped: str, body: str, *, final: bool) -> Piece | None:
        """The rest of the text as one piece, or None where it does not fit."""
        if len(body) > self._limit:
            return None
        spans = MarkdownSpans(body, self._carry)
        kept = spans.kept(final=final)
        fence = spans.fences[-1] if spans.fences and spans.fences[-1].close is None else None
        opened = spans.unclosed_carried() if final else spans.open_at(len(body), len(body))
        piece = Piece(
            skipped=skipped,
            opening=replace(self._carry, spans=kept).opening,
            body=body,
            closing=(f"\n{FENCE}" if fence is not None else "") + "".join(reversed(opened)),
        )
        return piece if discord_length(piece.text) <= self._limit else None

    def _seal(self, skipped: str, window: str) -> int:
        piece, cut = self._cut_piece(skipped, window)
        self._sealed.append(piece)
        self._carry = cut.carry
        return cut.resume

    def _cut_piece(self, skipped: str, window: str) -> tuple[Piece, Cut]:
        cut = choose_cut(window, self._carry, self._limit)
        piece = Piece(
            skipped=skipped,
            opening=replace(self._carry, spans=cut.kept).opening,
            body=window[: cut.end],
            closing=cut.closing,
            dropped=window[cut.end : cut.resume],
        )
        return piece, cut
