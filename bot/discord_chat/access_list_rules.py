"""Whom the bot serves, and where: lists of guilds, channels, roles and users (TEXT-9)."""

from collections.abc import Collection
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessLists:
    """Ids. A deny list goes before every allow list; an empty allow list allows all.

    Lists of guilds and channels hold in servers alone. A person who is allowed by id needs no allowed role;
    in direct messages nobody has a role.
    """

    allowed_guilds: frozenset[int] = frozenset()
    denied_guilds: frozenset[int] = frozenset()
    allowed_channels: frozenset[int] = frozenset()
    denied_channels: frozenset[int] = frozenset()
    allowed_roles: frozenset[int] = frozenset()
    denied_roles: frozenset[int] = frozenset()
    allowed_users: frozenset[int] = frozenset()
    denied_users: frozenset[int] = frozenset()

    @property
    def look_at_roles(self) -> bool:
        """Whether the roles of a person decide anything."""
        return bool(self.allowed_roles or self.denied_roles)

    @property
    def are_empty(self) -> bool:
        """Whether everybody is served everywhere."""
        places = self.allowed_guilds or self.denied_guilds or self.allowed_channels or self.denied_channels
        return not (places or self.look_at_roles or self.allowed_users or self.denied_users)


def admits(
    lists: AccessLists,
    *,
    guild_id: int | None,
    channel_ids: Collection[int],
    user_id: int,
    role_ids: Collection[int],
) -> bool:
    """Whether the person is served there; `channel_ids` are the channel and, of a thread, its parent."""
    if guild_id is not None:
        if guild_id in lists.denied_guilds or lists.denied_channels.intersection(channel_ids):
            return False
        if lists.allowed_guilds and guild_id not in lists.allowed_guilds:
            return False
        if lists.allowed_channels and not lists.allowed_channels.intersection(channel_ids):
            return False
    if user_id in lists.denied_users or lists.denied_roles.intersection(role_ids):
        return False
    if not (lists.allowed_users or lists.allowed_roles):
        return True
    return user_id in lists.allowed_users or bool(lists.allowed_roles.intersection(role_ids))
