"""Channels over REST.

Source: https://docs.discord.com/developers/resources/channel
"""

from __future__ import annotations

from tests.fake_discord import payloads
from tests.fake_discord.entities import Channel, Overwrite
from tests.fake_discord.permissions import Permission
from tests.fake_discord.rest import guards
from tests.fake_discord.rest.routing import NO_CONTENT, Answer, Call, Routes, invalid_form

ROUTES = Routes()


@ROUTES.on("GET", "/channels/{channel_id}")
def get_channel(call: Call) -> Answer:
    channel = call.channel()
    guards.require(call, channel)
    return Answer(body=payloads.channel(channel, viewer=call.bot))


@ROUTES.on("PATCH", "/channels/{channel_id}")
def change_channel(call: Call) -> Answer:
    channel, form = call.channel(), call.form
    if channel.thread is not None:
        return _change_thread(call, channel)
    guards.require(call, channel, Permission.MANAGE_CHANNELS)
    if len(form.get("name") or "x") > 100:
        raise invalid_form("name", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length.")
    channel.name = form.get("name") or channel.name
    if "topic" in form:
        channel.topic = form["topic"]
    if "rate_limit_per_user" in form:
        channel.slow_mode_s = form["rate_limit_per_user"] or 0
    if "parent_id" in form and channel.guild is not None:
        channel.parent = channel.guild.channels.get(int(form["parent_id"] or 0))
    channel.position = form.get("position") or channel.position
    call.state.announcements.channel_changed(channel)
    return Answer(body=payloads.channel(channel, viewer=call.bot))


def _change_thread(call: Call, channel: Channel) -> Answer:
    thread, form = channel.thread, call.form
    assert thread is not None
    only_opens = set(form) == {"archived"} and not form["archived"]
    if thread.locked or (thread.owner is not call.bot and not only_opens):
        guards.require(call, channel, Permission.MANAGE_THREADS)
    else:
        guards.require(call, channel, Permission.SEND_MESSAGES_IN_THREADS)
    if thread.archived and form.get("archived") is not False:
        guards.require_open(channel)
    channel.name = form.get("name") or channel.name
    if "archived" in form and thread.archived != form["archived"]:
        thread.archived, thread.archived_at = bool(form["archived"]), call.state.clock()
    if "locked" in form:
        thread.locked = bool(form["locked"])
    thread.auto_archive_minutes = form.get("auto_archive_duration") or thread.auto_archive_minutes
    if "rate_limit_per_user" in form:
        channel.slow_mode_s = form["rate_limit_per_user"] or 0
    if "applied_tags" in form:
        thread.applied_tags = [int(one) for one in form["applied_tags"] or ()]
    call.state.announcements.channel_changed(channel)
    return Answer(body=payloads.channel(channel, viewer=call.bot))


@ROUTES.on("DELETE", "/channels/{channel_id}")
def delete_channel(call: Call) -> Answer:
    channel = call.channel()
    if channel.guild is None:
        return Answer(body=payloads.channel(channel, viewer=call.bot))  # closes a DM, which stays
    needed = Permission.MANAGE_CHANNELS if channel.thread is None else Permission.MANAGE_THREADS
    guards.require(call, channel, needed)
    made = payloads.channel(channel, viewer=call.bot)
    call.state.humans.delete_channel(channel)
    return Answer(body=made)


@ROUTES.on("PUT", "/channels/{channel_id}/permissions/{overwrite_id}")
def set_overwrite(call: Call) -> Answer:
    channel, form = call.channel(), call.form
    guards.require(call, channel, Permission.MANAGE_ROLES)
    number = call.number("overwrite_id")
    channel.overwrites[number] = Overwrite(
        target_id=number,
        of_role=int(form.get("type") or 0) == 0,
        allow=int(form.get("allow") or 0),
        deny=int(form.get("deny") or 0),
    )
    call.state.announcements.channel_changed(channel)
    return NO_CONTENT


@ROUTES.on("DELETE", "/channels/{channel_id}/permissions/{overwrite_id}")
def remove_overwrite(call: Call) -> Answer:
    channel = call.channel()
    guards.require(call, channel, Permission.MANAGE_ROLES)
    channel.overwrites.pop(call.number("overwrite_id"), None)
    call.state.announcements.channel_changed(channel)
    return NO_CONTENT
