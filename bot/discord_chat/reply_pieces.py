"""A streamed reply as the messages that show it, and the file that a very long one becomes (TEXT-2).

The order of the steps: links by policy, tables made readable, then the split. Each works on growing text
and never takes back what it gave, so a message that is full stays as it was posted.

A reply that needs more than `max_messages` becomes a file with the whole answer. Whoever reads along loses
nothing: the messages already posted stay, and the last of them carries the file under a short note, so a
reply is never more than `max_messages` messages. When nothing was posted yet, one message with the
beginning of the answer carries it.
"""

from dataclasses import dataclass, field

from bot.discord_chat.languages import told
from bot.discord_chat.mention_rules import LinkGate, LinkPolicy
from bot.discord_chat.message_chunks import MessageSplitter, Piece
from bot.discord_chat.message_length import MESSAGE_LIMIT
from bot.discord_chat.reply_notes import noted
from bot.discord_chat.tables import ReadableTables
from core.sentences import sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyLimits:
    """When a reply is too long for messages, and the words that say so.

    Lengths are UTF-16 code units.
    """

    max_messages: int = 6
    message_limit: int = MESSAGE_LIMIT
    preface_limit: int = 600
    filename: str = "reply.md"
    still_writing: str = sentence("-# The whole answer follows as a file.")
    attached: str = sentence("-# The whole answer is in the attached file.")
    left_out: str = sentence("-# The rest is left out: I cannot attach it as a file here.")


@dataclass(frozen=True, slots=True, kw_only=True)
class MessagesReply:
    """The whole reply in messages; empty when there was nothing to show."""

    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReply:
    """A reply whose last message carries the whole answer as a file."""

    texts: tuple[str, ...]
    filename: str
    content: str = field(repr=False)


ReplyPlan = MessagesReply | FileReply


class ReplyPieces:
    """The text of one reply while it grows."""

    def __init__(self, limits: ReplyLimits | None = None, links: LinkPolicy | None = None) -> None:
        self._limits = limits or ReplyLimits()
        self._links = LinkGate(links or LinkPolicy(), worded=told)
        self._tables = ReadableTables()
        self._splitter = MessageSplitter(self._limits.message_limit)
        self._allowed_text: list[str] = []
        self._shown: tuple[str, ...] | None = None

    def feed(self, delta: str) -> None:
        """Take the next part of the model's text."""
        self._pass_on(self._links.feed(delta))

    @property
    def sealed_count(self) -> int:
        """How many leading messages of `shown()` will never change."""
        return min(self._splitter.sealed_count, self._limits.max_messages - 1)

    def shown(self) -> tuple[str, ...]:
        """The messages as they may be shown now; the last may still change, the others are full."""
        if self._shown is None:
            self._shown = self._split()
        return self._shown

    def _split(self) -> tuple[str, ...]:
        sealed = self._splitter.sealed
        most = self._limits.max_messages
        if len(sealed) >= most:
            return self._with_note(sealed, most, told(self._limits.still_writing))
        live = self._splitter.live(self._tables.provisional())
        pieces = sealed if live is None else (*sealed, live)
        return tuple(piece.text for piece in pieces)

    def finish(self, *, posted: int = 0) -> ReplyPlan:
        """How the complete reply is delivered, where its first `posted` messages are already visible."""
        self._pass_on(self._links.finish())
        self._splitter.feed(self._tables.finish())
        pieces = self._splitter.finish()
        limits = self._limits
        if len(pieces) <= limits.max_messages:
            return MessagesReply(texts=tuple(piece.text for piece in pieces))
        if posted == 0:
            room = limits.preface_limit
            texts: tuple[str, ...] = (noted(pieces[0].text, told(limits.attached), room),)
        else:
            texts = self._with_note(pieces, min(posted, limits.max_messages), told(limits.attached))
        return FileReply(texts=texts, filename=limits.filename, content="".join(self._allowed_text))

    def without_file(self) -> tuple[str, ...]:
        """After `finish`: as many messages as a reply may have, with a note that the rest is missing."""
        limits = self._limits
        pieces = self._splitter.sealed[: limits.max_messages]
        return self._with_note(pieces, len(pieces), told(limits.left_out))

    def _pass_on(self, allowed: str) -> None:
        self._shown = None
        self._allowed_text.append(allowed)
        self._splitter.feed(self._tables.feed(allowed))

    def _with_note(self, pieces: tuple[Piece, ...], count: int, note: str) -> tuple[str, ...]:
        kept = tuple(piece.text for piece in pieces[: count - 1])
        return (*kept, noted(pieces[count - 1].text, note, self._limits.message_limit))
