"""The time zone of a scene: a setting of its server, or of direct messages (TASK-14)."""

import asyncio
from typing import Final
from zoneinfo import ZoneInfo

from bot.scene_choices import channel_scope, server_scope
from recipes.run_scene import RunScene
from sessions.bindings import ChannelBinding
from sessions.channel_settings import ChannelSettings, SettingScope

TIME_ZONE: Final = "time_zone"
"""The key among the settings."""


class StoredZones:
    """`SceneZones`."""

    def __init__(self, settings: ChannelSettings) -> None:
        self._settings = settings

    async def zone(self, scene: RunScene) -> ZoneInfo:
        """See `SceneZones`."""
        scope = _scope(scene)
        name = None if scope is None else (await self._settings.read(scope)).get(TIME_ZONE)
        return await asyncio.to_thread(ZoneInfo, name or "UTC")

    async def choose(self, scene: RunScene, name: str) -> bool:
        """Let `name` hold in the server or the direct messages; False when there is no such zone."""
        scope = _scope(scene)
        if scope is None:
            return False
        try:
            zone = await asyncio.to_thread(ZoneInfo, name.strip())
        except (KeyError, ValueError, OSError):
            return False
        await self._settings.change(scope, TIME_ZONE, zone.key)
        return True


def _scope(scene: RunScene) -> SettingScope | None:
    place = scene.place
    if place.channel_id is None:
        return None
    guild_id = None if place.guild_id is None else int(place.guild_id)
    binding = ChannelBinding(channel_id=int(place.channel_id), guild_id=guild_id)
    return channel_scope(binding) if guild_id is None else server_scope(binding)
