"""The time zone that holds for a person in a scene: their own, else that of the server (TASK-14).

People choose their own in direct messages; it holds for them everywhere.
"""

import asyncio
from collections.abc import Iterator
from typing import Final
from zoneinfo import ZoneInfo

from recipes.run_scene import RunScene
from sessions.channel_settings import ChannelScope, ChannelSettings, GuildScope, SettingScope, UserScope

TIME_ZONE: Final = "time_zone"
"""The key among the settings."""


class StoredZones:
    """`SceneZones`."""

    def __init__(self, settings: ChannelSettings) -> None:
        self._settings = settings

    async def zone(self, scene: RunScene) -> ZoneInfo:
        """See `SceneZones`."""
        for scope in _scopes(scene):
            name = (await self._settings.read(scope)).get(TIME_ZONE)
            zone = None if name is None else await asyncio.to_thread(_zone, name)
            if zone is not None:
                return zone
        return await asyncio.to_thread(ZoneInfo, "UTC")

    async def choose(self, scene: RunScene, name: str) -> bool:
        """Let `name` hold in the server, in direct messages for the person; False: there is no such zone."""
        scope = _chosen_in(scene)
        zone = await asyncio.to_thread(_zone, name)
        if scope is None or zone is None:
            return False
        await self._settings.change(scope, TIME_ZONE, zone.key)
        return True


def _scopes(scene: RunScene) -> Iterator[SettingScope]:
    """Where a zone may be chosen that holds in a scene, the nearest first."""
    if scene.speaker is not None:
        yield UserScope(user_id=scene.speaker.id)
    place = scene.place
    if place.guild_id is not None:
        yield GuildScope(guild_id=place.guild_id)
    elif place.channel_id is not None:
        yield ChannelScope(channel_id=place.channel_id)  # where direct messages had one of their own


def _chosen_in(scene: RunScene) -> SettingScope | None:
    if scene.place.guild_id is not None:
        return GuildScope(guild_id=scene.place.guild_id)
    return None if scene.speaker is None else UserScope(user_id=scene.speaker.id)


def _zone(name: str) -> ZoneInfo | None:
    try:
        return ZoneInfo(name.strip())
    except (KeyError, ValueError, OSError):
        return None
