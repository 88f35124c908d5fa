"""Users, the application, where the gateway is.

Source: https://docs.discord.com/developers/resources/user
"""

from __future__ import annotations

from tests.fake_discord import payloads, permissions
from tests.fake_discord.rest.routing import (
    NO_CONTENT,
    UNKNOWN_GUILD,
    UNKNOWN_USER,
    Answer,
    ApiError,
    Call,
    Routes,
)

ROUTES = Routes()


@ROUTES.on("GET", "/gateway", access="open")
def get_gateway(call: Call) -> Answer:
    return Answer(body={"url": call.state.gateway.url})


@ROUTES.on("GET", "/gateway/bot")
def get_gateway_for_bot(call: Call) -> Answer:
    start = {"total": 1000, "remaining": 1000, "reset_after": 86_400_000, "max_concurrency": 1}
    return Answer(body={"url": call.state.gateway.url, "shards": 1, "session_start_limit": start})


@ROUTES.on("GET", "/users/@me")
def get_self(call: Call) -> Answer:
    return Answer(body=payloads.own_user(call.bot))


@ROUTES.on("PATCH", "/users/@me")
def change_self(call: Call) -> Answer:
    call.bot.name = call.form.get("username") or call.bot.name
    return Answer(body=payloads.own_user(call.bot))


@ROUTES.on("GET", "/users/{user_id}")
def get_user(call: Call) -> Answer:
    found = call.state.world.users.get(call.number("user_id"))
    if found is None:
        raise ApiError(*UNKNOWN_USER)
    return Answer(body=payloads.user(found))


@ROUTES.on("POST", "/users/@me/channels")
def open_dm(call: Call) -> Answer:
    user = call.state.world.users.get(int(call.form.get("recipient_id") or 0))
    if user is None or user is call.bot:
        raise ApiError(400, 50033, "Invalid Recipient(s)")
    return Answer(body=payloads.channel(call.state.world.dm(user), viewer=call.bot))


@ROUTES.on("GET", "/users/@me/guilds")
def list_guilds(call: Call) -> Answer:
    found = [
        {
            "id": str(one.id),
            "name": one.name,
            "icon": None,
            "banner": None,
            "owner": one.owner is call.bot,
            "permissions": str(permissions.in_guild(call.bot, one)),
            "features": [],
            "approximate_member_count": len(one.members),
            "approximate_presence_count": 0,
        }
        for one in call.state.world.guilds.values()
        if call.bot.id in one.members
    ]
    return Answer(body=found)


@ROUTES.on("DELETE", "/users/@me/guilds/{guild_id}")
def leave_guild(call: Call) -> Answer:
    found = call.state.world.guilds.get(call.number("guild_id"))
    if found is None or call.bot.id not in found.members:
        raise ApiError(*UNKNOWN_GUILD)
    call.state.humans.remove_bot_from(found)
    return NO_CONTENT


@ROUTES.on("GET", "/applications/@me")
@ROUTES.on("GET", "/oauth2/applications/@me")
def get_application(call: Call) -> Answer:
    return Answer(body=payloads.application(call.state.world.application, call.state.world))


@ROUTES.on("PATCH", "/applications/@me")
def change_application(call: Call) -> Answer:
    application = call.state.world.application
    application.description = call.form.get("description") or application.description
    return Answer(body=payloads.application(application, call.state.world))


@ROUTES.on("GET", "/applications/{application_id}/emojis")
def list_application_emojis(call: Call) -> Answer:
    return Answer(body={"items": []})


@ROUTES.on("GET", "/voice/regions")
def list_voice_regions(call: Call) -> Answer:
    return Answer(body=[])
