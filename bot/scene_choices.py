"""What a room has chosen for itself: its own choice, else its server's (CORE-44, SET-8)."""

from dataclasses import dataclass
from enum import StrEnum

from sessions.bindings import Binding, ChannelBinding
from sessions.channel_settings import ChannelScope, ChannelSettings, GuildScope, SettingScope


class Chosen(StrEnum):
    """Where a choice stands, in words for people."""

    HERE = "chosen for this channel"
    PARENT = "chosen for the channel of this thread"
    SERVER = "chosen for this server"
    DEFAULT = "the default"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A choice that was made."""

    value: str
    chosen: Chosen


async def choices(settings: ChannelSettings, binding: Binding, key: str) -> tuple[Choice, ...]:
    """The choices that hold in a scene, the nearest first."""
    read = [((await settings.read(scope)).get(key), chosen) for scope, chosen in _scopes(binding)]
    return tuple(Choice(value=value, chosen=chosen) for value, chosen in read if value is not None)


def channel_scope(binding: Binding) -> ChannelScope:
    """The scope of a scene's own choices."""
    if isinstance(binding, ChannelBinding):
        return ChannelScope(channel_id=str(binding.channel_id))
    return ChannelScope(channel_id=binding.session_id)


def server_scope(binding: Binding) -> GuildScope | None:
    """The scope that a scene shares with its server; None outside of servers."""
    if isinstance(binding, ChannelBinding) and binding.guild_id is not None:
        return GuildScope(guild_id=str(binding.guild_id))
    return None


def _scopes(binding: Binding) -> tuple[tuple[SettingScope, Chosen], ...]:
    own, server = (channel_scope(binding), Chosen.HERE), server_scope(binding)
    return (own,) if server is None else (own, (server, Chosen.SERVER))
