"""The door for messages: a `discord.Message` becomes an `IncomingMessage`, or nothing.

Only what people write passes: system messages (joins, pins, boosts) stay outside.
"""

import discord

from bot.discord_chat.incoming_message import Author, IncomingAttachment, IncomingMessage, QuotedMessage

_WRITTEN_BY_PEOPLE = {discord.MessageType.default, discord.MessageType.reply}


def read_message(message: discord.Message, *, bot_user_id: int) -> IncomingMessage | None:
    """Translate `message`; None for a system message."""
    if message.type not in _WRITTEN_BY_PEOPLE:
        return None
    quoted = _read_quoted(message.reference)
    return IncomingMessage(
        id=message.id,
        channel_id=message.channel.id,
        guild_id=message.guild.id if message.guild else None,
        author=_read_author(message.author),
        at=message.created_at,
        text=message.clean_content,
        mentions_bot=bot_user_id in message.raw_mentions,
        replies_to_bot=quoted is not None and quoted.author is not None and quoted.author.id == bot_user_id,
        from_webhook=message.webhook_id is not None,
        attachments=tuple(
            IncomingAttachment(name=file.filename, url=file.url, size=file.size, media_type=file.content_type)
            for file in message.attachments
        ),
        quoted=quoted,
    )


def _read_author(user: discord.User | discord.Member) -> Author:
    return Author(id=user.id, name=user.display_name, is_bot=user.bot)


def _read_quoted(reference: discord.MessageReference | None) -> QuotedMessage | None:
    if reference is None or reference.message_id is None:
        return None
    resolved = reference.resolved
    if not isinstance(resolved, discord.Message):
        return QuotedMessage(id=reference.message_id)
    return QuotedMessage(id=resolved.id, author=_read_author(resolved.author), text=resolved.clean_content)
