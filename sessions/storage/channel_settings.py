"""Settings of channels, guilds and people in the database; the recently read ones are kept in memory.

Most channels have none, and every message asks: which scopes have any is read once, so that asking for the
others never reaches the database.
"""

import asyncio
from collections.abc import Mapping
from typing import assert_never

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from sessions.channel_settings import ChannelScope, GuildScope, SettingScope, UserScope
from sessions.storage.database import Database
from sessions.storage.read_through import ReadThrough
from sessions.storage.tables import channel_settings

_SCOPES = 4096

_of_scope = (
    channel_settings.c.scope == bindparam("in_scope"),
    channel_settings.c.scope_id == bindparam("in_id"),
)
_one = (*_of_scope, channel_settings.c.key == bindparam("of_key"))
_read = select(channel_settings.c.key, channel_settings.c.value).where(*_of_scope)
_everywhere = select(channel_settings.c.scope, channel_settings.c.scope_id).where(
    channel_settings.c.key == bindparam("of_key")
)
_scopes = select(channel_settings.c.scope, channel_settings.c.scope_id).distinct()
_insert = insert(channel_settings)
_update = update(channel_settings).where(*_one)
_delete = delete(channel_settings).where(*_one)


class StoredChannelSettings:
    """`ChannelSettings`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._held = ReadThrough[SettingScope, dict[str, str]](_SCOPES)
        self._with_settings: set[tuple[str, str]] = set()
        self._scopes_known = False
        self._reading_scopes = asyncio.Lock()

    async def read(self, scope: SettingScope) -> Mapping[str, str]:
        """See `ChannelSettings`."""
        held = self._held.held(scope)
        if held is None and not await self._has_any(scope):
            return {}
        if held is None:
            held = await self._held.load(scope, lambda: self._load(scope))
        return dict(held)

    async def change(self, scope: SettingScope, key: str, value: str | None) -> None:
        """See `ChannelSettings`."""
        name, scope_id = _names(scope)
        self._with_settings.add((name, scope_id))  # before it is stored: whoever asks meanwhile looks there

        def work(connection: Connection) -> None:
            one = {"in_scope": name, "in_id": scope_id, "of_key": key}
            if value is None:
                connection.execute(_delete, one)
            elif connection.execute(_update, {**one, "value": value}).rowcount == 0:
                row = {"scope": name, "scope_id": scope_id, "key": key, "value": value}
                connection.execute(_insert, row)

        def changed(_: None) -> None:
            self._held.change(scope, lambda held: _set(held, key, value))

        await self._database.write(work, changed)

    async def scopes_with(self, key: str) -> tuple[SettingScope, ...]:
        """See `ChannelSettings`."""

        def work(connection: Connection) -> tuple[SettingScope, ...]:
            rows = connection.execute(_everywhere, {"of_key": key})
            return tuple(_scope(row.scope, row.scope_id) for row in rows)

        return await self._database.read(work)

    async def _has_any(self, scope: SettingScope) -> bool:
        if not self._scopes_known:
            async with self._reading_scopes:
                if not self._scopes_known:
                    self._with_settings |= await self._database.read(_read_scopes)
                    self._scopes_known = True
        return _names(scope) in self._with_settings

    async def _load(self, scope: SettingScope) -> dict[str, str]:
        name, scope_id = _names(scope)

        def work(connection: Connection) -> dict[str, str]:
            rows = connection.execute(_read, {"in_scope": name, "in_id": scope_id})
            return {row.key: row.value for row in rows}

        return await self._database.read(work)


def _read_scopes(connection: Connection) -> set[tuple[str, str]]:
    return {(row.scope, row.scope_id) for row in connection.execute(_scopes)}


def _set(held: dict[str, str], key: str, value: str | None) -> None:
    if value is None:
        held.pop(key, None)
    else:
        held[key] = value


def _scope(name: str, scope_id: str) -> SettingScope:
    match name:
        case "channel":
            return ChannelScope(channel_id=scope_id)
        case "guild":
            return GuildScope(guild_id=scope_id)
        case _:
            return UserScope(user_id=scope_id)


def _names(scope: SettingScope) -> tuple[str, str]:
    match scope:
        case ChannelScope():
            return "channel", scope.channel_id
        case GuildScope():
            return "guild", scope.guild_id
        case UserScope():
            return "user", scope.user_id
        case _:
            assert_never(scope)
