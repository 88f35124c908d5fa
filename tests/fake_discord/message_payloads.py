"""Messages, and what belongs to them, as the JSON objects that Discord sends.

Source: https://docs.discord.com/developers/resources/message
"""

from __future__ import annotations

from tests.fake_discord import payloads
from tests.fake_discord.entities import Attachment, Json, Message, Reaction, Reference, User
from tests.fake_discord.snowflakes import iso


def attachment(one: Attachment) -> Json:
    made: Json = {
        "id": str(one.id),
        "filename": one.filename,
        "size": len(one.content),
        "url": one.url,
        "proxy_url": one.url,
    }
    if one.content_type is not None:
        made["content_type"] = one.content_type
    if one.width is not None and one.height is not None:
        made |= {"width": one.width, "height": one.height}
    if one.duration_s is not None:
        made |= {"duration_secs": one.duration_s, "waveform": one.waveform or "AAAA"}
    if one.description is not None:
        made["description"] = one.description
    if one.ephemeral:
        made["ephemeral"] = True
    return made


def emoji(one: Reaction) -> Json:
    return {"id": payloads.optional_id(one.id), "name": one.name}


def reaction(one: Reaction, viewer: User) -> Json:
    return {
        "emoji": emoji(one),
        "count": len(one.users),
        "count_details": {"burst": 0, "normal": len(one.users)},
        "burst_colors": [],
        "me_burst": False,
        "burst_me": False,
        "burst_count": 0,
        "me": viewer.id in one.users,
    }


def reference(one: Reference) -> Json:
    made: Json = {"type": one.kind, "channel_id": str(one.channel_id)}
    if one.message_id is not None:
        made["message_id"] = str(one.message_id)
    if one.guild_id is not None:
        made["guild_id"] = str(one.guild_id)
    return made


def message(one: Message, *, viewer: User, with_nonce: bool = False, nested: bool = False) -> Json:
    """The message as REST gives it; `nested` leaves out what a referenced message does not show."""
    made: Json = {
        "id": str(one.id),
        "channel_id": str(one.channel.id),
        "type": int(one.kind),
        "content": one.content,
        "author": payloads.user(one.author),
        "mentions": [payloads.user(each) for each in one.mentions],
        "mention_roles": [str(each) for each in one.mention_roles],
        "mention_everyone": one.mention_everyone,
        "attachments": [attachment(each) for each in one.attachments],
        "embeds": one.embeds,
        "components": one.components,
        "timestamp": iso(one.created_at),
        "edited_timestamp": None if one.edited_at is None else iso(one.edited_at),
        "flags": one.flags,
        "pinned": one.pinned,
        "tts": one.tts,
    }
    if with_nonce and one.nonce is not None:
        made["nonce"] = one.nonce
    if one.reactions:
        made["reactions"] = [reaction(each, viewer) for each in one.reactions]
    if one.reference is not None:
        made["message_reference"] = reference(one.reference)
        if not nested and one.reference.kind == 0 and one.reference.message_id is not None:
            referenced = one.referenced
            made["referenced_message"] = (
                None
                if referenced is None or referenced.deleted
                else message(referenced, viewer=viewer, nested=True)
            )
    if one.snapshots:
        made["message_snapshots"] = one.snapshots
    if one.stickers:
        made["sticker_items"] = one.stickers
    if one.poll is not None:
        made["poll"] = one.poll
    if one.webhook_id is not None:
        made["webhook_id"] = str(one.webhook_id)
    if one.interaction is not None:
        made["application_id"] = str(one.author.id)
        made["interaction_metadata"] = one.interaction
    if one.thread is not None and not nested:
        made["thread"] = payloads.channel(one.thread, viewer=viewer)
    return made


def message_event(one: Message, *, viewer: User, with_nonce: bool = False) -> Json:
    """The message as MESSAGE_CREATE and MESSAGE_UPDATE carry it: with guild and member."""
    made = message(one, viewer=viewer, with_nonce=with_nonce)
    guild_of = one.channel.guild
    made["channel_type"] = int(one.channel.kind)
    if guild_of is None:
        return made
    made["guild_id"] = str(guild_of.id)
    author = guild_of.members.get(one.author.id)
    if author is not None and one.webhook_id is None:
        made["member"] = payloads.member(author, with_user=False)
    for shown, each in zip(made["mentions"], one.mentions, strict=True):
        if (mentioned := guild_of.members.get(each.id)) is not None:
            shown["member"] = payloads.member(mentioned, with_user=False)
    return made


def snapshot(one: Message, viewer: User) -> Json:
    """What a forward carries of the forwarded message."""
    whole = message(one, viewer=viewer, nested=True)
    kept = (
        "type content mentions mention_roles attachments embeds timestamp edited_timestamp flags components "
        "sticker_items"
    )
    return {"message": {key: whole[key] for key in kept.split() if key in whole}}
