"""Guilds and members over REST.

Source: https://docs.discord.com/developers/resources/guild
"""

from __future__ import annotations

from tests.fake_discord import payloads, permissions
from tests.fake_discord.entities import ChannelKind
from tests.fake_discord.permissions import Permission
from tests.fake_discord.rest.routing import NO_CONTENT, Answer, ApiError, Call, Routes, invalid_form

ROUTES = Routes()


def _require(call: Call, bit: Permission) -> None:
    if not permissions.in_guild(call.bot, call.guild()) & bit:
        raise ApiError(403, 50013, "Missing Permissions")


@ROUTES.on("GET", "/guilds/{guild_id}")
def get_guild(call: Call) -> Answer:
    guild = call.guild()
    made = payloads.guild(guild)
    if call.exchange.query.get("with_counts") in ("true", "1"):
        made |= {"approximate_member_count": len(guild.members), "approximate_presence_count": 0}
    return Answer(body=made)


@ROUTES.on("GET", "/guilds/{guild_id}/channels")
def list_channels(call: Call) -> Answer:
    channels = call.guild().channels.values()
    return Answer(body=[payloads.channel(one, viewer=call.bot) for one in channels])


@ROUTES.on("POST", "/guilds/{guild_id}/channels")
def create_channel(call: Call) -> Answer:
    _require(call, Permission.MANAGE_CHANNELS)
    guild, form = call.guild(), call.form
    parent = guild.channels.get(int(form.get("parent_id") or 0))
    kind = ChannelKind(form.get("type") or 0)
    made = call.state.humans.create_channel(guild, form["name"], kind=kind, parent=parent)
    made.topic = form.get("topic")
    return Answer(status=201, body=payloads.channel(made, viewer=call.bot))


@ROUTES.on("GET", "/guilds/{guild_id}/threads/active")
def list_active_threads(call: Call) -> Answer:
    threads = [one for one in call.guild().threads.values() if one.thread and not one.thread.archived]
    threads = [one for one in threads if permissions.in_channel(call.bot, one)]
    own = [one for one in threads if one.thread and call.bot.id in one.thread.members]
    body = {
        "threads": [payloads.channel(one, viewer=call.bot) for one in threads],
        "members": [payloads.thread_member(one, call.bot) for one in own],
        "has_more": False,
    }
    return Answer(body=body)


@ROUTES.on("GET", "/guilds/{guild_id}/roles")
def list_roles(call: Call) -> Answer:
    return Answer(body=[payloads.role(one) for one in call.guild().roles.values()])


@ROUTES.on("GET", "/guilds/{guild_id}/members")
def list_members(call: Call) -> Answer:
    if not call.state.world.application.server_members_intent:
        raise ApiError(403, 50001, "Missing Access")
    after, limit = call.query_number("after") or 0, call.query_number("limit") or 1
    found = sorted(
        (one for one in call.guild().members.values() if one.user.id > after), key=lambda m: m.user.id
    )
    return Answer(body=[payloads.member(one) for one in found[:limit]])


@ROUTES.on("GET", "/guilds/{guild_id}/members/search")
def search_members(call: Call) -> Answer:
    query, limit = call.exchange.query.get("query", "").lower(), call.query_number("limit") or 1
    found = [
        one
        for one in call.guild().members.values()
        if one.user.name.lower().startswith(query) or (one.nick or "").lower().startswith(query)
    ]
    return Answer(body=[payloads.member(one) for one in found[:limit]])


@ROUTES.on("GET", "/guilds/{guild_id}/members/{user_id}")
def get_member(call: Call) -> Answer:
    return Answer(body=payloads.member(call.member(call.guild())))


@ROUTES.on("PATCH", "/guilds/{guild_id}/members/@me")
def change_own_member(call: Call) -> Answer:
    guild = call.guild()
    member = guild.members[call.bot.id]
    if "nick" in call.form:
        if len(call.form["nick"] or "") > 32:
            raise invalid_form("nick", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 32 in length.")
        member = call.state.humans.change_member(guild, call.bot, nick=call.form["nick"] or None)
    return Answer(body=payloads.member(member))


@ROUTES.on("PATCH", "/guilds/{guild_id}/voice-states/@me")
def change_own_voice_state(call: Call) -> Answer:
    state = call.guild().voice_states.get(call.bot.id)
    if state is None:
        raise ApiError(404, 10065, "Unknown Voice State")
    state.suppress = bool(call.form.get("suppress", state.suppress))
    return NO_CONTENT


@ROUTES.on("GET", "/guilds/{guild_id}/emojis")
def list_emojis(call: Call) -> Answer:
    return Answer(body=call.guild().emojis)


@ROUTES.on("GET", "/guilds/{guild_id}/stickers")
def list_stickers(call: Call) -> Answer:
    return Answer(body=call.guild().stickers)
