"""Which tools a reply may use: what the deployment, the place and everybody who asks are allowed (TEXT-9).

An allowance is a list of names with commas between, where * stands for any letters; an empty one allows none.
"""

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Final

from core.tools.tool import AnyTool
from recipes.run_scene import Place
from sessions.channel_settings import ChannelScope, ChannelSettings, GuildScope, SettingScope, UserScope

ALLOWED_TOOLS: Final = "allowed_tools"
"""The key of an allowance among the settings of a person, channel or server."""
EVERY_TOOL: Final = "*"


def is_allowed(name: str, allowances: Iterable[str]) -> bool:
    """Whether every allowance names the tool."""
    return all(
        any(fnmatchcase(name, pattern.strip()) for pattern in allowance.split(","))
        for allowance in allowances
    )


class ToolAllowance:
    """Reads what is stored; `deployment` holds everywhere."""

    def __init__(self, settings: ChannelSettings, *, deployment: str) -> None:
        self._settings = settings
        self._deployment = deployment

    async def of(
        self, tools: tuple[AnyTool, ...], place: Place, people: Iterable[str]
    ) -> tuple[AnyTool, ...]:
        """Those of `tools` that a reply to these people may use there."""
        allowances = [self._deployment]
        for scope in _scopes(place, people):
            stored = (await self._settings.read(scope)).get(ALLOWED_TOOLS)
            if stored is not None:
                allowances.append(stored)
        if allowances == [EVERY_TOOL]:
            return tools
        return tuple(tool for tool in tools if is_allowed(tool.name, allowances))


def _scopes(place: Place, people: Iterable[str]) -> list[SettingScope]:
    scopes: list[SettingScope] = [UserScope(user_id=person) for person in people]
    if place.channel_id is not None:
        scopes.append(ChannelScope(channel_id=place.channel_id))
    if place.guild_id is not None:
        scopes.append(GuildScope(guild_id=place.guild_id))
    return scopes
