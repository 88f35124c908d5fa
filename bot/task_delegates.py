"""Whom the owner lets use the backend agent, beside themselves: a list of each server (TASK-9)."""

from typing import Final

from sessions.channel_settings import ChannelSettings, GuildScope

BACKEND_USERS: Final = "backend_users"
"""The key among a server's settings."""


class TaskDelegates:
    """Reads and changes the list."""

    def __init__(self, settings: ChannelSettings) -> None:
        self._settings = settings

    async def allowed(self, guild_id: str) -> frozenset[str]:
        """The ids of those who may."""
        listed = (await self._settings.read(GuildScope(guild_id=guild_id))).get(BACKEND_USERS, "")
        return frozenset(one for one in listed.split(",") if one)

    async def guilds_of(self, user_id: str) -> tuple[str, ...]:
        """The servers whose lists name the person."""
        scopes = await self._settings.scopes_with(BACKEND_USERS)
        guilds = [scope.guild_id for scope in scopes if isinstance(scope, GuildScope)]
        return tuple(sorted([guild for guild in guilds if user_id in await self.allowed(guild)]))

    async def let(self, guild_id: str, user_id: str, *, use: bool) -> None:
        """Let somebody, or not, from the next message on."""
        allowed = await self.allowed(guild_id)
        changed = allowed | {user_id} if use else allowed - {user_id}
        listed = ",".join(sorted(changed)) or None
        await self._settings.change(GuildScope(guild_id=guild_id), BACKEND_USERS, listed)
