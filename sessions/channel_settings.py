"""Settings that a room chose for itself, or that hold for a person: small texts by key.

What the keys mean belongs to whoever reads them (the trigger mode, the persona); an unknown key stays stored.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelScope:
    """The settings of one channel."""

    channel_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GuildScope:
    """The settings that a guild's channels share."""

    guild_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UserScope:
    """What holds for one person: what the bot's owner has set (TEXT-9), and what they chose themselves."""

    user_id: str


SettingScope = ChannelScope | GuildScope | UserScope


class ChannelSettings(Protocol):
    """Reads and changes settings. Cheap to read per message."""

    async def read(self, scope: SettingScope) -> Mapping[str, str]:
        """All settings of the scope."""
        ...

    async def change(self, scope: SettingScope, key: str, value: str | None) -> None:
        """Sets one, or takes it away with None."""
        ...

    async def scopes_with(self, key: str) -> tuple[SettingScope, ...]:
        """Where that key is set, in no order. Reads all there is: for starts, not per message."""
        ...


def effective(*, guild: Mapping[str, str], channel: Mapping[str, str]) -> Mapping[str, str]:
    """What holds in a channel: its own setting, else its guild's."""
    return {**guild, **channel}
