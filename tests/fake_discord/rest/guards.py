"""What Discord refuses and with which error: permissions, a message's limits, archived threads, slow mode."""

from __future__ import annotations

from typing import Any

from tests.fake_discord import permissions
from tests.fake_discord.entities import THREADS, Channel, ChannelKind, Message, MessageFlag
from tests.fake_discord.permissions import Permission
from tests.fake_discord.rest.routing import ApiError, Call, invalid_form

CONTENT_LIMIT = 2000
EMBEDS_TOTAL_LIMIT = 6000
_EMPTY = (400, 50006, "Cannot send an empty message")


def require(call: Call, channel: Channel, *needed: Permission) -> int:
    """The bot's bits in the channel; raises 50001 without a view of it, 50013 for anything else missing."""
    bits = permissions.in_channel(call.bot, channel)
    if not bits & Permission.VIEW_CHANNEL:
        raise ApiError(403, 50001, "Missing Access")
    for one in needed:
        if not bits & one:
            raise ApiError(403, 50013, "Missing Permissions")
    return bits


def require_send(call: Call, channel: Channel, *, files: bool, embeds: bool) -> None:
    """Raises unless the bot may post here, now."""
    if channel.guild is None:
        other = call.state.world.other_party(channel)
        if other is not None and not other.dms_open:
            raise ApiError(403, 50007, "Cannot send messages to this user")
        return
    if channel.kind in (ChannelKind.CATEGORY, ChannelKind.FORUM):
        raise ApiError(400, 50008, "Cannot send messages in a non-text channel")
    in_thread = channel.kind in THREADS
    bits = require(
        call, channel, Permission.SEND_MESSAGES_IN_THREADS if in_thread else Permission.SEND_MESSAGES
    )
    if files and not bits & Permission.ATTACH_FILES:
        raise ApiError(403, 50013, "Missing Permissions")
    if embeds and not bits & Permission.EMBED_LINKS:
        raise ApiError(403, 50013, "Missing Permissions")
    thread = channel.thread
    if thread is not None and thread.locked and not bits & Permission.MANAGE_THREADS:
        raise (
            ApiError(400, 50083, "Thread is archived")
            if thread.archived
            else ApiError(403, 160005, "Thread is locked")
        )
    _require_patience(call, channel)


def _require_patience(call: Call, channel: Channel) -> None:
    if not (channel.slow_mode_binds_bots and channel.slow_mode_s):
        return
    own = channel.messages.by(call.bot)
    if own and (left := own[-1].created_at + channel.slow_mode_s - call.state.clock()) > 0:
        raise ApiError(
            429,
            20016,
            "This action cannot be performed due to slowmode rate limit.",
            more={"retry_after": round(left, 3), "global": False},
        )


def require_open(channel: Channel) -> None:
    """Edits, reactions and the like need a thread that is not archived."""
    if channel.thread is not None and channel.thread.archived:
        raise ApiError(400, 50083, "Thread is archived")


def require_own(call: Call, message: Message) -> None:
    if message.author is not call.bot:
        raise ApiError(403, 50005, "Cannot edit a message authored by another user")


def check_form(form: dict[str, Any], *, has_files: bool, editing: Message | None = None) -> None:
    """The message's own limits; the answer names the field as Discord's does."""
    content = form.get("content") or ""
    if not isinstance(content, str):
        raise invalid_form("content", "BASE_TYPE_STRING", "Must be string.")
    if len(content) > CONTENT_LIMIT:
        raise invalid_form("content", "BASE_TYPE_MAX_LENGTH", f"Must be {CONTENT_LIMIT} or fewer in length.")
    _check_embeds(form.get("embeds") or [])
    components = form.get("components") or []
    v2 = bool((form.get("flags") or 0) & MessageFlag.COMPONENTS_V2)
    if v2 and (content or form.get("embeds")):
        raise invalid_form(
            "content", "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2", "The field cannot be used."
        )
    if len(str(form.get("nonce") or "")) > 25:
        raise invalid_form("nonce", "NONCE_TYPE_TOO_LONG", "Nonce must be 25 or fewer in length.")
    if editing is None:
        says = (
            content.strip() or form.get("embeds") or components or form.get("poll") or form.get("sticker_ids")
        )
        if not says and not has_files and (form.get("message_reference") or {}).get("type") != 1:
            raise ApiError(*_EMPTY)
    elif "content" in form and not content.strip():
        kept = form.get("attachments", editing.attachments) or has_files
        if not (form.get("embeds", editing.embeds) or form.get("components", editing.components) or kept):
            raise ApiError(*_EMPTY)


def _check_embeds(embeds: list[dict[str, Any]]) -> None:
    if len(embeds) > 10:
        raise invalid_form("embeds", "BASE_TYPE_MAX_LENGTH", "Must be 10 or fewer in length.")
    total = 0
    for index, one in enumerate(embeds):
        for key, limit in (("title", 256), ("description", 4096)):
            if len(one.get(key) or "") > limit:
                message = f"Must be {limit} or fewer in length."
                raise invalid_form(f"embeds.{index}.{key}", "BASE_TYPE_MAX_LENGTH", message)
            total += len(one.get(key) or "")
        total += sum(len(field["name"]) + len(field["value"]) for field in one.get("fields") or ())
        total += len((one.get("footer") or {}).get("text") or "") + len(
            (one.get("author") or {}).get("name") or ""
        )
    if total > EMBEDS_TOTAL_LIMIT:
        raise invalid_form(
            "embeds", "MAX_EMBED_SIZE_EXCEEDED", f"Embed size exceeds maximum size of {EMBEDS_TOTAL_LIMIT}"
        )


def check_upload(call: Call) -> None:
    if sum(len(one.content) for one in call.exchange.files) > call.state.max_upload_bytes:
        raise ApiError(413, 40005, "Request entity too large")
