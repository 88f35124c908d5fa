"""A message of Discord as the bot reads it: a value without discord.py, which the inbox can keep.

The JSON form is what an inbox row holds, so that a message is answered after a crash without asking Discord
again. A new field needs a default, for rows that an older version wrote.
"""

import json
import unicodedata
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Annotated

from pydantic import ConfigDict, Field, TypeAdapter
from pydantic_core import PydanticSerializationError

_EPOCH = datetime(2015, 1, 1, tzinfo=UTC)  # of Discord's ids
_SEQUENCE_BITS = 22
_SEQUENCE = (1 << _SEQUENCE_BITS) - 1
_TURN_PREFIX = "discord:message:"
_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0")  # letters and symbols that have no ink

Snowflake = Annotated[int, Field(ge=0)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Author:
    """Who wrote it; `name` is the display name of the place."""

    __pydantic_config__ = ConfigDict(extra="ignore")

    id: Snowflake
    name: str
    is_bot: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class IncomingAttachment:
    """A file of the message; `size` in bytes, `media_type` as Discord guessed it from the name.

    `id` stays while `url` expires. `width` and `height` in pixels. `voice_s`: it is a voice message, so long.
    """

    __pydantic_config__ = ConfigDict(extra="ignore")

    name: str
    url: str
    size: int
    media_type: str | None = None
    id: Snowflake = 0
    description: str | None = None
    width: int = 0
    height: int = 0
    voice_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotedMessage:
    """The message that this one replies to, as far as Discord sent it along."""

    __pydantic_config__ = ConfigDict(extra="ignore")

    id: Snowflake
    author: Author | None = None
    text: str = ""
    extras: tuple[str, ...] = ()
    attachments: tuple[IncomingAttachment, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ForwardedMessage:
    """What a forward shows of another message; Discord does not say who wrote that one."""

    __pydantic_config__ = ConfigDict(extra="ignore")

    text: str = ""
    extras: tuple[str, ...] = ()
    attachments: tuple[IncomingAttachment, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class IncomingMessage:
    """One message a person wrote; `text` has mentions as `@Name`.

    `extras` are stickers, polls and embeds in words. `is_event`: Discord tells what happened.
    `bot_name` is what the bot is called in that server. `parent_id`: it stands in a thread of that channel;
    `in_own_thread`: in one that the bot has opened. `role_ids` are the author's; None where Discord does not
    say. `edited_at` is when its author last changed it.
    """

    __pydantic_config__ = ConfigDict(extra="ignore")

    id: Snowflake
    channel_id: Snowflake
    guild_id: Snowflake | None
    author: Author
    at: datetime
    text: str
    mentions_bot: bool = False
    replies_to_bot: bool = False
    from_webhook: bool = False
    attachments: tuple[IncomingAttachment, ...] = ()
    quoted: QuotedMessage | None = None
    extras: tuple[str, ...] = ()
    forwarded: tuple[ForwardedMessage, ...] = ()
    is_event: bool = False
    bot_name: str | None = None
    parent_id: Snowflake | None = None
    in_own_thread: bool = False
    role_ids: tuple[Snowflake, ...] | None = None
    edited_at: datetime | None = None

    def as_follow_up(self) -> "IncomingMessage":
        """An edited message as one of its own, written when it was edited.

        Its id is made of that moment, so the same edit gives the same id however often it is told.
        """
        at = self.edited_at or self.at
        number = int((at - _EPOCH).total_seconds() * 1_000) << _SEQUENCE_BITS | self.id & _SEQUENCE
        return replace(self, id=number, at=at)

    @property
    def is_empty(self) -> bool:
        """Nothing in it can be read: Discord shows it as blank, too."""
        return is_blank(self.text) and not (self.attachments or self.extras or self.forwarded)

    @property
    def all_attachments(self) -> tuple[IncomingAttachment, ...]:
        """Its own, those of what it forwards, and those of what it replies to."""
        forwarded = (file for one in self.forwarded for file in one.attachments)
        quoted = () if self.quoted is None else self.quoted.attachments
        return (*self.attachments, *forwarded, *quoted)

    @property
    def is_direct(self) -> bool:
        """Written to the bot alone."""
        return self.guild_id is None

    @property
    def turn_id(self) -> str:
        """The id of its turn in the scene's history."""
        return turn_id_of(self.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class IncomingReaction:
    """A person reacted to a message. `by_manager`: may manage the server, or is alone with the bot."""

    channel_id: int
    guild_id: int | None
    message_id: int
    user_id: int
    emoji: str
    on_own_message: bool
    by_manager: bool


def is_blank(text: str) -> bool:
    """Whether nothing of `text` can be seen: spaces, zero-width and control characters, empty letters."""
    return all(
        character in _BLANK or character.isspace() or unicodedata.category(character) in ("Cf", "Cc", "Mn")
        for character in text
    )


def turn_id_of(message_id: int) -> str:
    """The id of a message's turn."""
    return f"{_TURN_PREFIX}{message_id}"


def message_id_of(turn_id: str) -> int | None:
    """The message behind a turn; None for a turn that is no message of Discord."""
    return int(turn_id.removeprefix(_TURN_PREFIX)) if turn_id.startswith(_TURN_PREFIX) else None


_codec = TypeAdapter(IncomingMessage)


def to_json(message: IncomingMessage) -> str:
    """The form that an inbox row keeps."""
    try:
        return _codec.dump_json(message).decode()
    except PydanticSerializationError:  # half a character, which JSON can name and UTF-8 cannot hold
        text = json.dumps(_codec.dump_python(message, mode="json"), ensure_ascii=False)
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def from_json(payload: str) -> IncomingMessage:
    """Read what `to_json` wrote.

    Raises:
        ValueError: the row was written by something else.
    """
    return _codec.validate_json(payload)
