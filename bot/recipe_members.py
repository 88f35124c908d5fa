"""Whether plain members of a server use its recipes: a setting of the server, off by default (REC-3)."""

from typing import Final

from sessions.channel_settings import ChannelSettings, GuildScope

RECIPE_MEMBERS: Final = "recipe_members"
"""The key among a server's settings."""

_ON: Final = "on"


class RecipeMembers:
    """Reads and changes the setting."""

    def __init__(self, settings: ChannelSettings) -> None:
        self._settings = settings

    async def members_may(self, guild_id: str) -> bool:
        """Whether they may."""
        return (await self._settings.read(GuildScope(guild_id=guild_id))).get(RECIPE_MEMBERS) == _ON

    async def let_members(self, guild_id: str, *, use: bool) -> None:
        """Let them, or not, from the next message on."""
        await self._settings.change(GuildScope(guild_id=guild_id), RECIPE_MEMBERS, _ON if use else None)
