"""What settings hold of a person (MEM-6): where they may use the backend, and what was set for them alone.

What the bot's owner has set for somebody, such as a limit, is not theirs to remove: exported, it stays.
"""

from collections.abc import Mapping
from typing import Final

from bot.discord_chat.readers import CLIENT_LANGUAGE
from bot.scene_zones import TIME_ZONE
from bot.task_delegates import TaskDelegates
from sessions.channel_settings import ChannelSettings, UserScope

_THEIRS: Final = {TIME_ZONE: "time_zones", CLIENT_LANGUAGE: "languages"}


class PersonSettingsData:
    """The `PersonalData` of settings; their table is another's."""

    def __init__(self, settings: ChannelSettings, delegates: TaskDelegates) -> None:
        self._settings = settings
        self._delegates = delegates

    @property
    def tables(self) -> frozenset[str]:
        """See `PersonalData`."""
        return frozenset()

    async def export(self, user_id: str) -> Mapping[str, object]:
        """See `PersonalData`."""
        return {
            "settings": dict(await self._settings.read(UserScope(user_id=user_id))),
            "may_use_the_backend_in": list(await self._delegates.guilds_of(user_id)),
        }

    async def forget(self, user_id: str) -> Mapping[str, int]:
        """See `PersonalData`."""
        guild_ids = await self._delegates.guilds_of(user_id)
        for guild_id in guild_ids:
            await self._delegates.let(guild_id, user_id, use=False)
        own = UserScope(user_id=user_id)
        held = await self._settings.read(own)
        counts = {"permissions": len(guild_ids)}
        for key, name in _THEIRS.items():
            if key in held:
                await self._settings.change(own, key, None)
                counts[name] = 1
        return counts
