"""The words of a message in their order: what it answers, what it says, what it forwards, what is in it.

Nobody can write the mark of a quote: in what people say it loses its opening bracket (SCENE-3).
"""

import re
from collections.abc import Iterable

from bot.discord_chat.attachment_rules import attachment_label
from bot.discord_chat.incoming_message import IncomingAttachment, IncomingMessage, QuotedMessage, is_blank
from core.conversation.turns import Speaker
from core.prompts.user_messages import speaker_label

_LONGEST_QUOTE = 500
_QUOTE_MARK = re.compile(r"\((?=\s*in\s+reply\s+to\b)", re.IGNORECASE)


def leading_words(message: IncomingMessage) -> tuple[str, ...]:
    """Quote, text, forwards, stickers, polls and embeds; without the attached files."""
    # What the bot itself wrote is in the history; a card of it is not.
    known = message.replies_to_bot and message.quoted is not None and not message.quoted.extras
    quoted = () if known else _quote(message.quoted)
    text = () if is_blank(message.text) else (_unmarked(message.text),)
    forwarded = (
        f"[forwarded message:]\n{words}\n[end of the forwarded message]"
        for one in message.forwarded
        if (words := "\n".join(part for part in (one.text, *one.extras) if part))
    )
    return (*quoted, *text, *map(_unmarked, (*forwarded, *message.extras)))


def all_words(message: IncomingMessage) -> str:
    """The message in words alone, its files as labels; for context of the room."""
    own = (*message.attachments, *(file for one in message.forwarded for file in one.attachments))
    return "\n".join((*leading_words(message), *_labels(own)))


def _quote(quoted: QuotedMessage | None) -> tuple[str, ...]:
    if quoted is None or quoted.author is None:
        return ()
    name = speaker_label(Speaker(id=str(quoted.author.id), name=quoted.author.name))
    said = " ".join(quoted.text.split())
    said = said if len(said) <= _LONGEST_QUOTE else f"{said[:_LONGEST_QUOTE]}..."
    words = " ".join(part for part in (said, *quoted.extras, *_labels(quoted.attachments)) if part)
    return (f"(in reply to {name}: {_unmarked(words)})",)


def _unmarked(words: str) -> str:
    return _QUOTE_MARK.sub("", words)


def _labels(files: Iterable[IncomingAttachment]) -> tuple[str, ...]:
    return tuple(attachment_label(file) for file in files)
