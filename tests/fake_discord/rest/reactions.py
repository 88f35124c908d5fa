"""Reactions over REST.

Source: https://docs.discord.com/developers/resources/message#create-reaction
"""

from __future__ import annotations

from urllib.parse import unquote

from tests.fake_discord import payloads
from tests.fake_discord.permissions import Permission
from tests.fake_discord.rate_limits import Limit
from tests.fake_discord.rest import guards
from tests.fake_discord.rest.routing import NO_CONTENT, UNKNOWN_USER, Answer, ApiError, Call, Routes

ROUTES = Routes()
_ALL = "/channels/{channel_id}/messages/{message_id}/reactions"
_ONE = _ALL + "/{emoji_name}"
_LIMIT = Limit(1, 0.25)


def _emoji(call: Call) -> str:
    text = unquote(call.exchange.params["emoji_name"])
    if not text or (text.isascii() and text[0].isalnum() and ":" not in text):
        raise ApiError(400, 10014, "Unknown Emoji")
    return text


@ROUTES.on("PUT", _ONE + "/@me", limit=_LIMIT)
def react(call: Call) -> Answer:
    channel = call.channel()
    bits = guards.require(call, channel, Permission.READ_MESSAGE_HISTORY)
    message, emoji = call.message(channel), _emoji(call)
    guards.require_open(channel)
    if call.state.messages.reaction(message, emoji) is None and not bits & Permission.ADD_REACTIONS:
        raise ApiError(403, 50013, "Missing Permissions")
    call.state.messages.react(message, call.bot, emoji)
    return NO_CONTENT


@ROUTES.on("DELETE", _ONE + "/@me", limit=_LIMIT)
def unreact(call: Call) -> Answer:
    channel = call.channel()
    guards.require(call, channel)
    call.state.messages.unreact(call.message(channel), call.bot, _emoji(call))
    return NO_CONTENT


@ROUTES.on("DELETE", _ONE + "/{user_id}", limit=_LIMIT)
def remove_reaction(call: Call) -> Answer:
    channel = call.channel()
    guards.require(call, channel, Permission.MANAGE_MESSAGES)
    user = call.state.world.users.get(call.number("user_id"))
    if user is None:
        raise ApiError(*UNKNOWN_USER)
    call.state.messages.unreact(call.message(channel), user, _emoji(call))
    return NO_CONTENT


@ROUTES.on("GET", _ONE)
def who_reacted(call: Call) -> Answer:
    channel = call.channel()
    guards.require(call, channel, Permission.READ_MESSAGE_HISTORY)
    reaction = call.state.messages.reaction(call.message(channel), _emoji(call))
    users = list(reaction.users.values()) if reaction else []
    return Answer(body=[payloads.user(one) for one in users[: call.query_number("limit") or 25]])


@ROUTES.on("DELETE", _ONE, limit=_LIMIT)
def clear_emoji(call: Call) -> Answer:
    channel = call.channel()
    guards.require(call, channel, Permission.MANAGE_MESSAGES)
    call.state.messages.clear_reactions(call.message(channel), _emoji(call))
    return NO_CONTENT


@ROUTES.on("DELETE", _ALL, limit=_LIMIT)
def clear_reactions(call: Call) -> Answer:
    channel = call.channel()
    guards.require(call, channel, Permission.MANAGE_MESSAGES)
    call.state.messages.clear_reactions(call.message(channel))
    return NO_CONTENT
