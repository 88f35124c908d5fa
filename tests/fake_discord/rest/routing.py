"""Routes, calls and answers: the frame in which each REST module writes its handlers.

Handlers are plain functions: a request takes effect at once and as a whole, as it does on Discord.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from tests.fake_discord.entities import Channel, Guild, Json, Member, Message, User
from tests.fake_discord.rate_limits import Limit
from tests.fake_discord.recorder import Exchange
from tests.fake_discord.state import State

DEFAULT_LIMIT = Limit(10, 10.0)
Access = Literal["bot", "token", "open"]


@dataclass(slots=True, kw_only=True)
class Answer:
    """`body` None: no content."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict[str, str])


NO_CONTENT = Answer(status=204)


class ApiError(Exception):
    """An error in Discord's form.

    Source: https://docs.discord.com/developers/topics/opcodes-and-status-codes
    """

    def __init__(
        self, status: int, code: int, message: str, *, errors: Json | None = None, more: Json | None = None
    ) -> None:
        super().__init__(f"{status} {code} {message}")
        self.status = status
        self.body: Json = {"message": message, "code": code} | (more or {})
        if errors is not None:
            self.body["errors"] = errors


def invalid_form(path: str, code: str, message: str) -> ApiError:
    """Error 50035 at a field such as "content" or "embeds.0.title"."""
    errors: Json = {"_errors": [{"code": code, "message": message}]}
    for part in reversed(path.split(".")):
        errors = {part: errors}
    return ApiError(400, 50035, "Invalid Form Body", errors=errors)


UNKNOWN_CHANNEL = (404, 10003, "Unknown Channel")
UNKNOWN_GUILD = (404, 10004, "Unknown Guild")
UNKNOWN_MEMBER = (404, 10007, "Unknown Member")
UNKNOWN_MESSAGE = (404, 10008, "Unknown Message")
UNKNOWN_USER = (404, 10013, "Unknown User")


@dataclass(slots=True, kw_only=True)
class Call:
    """One request with the state it works on; finders raise Discord's error when there is no such thing."""

    state: State
    exchange: Exchange

    @property
    def bot(self) -> User:
        return self.state.world.bot

    @property
    def body(self) -> Any:
        return self.exchange.json

    @property
    def form(self) -> Json:
        """The body as an object."""
        body = self.exchange.json
        if body is None:
            return {}
        if not isinstance(body, dict):
            raise ApiError(400, 50109, "The request body contains invalid JSON.")
        return body

    def number(self, name: str) -> int:
        text = self.exchange.params[name]
        if not text.isdigit():
            raise invalid_form(name, "NUMBER_TYPE_COERCE", f'Value "{text}" is not snowflake.')
        return int(text)

    def query_number(self, name: str) -> int | None:
        text = self.exchange.query.get(name)
        return int(text) if text and text.isdigit() else None

    def guild(self) -> Guild:
        found = self.state.world.guilds.get(self.number("guild_id"))
        if found is None or self.bot.id not in found.members:
            raise ApiError(*UNKNOWN_GUILD)
        return found

    def channel(self) -> Channel:
        found = self.state.world.channels.get(self.number("channel_id"))
        if found is None:
            raise ApiError(*UNKNOWN_CHANNEL)
        return found

    def message(self, channel: Channel) -> Message:
        found = channel.messages.get(self.number("message_id"))
        if found is None:
            raise ApiError(*UNKNOWN_MESSAGE)
        return found

    def member(self, guild: Guild) -> Member:
        found = guild.members.get(self.number("user_id"))
        if found is None:
            raise ApiError(*UNKNOWN_MEMBER)
        return found


Handler = Callable[[Call], Answer]


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """`template` has the names of Discord's OpenAPI document; `bucket` names what shares one rate limit."""

    method: str
    template: str
    handler: Handler
    limit: Limit
    access: Access
    bucket: str

    def major(self, params: dict[str, str]) -> str:
        return params.get("channel_id") or params.get("guild_id") or params.get("webhook_token") or ""


class Routes:
    """A table that the REST modules fill by decorators."""

    def __init__(self) -> None:
        self.table: list[Route] = []

    def on(
        self, method: str, template: str, *, limit: Limit = DEFAULT_LIMIT, access: Access = "bot"
    ) -> Callable[[Handler], Handler]:
        def add(handler: Handler) -> Handler:
            route = Route(
                method=method,
                template=template,
                handler=handler,
                limit=limit,
                access=access,
                bucket=f"{method} {template}",
            )
            self.table.append(route)
            return handler

        return add


class _Node:
    __slots__ = ("literal", "name", "parameter", "routes")

    def __init__(self) -> None:
        self.literal: dict[str, _Node] = {}
        self.parameter: _Node | None = None
        self.name = ""
        self.routes: dict[str, tuple[Route, tuple[str, ...]]] = {}


class Router:
    """Finds a path's route in as many steps as it has parts; literal parts win over parameters."""

    def __init__(self, tables: Iterable[Routes]) -> None:
        self._root = _Node()
        for table in tables:
            for route in table.table:
                self._add(route)

    def _add(self, route: Route) -> None:
        node, names = self._root, []
        for part in route.template.strip("/").split("/"):
            if part.startswith("{"):
                names.append(part[1:-1])
                node.parameter = node.parameter or _Node()
                node = node.parameter
            else:
                node = node.literal.setdefault(part, _Node())
        if route.method in node.routes:
            raise ValueError(f"two handlers for {route.method} {route.template}")
        node.routes[route.method] = (route, tuple(names))

    def find(self, method: str, path: str) -> tuple[Route | None, dict[str, str], bool]:
        """The route, its parameters, and whether the path exists with another method."""
        values: list[str] = []
        node = self._walk(self._root, path.strip("/").split("/"), 0, values)
        if node is None:
            return None, {}, False
        entry = node.routes.get(method)
        if entry is None:
            return None, {}, True
        route, names = entry
        return route, dict(zip(names, values, strict=True)), True

    def _walk(self, node: _Node, parts: list[str], index: int, values: list[str]) -> _Node | None:
        if index == len(parts):
            return node if node.routes else None
        part = parts[index]
        child = node.literal.get(part)
        if child is not None and (found := self._walk(child, parts, index + 1, values)) is not None:
            return found
        if node.parameter is None:
            return None
        values.append(part)
        if (found := self._walk(node.parameter, parts, index + 1, values)) is None:
            values.pop()
        return found
