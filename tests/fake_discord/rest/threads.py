"""Threads over REST.

Source: https://docs.discord.com/developers/resources/channel#start-thread-from-message
"""

from __future__ import annotations

from tests.fake_discord import payloads
from tests.fake_discord.entities import Channel, ChannelKind, Message, Thread
from tests.fake_discord.messages import Draft
from tests.fake_discord.permissions import Permission
from tests.fake_discord.rest import guards, uploads
from tests.fake_discord.rest.messages import shown
from tests.fake_discord.rest.routing import (
    NO_CONTENT,
    UNKNOWN_CHANNEL,
    UNKNOWN_MEMBER,
    Answer,
    ApiError,
    Call,
    Routes,
)
from tests.fake_discord.threads import start_thread

ROUTES = Routes()


def _start(call: Call, parent: Channel, *, on: Message | None, private: bool = False) -> Channel:
    state, form = call.state, call.form
    thread = start_thread(
        state.world,
        state.messages,
        state.announcements,
        parent,
        form["name"],
        call.bot,
        on=on,
        private=private,
    )
    assert thread.thread is not None
    thread.thread.auto_archive_minutes = form.get("auto_archive_duration") or 4320
    thread.slow_mode_s = form.get("rate_limit_per_user") or 0
    return thread


@ROUTES.on("POST", "/channels/{channel_id}/messages/{message_id}/threads")
def start_on_message(call: Call) -> Answer:
    channel = call.channel()
    guards.require(call, channel, Permission.CREATE_PUBLIC_THREADS)
    message = call.message(channel)
    if message.thread is not None:
        raise ApiError(400, 160004, "A thread has already been created for this message")
    return Answer(status=201, body=payloads.channel(_start(call, channel, on=message), viewer=call.bot))


@ROUTES.on("POST", "/channels/{channel_id}/threads")
def start_without_message(call: Call) -> Answer:
    channel = call.channel()
    if channel.kind is ChannelKind.FORUM:
        return _post_in_forum(call, channel)
    private = call.form.get("type") == ChannelKind.PRIVATE_THREAD
    needed = Permission.CREATE_PRIVATE_THREADS if private else Permission.CREATE_PUBLIC_THREADS
    guards.require(call, channel, needed)
    thread = _start(call, channel, on=None, private=private)
    return Answer(status=201, body=payloads.channel(thread, viewer=call.bot))


def _post_in_forum(call: Call, forum: Channel) -> Answer:
    guards.require(call, forum, Permission.SEND_MESSAGES)
    guards.check_upload(call)
    form, state = call.form, call.state
    given = form.get("message") or {}
    guards.check_form(given, has_files=bool(call.exchange.files))
    thread = state.world.add_thread(forum, form["name"], owner=call.bot)
    assert thread.thread is not None
    thread.thread.auto_archive_minutes = form.get("auto_archive_duration") or 4320
    thread.thread.applied_tags = [int(one) for one in form.get("applied_tags") or ()]
    state.announcements.thread_created(thread)
    draft = Draft(
        content=given.get("content") or "",
        attachments=uploads.store(call, thread, given),
        embeds=given.get("embeds") or (),
        components=given.get("components") or (),
        flags=given.get("flags") or 0,
        allowed_mentions=given.get("allowed_mentions"),
    )
    message = state.messages.create(thread, call.bot, draft)
    made = payloads.channel(thread, viewer=call.bot) | {"message": shown(call, message)}
    return Answer(status=201, body=made)


def _thread(call: Call) -> tuple[Channel, Thread]:
    channel = call.channel()
    if channel.thread is None:
        raise ApiError(*UNKNOWN_CHANNEL)
    guards.require(call, channel)
    return channel, channel.thread


@ROUTES.on("PUT", "/channels/{channel_id}/thread-members/@me")
def join(call: Call) -> Answer:
    channel, thread = _thread(call)
    guards.require_open(channel)
    if call.bot.id not in thread.members:
        thread.members[call.bot.id] = call.state.clock()
        call.state.announcements.thread_joined(channel, call.bot)
    return NO_CONTENT


@ROUTES.on("DELETE", "/channels/{channel_id}/thread-members/@me")
def leave(call: Call) -> Answer:
    channel, thread = _thread(call)
    guards.require_open(channel)
    thread.members.pop(call.bot.id, None)
    return NO_CONTENT


@ROUTES.on("PUT", "/channels/{channel_id}/thread-members/{user_id}")
def add_member(call: Call) -> Answer:
    channel, thread = _thread(call)
    guards.require_open(channel)
    user = call.state.world.users.get(call.number("user_id"))
    if user is None or channel.guild is None or user.id not in channel.guild.members:
        raise ApiError(*UNKNOWN_MEMBER)
    if user.id not in thread.members:
        thread.members[user.id] = call.state.clock()
        call.state.announcements.thread_joined(channel, user)
    return NO_CONTENT


@ROUTES.on("GET", "/channels/{channel_id}/thread-members")
def list_members(call: Call) -> Answer:
    channel, thread = _thread(call)
    users = [call.state.world.users[one] for one in thread.members]
    return Answer(body=[payloads.thread_member(channel, one) for one in users])


def _archived(call: Call, kinds: tuple[ChannelKind, ...]) -> Answer:
    channel = call.channel()
    guards.require(call, channel, Permission.READ_MESSAGE_HISTORY)
    threads = [
        one
        for one in (channel.guild.threads.values() if channel.guild else ())
        if one.parent is channel and one.thread and one.thread.archived and one.kind in kinds
    ]
    threads.sort(key=lambda one: -(one.thread.archived_at if one.thread else 0))
    limit = call.query_number("limit") or 50
    own = [one for one in threads[:limit] if one.thread and call.bot.id in one.thread.members]
    body = {
        "threads": [payloads.channel(one, viewer=call.bot) for one in threads[:limit]],
        "members": [payloads.thread_member(one, call.bot) for one in own],
        "has_more": len(threads) > limit,
    }
    return Answer(body=body)


@ROUTES.on("GET", "/channels/{channel_id}/threads/archived/public")
def list_archived(call: Call) -> Answer:
    return _archived(call, (ChannelKind.PUBLIC_THREAD, ChannelKind.ANNOUNCEMENT_THREAD))


@ROUTES.on("GET", "/channels/{channel_id}/threads/archived/private")
def list_archived_private(call: Call) -> Answer:
    guards.require(call, call.channel(), Permission.MANAGE_THREADS)
    return _archived(call, (ChannelKind.PRIVATE_THREAD,))
