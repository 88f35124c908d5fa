"""The door for messages: a `discord.Message` becomes an `IncomingMessage`, or nothing (TEXT-4).

What people write passes whole; of Discord's own notices those that a conversation may need, as events.
"""

from collections.abc import Iterable

import discord

from bot.discord_chat.incoming_extras import event_text, extras_of
from bot.discord_chat.incoming_message import (
    Author,
    ForwardedMessage,
    IncomingAttachment,
    IncomingMessage,
    QuotedMessage,
)
from bot.discord_chat.readable_marks import readable

_WRITTEN_BY_PEOPLE = {discord.MessageType.default, discord.MessageType.reply}


def read_message(message: discord.Message, *, bot_user_id: int) -> IncomingMessage | None:
    """Translate `message`; None for a notice without interest and for what only one person sees."""
    if message.flags.ephemeral:
        return None
    if message.type not in _WRITTEN_BY_PEOPLE:
        return _read_event(message)
    quoted = _read_quoted(message.reference)
    thread = _thread_of(message)
    return IncomingMessage(
        id=message.id,
        channel_id=message.channel.id,
        guild_id=message.guild.id if message.guild else None,
        author=_read_author(message.author),
        at=message.created_at,
        text=readable(message.clean_content),
        mentions_bot=bot_user_id in message.raw_mentions or _mentions_own_role(message),
        replies_to_bot=quoted is not None and quoted.author is not None and quoted.author.id == bot_user_id,
        from_webhook=message.webhook_id is not None,
        attachments=_read_attachments(message.attachments),
        quoted=quoted,
        extras=extras_of(message),
        forwarded=tuple(_read_forwarded(snapshot) for snapshot in message.message_snapshots),
        bot_name=_own_name(message.guild, bot_user_id),
        parent_id=None if thread is None else thread.parent_id,
        in_own_thread=thread is not None and thread.owner_id == bot_user_id,
        role_ids=role_ids_of(message.author),
        edited_at=message.edited_at,
    )


def role_ids_of(user: discord.abc.User) -> tuple[int, ...] | None:
    """The roles of a member, without the one that everybody has; None where they are not known."""
    if not isinstance(user, discord.Member):
        return None
    return tuple(role.id for role in user.roles if not role.is_default())


def _thread_of(message: discord.Message) -> discord.Thread | None:
    """What is read back from Discord names its channel by the id alone."""
    if isinstance(message.channel, discord.Thread):
        return message.channel
    return None if message.guild is None else message.guild.get_thread(message.channel.id)


def _mentions_own_role(message: discord.Message) -> bool:
    """Discord gives each bot a role of its name, and offers both to whoever types "@"."""
    if message.guild is None or not message.raw_role_mentions:
        return False
    own = message.guild.self_role
    return own is not None and own.id in message.raw_role_mentions


def _own_name(guild: discord.Guild | None, bot_user_id: int) -> str | None:
    me = None if guild is None else guild.get_member(bot_user_id)
    return None if me is None else me.display_name


def _read_event(message: discord.Message) -> IncomingMessage | None:
    told = event_text(message)
    if told is None:
        return None
    return IncomingMessage(
        id=message.id,
        channel_id=message.channel.id,
        guild_id=message.guild.id if message.guild else None,
        author=_read_author(message.author),
        at=message.created_at,
        text=told,
        is_event=True,
    )


def _read_author(user: discord.User | discord.Member) -> Author:
    return Author(id=user.id, name=user.display_name, is_bot=user.bot)


def _read_attachments(files: Iterable[discord.Attachment]) -> tuple[IncomingAttachment, ...]:
    return tuple(
        IncomingAttachment(
            id=file.id,
            name=file.filename,
            url=file.url,
            size=file.size,
            media_type=file.content_type,
            description=file.description,
            width=file.width or 0,
            height=file.height or 0,
            voice_s=file.duration if file.is_voice_message() else None,
        )
        for file in files
    )


def _read_quoted(reference: discord.MessageReference | None) -> QuotedMessage | None:
    if reference is None or reference.message_id is None:
        return None
    if reference.type is not discord.MessageReferenceType.reply:
        return None
    resolved = reference.resolved
    if not isinstance(resolved, discord.Message):
        return QuotedMessage(id=reference.message_id)
    return QuotedMessage(
        id=resolved.id,
        author=_read_author(resolved.author),
        text=readable(resolved.clean_content),
        extras=extras_of(resolved),
        attachments=_read_attachments(resolved.attachments),
    )


def _read_forwarded(snapshot: discord.MessageSnapshot) -> ForwardedMessage:
    return ForwardedMessage(
        text=readable(snapshot.content),
        extras=extras_of(snapshot),
        attachments=_read_attachments(snapshot.attachments),
    )
