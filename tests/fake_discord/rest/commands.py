"""Registration of commands.

Source: https://docs.discord.com/developers/interactions/application-commands
"""

from __future__ import annotations

import re

from tests.fake_discord import payloads
from tests.fake_discord.commands import Command
from tests.fake_discord.entities import Json
from tests.fake_discord.rest.routing import (
    NO_CONTENT,
    UNKNOWN_GUILD,
    Answer,
    ApiError,
    Call,
    Routes,
    invalid_form,
)

ROUTES = Routes()
_SCOPES = (
    "/applications/{application_id}/commands",
    "/applications/{application_id}/guilds/{guild_id}/commands",
)
_SLASH_NAME = re.compile(r"[-_'\w]{1,32}")
_MOST = {1: 100, 2: 15, 3: 15}


def _scope(call: Call) -> int | None:
    if call.number("application_id") != call.state.world.application.id:
        raise ApiError(404, 10002, "Unknown Application")
    if "guild_id" not in call.exchange.params:
        return None
    guild = call.state.world.guilds.get(call.number("guild_id"))
    if guild is None:
        raise ApiError(*UNKNOWN_GUILD)
    return guild.id


def _command(call: Call) -> Command:
    found = call.state.commands.get(_scope(call), call.number("command_id"))
    if found is None:
        raise ApiError(404, 10063, "Unknown application command")
    return found


def _check(one: Json, where: str = "") -> None:
    name, kind = one.get("name") or "", one.get("type") or 1
    if kind == 1:
        if not _SLASH_NAME.fullmatch(name) or name != name.lower():
            raise invalid_form(f"{where}name", "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")
        if not one.get("description"):
            raise invalid_form(f"{where}description", "BASE_TYPE_REQUIRED", "This field is required")
    elif one.get("description"):
        text = "Context menu commands cannot have description"
        raise invalid_form(f"{where}description", "APPLICATION_COMMAND_INVALID_DESCRIPTION", text)


def _list(call: Call) -> Answer:
    return Answer(body=[payloads.command(one) for one in call.state.commands.listed(_scope(call))])


def _overwrite(call: Call) -> Answer:
    scope, definitions = _scope(call), call.body or []
    if not isinstance(definitions, list):
        raise ApiError(400, 50109, "The request body contains invalid JSON.")
    counts = dict.fromkeys(_MOST, 0)
    for index, one in enumerate(definitions):
        _check(one, f"{index}.")
        counts[one.get("type") or 1] += 1
    if any(counts[kind] > most for kind, most in _MOST.items()):
        raise ApiError(400, 30032, "Maximum number of application commands reached (100).")
    if len({(one.get("type") or 1, one["name"]) for one in definitions}) < len(definitions):
        raise ApiError(400, 50035, "Invalid Form Body: application command names must be unique")
    return Answer(body=[payloads.command(one) for one in call.state.commands.overwrite(scope, definitions)])


def _create(call: Call) -> Answer:
    scope = _scope(call)
    _check(call.form)
    made, new = call.state.commands.upsert(scope, call.form)
    return Answer(status=201 if new else 200, body=payloads.command(made))


def _get(call: Call) -> Answer:
    return Answer(body=payloads.command(_command(call)))


def _change(call: Call) -> Answer:
    return Answer(body=payloads.command(call.state.commands.change(_command(call), call.form)))


def _delete(call: Call) -> Answer:
    call.state.commands.remove(_command(call))
    return NO_CONTENT


for _scope_path in _SCOPES:
    ROUTES.on("GET", _scope_path)(_list)
    ROUTES.on("PUT", _scope_path)(_overwrite)
    ROUTES.on("POST", _scope_path)(_create)
    ROUTES.on("GET", _scope_path + "/{command_id}")(_get)
    ROUTES.on("PATCH", _scope_path + "/{command_id}")(_change)
    ROUTES.on("DELETE", _scope_path + "/{command_id}")(_delete)
