"""Messages over REST.

Source: https://docs.discord.com/developers/resources/message
"""

from __future__ import annotations

from tests.fake_discord import message_payloads, payloads
from tests.fake_discord.entities import Channel, Json, Message
from tests.fake_discord.gateway.intents import without_content
from tests.fake_discord.messages import Draft
from tests.fake_discord.permissions import Permission
from tests.fake_discord.rate_limits import Limit
from tests.fake_discord.rest import guards, uploads
from tests.fake_discord.rest.routing import (
    NO_CONTENT,
    UNKNOWN_MESSAGE,
    Answer,
    ApiError,
    Call,
    Routes,
    invalid_form,
)
from tests.fake_discord.snowflakes import iso

ROUTES = Routes()
_EDITABLE_FLAGS = (1 << 2) | (1 << 15)
_TWO_WEEKS_S = 14 * 24 * 3600


def shown(call: Call, message: Message) -> Json:
    nonce = call.state.messages.shows_nonce(message, call.bot)
    return message_payloads.message(message, viewer=call.bot, with_nonce=nonce)


def seen(call: Call, message: Message) -> Json:
    """A message that is read back: expired links of its files come fresh, content by the portal's switch."""
    for attachment in message.attachments:
        if attachment.expired:
            call.state.cdn.refresh(attachment)
    made = shown(call, message)
    limited = not call.state.world.application.message_content_intent and message.channel.guild is not None
    if limited and message.author is not call.bot and call.bot not in message.mentions:
        made = without_content(made)
    return made


@ROUTES.on("POST", "/channels/{channel_id}/messages", limit=Limit(5, 5.0))
def create_message(call: Call) -> Answer:
    form, channel, state = call.form, call.channel(), call.state
    guards.check_upload(call)
    guards.require_send(call, channel, files=bool(call.exchange.files), embeds=bool(form.get("embeds")))
    guards.check_form(form, has_files=bool(call.exchange.files))
    nonce = form.get("nonce")
    if form.get("enforce_nonce") and nonce is not None:
        known = state.messages.by_nonce(call.bot, nonce)
        if known is not None:
            return Answer(body=message_payloads.message(known, viewer=call.bot, with_nonce=True))
    reply_to, forward = _pointed_at(call, channel, form)
    draft = Draft(
        content=form.get("content") or "",
        attachments=uploads.store(call, channel, form),
        embeds=form.get("embeds") or (),
        components=form.get("components") or (),
        poll=form.get("poll"),
        stickers=_stickers(channel, form),
        allowed_mentions=form.get("allowed_mentions"),
        flags=form.get("flags") or 0,
        tts=bool(form.get("tts")),
        nonce=nonce,
        reply_to=reply_to,
        forward=forward,
    )
    message = state.messages.create(channel, call.bot, draft)
    return Answer(body=message_payloads.message(message, viewer=call.bot, with_nonce=True))


def _pointed_at(call: Call, channel: Channel, form: Json) -> tuple[Message | None, Message | None]:
    """The message replied to and the one forwarded."""
    reference = form.get("message_reference")
    if not reference:
        return None, None
    source = channel
    if reference.get("type") == 1:
        found_channel = call.state.world.channels.get(int(reference.get("channel_id") or channel.id))
        if found_channel is None:
            raise invalid_form("message_reference", "MESSAGE_REFERENCE_UNKNOWN_CHANNEL", "Unknown channel")
        source = found_channel
    found = source.messages.get(int(reference.get("message_id") or 0))
    if found is None:
        if reference.get("fail_if_not_exists") is False:
            return None, None
        raise invalid_form("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message")
    guards.require(call, source)
    if channel.guild is not None:
        try:
            guards.require(call, source, Permission.READ_MESSAGE_HISTORY)
        except ApiError as refused:
            text = "You cannot reply without permission to read message history"
            raise ApiError(403, 160002, text) from refused
    return (None, found) if reference.get("type") == 1 else (found, None)


def _stickers(channel: Channel, form: Json) -> list[Json]:
    wanted = [str(one) for one in form.get("sticker_ids") or ()]
    known = payloads.by_id(channel.guild.stickers if channel.guild else [])
    if missing := [one for one in wanted if one not in known]:
        raise invalid_form("sticker_ids", "STICKER_INVALID", f"Unknown sticker {missing[0]}")
    return [{key: known[one][key] for key in ("id", "name", "format_type")} for one in wanted]


@ROUTES.on("GET", "/channels/{channel_id}/messages", limit=Limit(5, 1.0))
def list_messages(call: Call) -> Answer:
    channel = call.channel()
    bits = guards.require(call, channel)
    if not bits & Permission.READ_MESSAGE_HISTORY:
        return Answer(body=[])
    limit = call.query_number("limit")
    if limit is not None and not 1 <= limit <= 100:
        raise invalid_form("limit", "NUMBER_TYPE_MAX", "int value should be between 1 and 100.")
    page = channel.messages.page(
        limit=limit or 50,
        before=call.query_number("before"),
        after=call.query_number("after"),
        around=call.query_number("around"),
    )
    return Answer(body=[seen(call, one) for one in page])


@ROUTES.on("GET", "/channels/{channel_id}/messages/{message_id}", limit=Limit(5, 1.0))
def get_message(call: Call) -> Answer:
    channel = call.channel()
    guards.require(call, channel, Permission.READ_MESSAGE_HISTORY)
    return Answer(body=seen(call, call.message(channel)))


@ROUTES.on("PATCH", "/channels/{channel_id}/messages/{message_id}", limit=Limit(5, 5.0))
def edit_message(call: Call) -> Answer:
    form, channel = call.form, call.channel()
    guards.check_upload(call)
    guards.require(call, channel)
    message = call.message(channel)
    only_flags = set(form) <= {"flags"}
    if not only_flags:
        guards.require_own(call, message)
    guards.require_open(channel)
    guards.check_form(form, has_files=bool(call.exchange.files), editing=message)
    apply_edit(call, message)
    return Answer(body=shown(call, message))


def apply_edit(call: Call, message: Message) -> None:
    form = call.form
    attachments = None
    if "attachments" in form or call.exchange.files:
        attachments = uploads.store(
            call, message.channel, form, kept=message.attachments, ephemeral=message.ephemeral
        )
    flags = None
    if form.get("flags") is not None:
        flags = message.flags & ~_EDITABLE_FLAGS | form["flags"] & _EDITABLE_FLAGS
    call.state.messages.edit(
        message,
        content=(form["content"] or "") if "content" in form else None,
        embeds=(form["embeds"] or []) if "embeds" in form else None,
        components=(form["components"] or []) if "components" in form else None,
        attachments=attachments,
        flags=flags,
        allowed_mentions=form.get("allowed_mentions"),
    )


@ROUTES.on("DELETE", "/channels/{channel_id}/messages/{message_id}", limit=Limit(5, 1.0))
def delete_message(call: Call) -> Answer:
    channel = call.channel()
    guards.require(call, channel)
    message = call.message(channel)
    if message.author is not call.bot:
        guards.require(call, channel, Permission.MANAGE_MESSAGES)
    guards.require_open(channel)
    call.state.messages.delete(message)
    return NO_CONTENT


@ROUTES.on("POST", "/channels/{channel_id}/messages/bulk-delete", limit=Limit(1, 1.0))
def delete_messages(call: Call) -> Answer:
    channel = call.channel()
    guards.require(call, channel, Permission.MANAGE_MESSAGES)
    numbers = [int(one) for one in call.form.get("messages") or ()]
    if not 2 <= len(numbers) <= 100:
        raise ApiError(400, 50016, "Provided too few or too many messages to delete. Must be 2 to 100.")
    horizon = call.state.clock() - _TWO_WEEKS_S
    found = [one for number in numbers if (one := channel.messages.get(number))]
    if any(one.created_at < horizon for one in found):
        raise ApiError(400, 50034, "You can only bulk delete messages that are under 14 days old.")
    call.state.messages.delete_many(channel, numbers)
    return NO_CONTENT


def _pin(call: Call) -> Answer:
    channel = call.channel()
    guards.require(call, channel, Permission.PIN_MESSAGES)
    message = call.message(channel)
    if call.exchange.method == "PUT":
        call.state.messages.pin(message, call.bot)
    else:
        call.state.messages.unpin(message)
    return NO_CONTENT


for _method in ("PUT", "DELETE"):
    ROUTES.on(_method, "/channels/{channel_id}/messages/pins/{message_id}", limit=Limit(5, 4.0))(_pin)
    ROUTES.on(_method, "/channels/{channel_id}/pins/{message_id}", limit=Limit(5, 4.0))(_pin)


def _pinned(channel: Channel) -> list[Message]:
    return sorted((one for one in channel.messages if one.pinned), key=lambda one: -(one.pinned_at or 0))


@ROUTES.on("GET", "/channels/{channel_id}/messages/pins")
def list_pins(call: Call) -> Answer:
    channel = call.channel()
    guards.require(call, channel)
    items = [{"pinned_at": iso(one.pinned_at or 0), "message": seen(call, one)} for one in _pinned(channel)]
    return Answer(body={"items": items[:50], "has_more": len(items) > 50})


@ROUTES.on("GET", "/channels/{channel_id}/pins")
def list_pins_of_old(call: Call) -> Answer:
    channel = call.channel()
    guards.require(call, channel)
    return Answer(body=[seen(call, one) for one in _pinned(channel)][:50])


@ROUTES.on("POST", "/channels/{channel_id}/polls/{message_id}/expire")
def end_poll(call: Call) -> Answer:
    channel = call.channel()
    message = call.message(channel)
    guards.require_own(call, message)
    if message.poll is None:
        raise ApiError(*UNKNOWN_MESSAGE)
    message.poll = message.poll | {"expiry": iso(call.state.clock())}
    message.poll["results"] = message.poll["results"] | {"is_finalized": True}
    return Answer(body=shown(call, message))


@ROUTES.on("POST", "/channels/{channel_id}/typing", limit=Limit(5, 5.0))
def type_in(call: Call) -> Answer:
    channel = call.channel()
    guards.require_send(call, channel, files=False, embeds=False)
    now = call.state.clock()
    channel.typing.append((call.bot.id, now))
    call.state.announcements.typing(channel, call.bot, now)
    return NO_CONTENT
