"""The application's registered commands, global and per guild, as the bot wrote them."""

from __future__ import annotations

from dataclasses import dataclass

from tests.fake_discord.entities import Json
from tests.fake_discord.snowflakes import Snowflakes

_LIKE_NULL = {"options": (None, []), "nsfw": (None, False)}


@dataclass(slots=True, eq=False, kw_only=True)
class Command:
    """`definition` is the bot's own JSON; `kind` 1 slash command, 2 on a user, 3 on a message."""

    id: int
    application_id: int
    guild_id: int | None
    version: int
    definition: Json

    @property
    def name(self) -> str:
        return self.definition["name"]

    @property
    def kind(self) -> int:
        return self.definition.get("type") or 1

    @property
    def description(self) -> str:
        return self.definition.get("description") or ""


class Commands:
    """Two scopes: `None` is global, else a guild id. Names are unique per scope and kind."""

    def __init__(self, snowflakes: Snowflakes, application_id: int) -> None:
        self._snowflakes = snowflakes
        self._application_id = application_id
        self._by_scope: dict[int | None, dict[tuple[int, str], Command]] = {}
        self.writes = 0
        """How often the bot wrote commands (CMD-2: once per change)."""

    def listed(self, guild_id: int | None = None) -> list[Command]:
        return list(self._by_scope.get(guild_id, {}).values())

    def get(self, guild_id: int | None, command_id: int) -> Command | None:
        return next((one for one in self.listed(guild_id) if one.id == command_id), None)

    def find(self, guild_id: int | None, name: str, kind: int = 1) -> Command:
        """The command that a user in that guild sees; a guild's own one comes first."""
        for scope in (guild_id, None):
            if known := self._by_scope.get(scope, {}).get((kind, name)):
                return known
        known_names = sorted({one.name for scope in (guild_id, None) for one in self.listed(scope)})
        raise LookupError(f"no command {name!r}; the bot registered {known_names}")

    def overwrite(self, guild_id: int | None, definitions: list[Json]) -> list[Command]:
        self.writes += 1
        old = self._by_scope.get(guild_id, {})
        self._by_scope[guild_id] = {}
        return [self._put(guild_id, definition, old) for definition in definitions]

    def upsert(self, guild_id: int | None, definition: Json) -> tuple[Command, bool]:
        """The command, and whether it is new."""
        self.writes += 1
        scope = self._by_scope.setdefault(guild_id, {})
        key = (definition.get("type") or 1, definition["name"])
        new = key not in scope
        return self._put(guild_id, definition, scope), new

    def change(self, command: Command, changes: Json) -> Command:
        self.writes += 1
        self.remove(command, counts=False)
        command.definition = command.definition | changes
        command.version = self._snowflakes.next()
        self._by_scope.setdefault(command.guild_id, {})[command.kind, command.name] = command
        return command

    def remove(self, command: Command, *, counts: bool = True) -> None:
        self.writes += counts
        self._by_scope.get(command.guild_id, {}).pop((command.kind, command.name), None)

    def _put(self, guild_id: int | None, definition: Json, old: dict[tuple[int, str], Command]) -> Command:
        definition = {key: value for key, value in definition.items() if value not in _LIKE_NULL.get(key, ())}
        key = (definition.get("type") or 1, definition["name"])
        made = old.get(key)
        if made is None or made.definition != definition:
            made = Command(
                id=made.id if made else self._snowflakes.next(),
                application_id=self._application_id,
                guild_id=guild_id,
                version=self._snowflakes.next(),
                definition=definition,
            )
        self._by_scope.setdefault(guild_id, {})[key] = made
        return made
