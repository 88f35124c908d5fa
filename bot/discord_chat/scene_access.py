"""Where a scene of Discord is and who somebody is there: what recipes and memory may do follows from it.

Answers come from discord.py's cache; a member whom it does not hold is asked for once in a while. What is not
known is closed: an unknown channel counts as private, an unknown person as a member.
"""

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Final

import discord

from bot.discord_chat.incoming import role_ids_of
from core.clock import Clock
from recipes.run_scene import Place, Standing
from sessions.bindings import ChannelBinding, read_binding

_KNOWN_FOR_S: Final = 300.0
_MOST_KNOWN: Final = 10_000


def is_owner_of(application: discord.AppInfo | None, user_id: int) -> bool:
    """Whether the user owns the bot's application, or develops it in the team that does."""
    if application is None:
        return False
    if application.team is None:
        return application.owner.id == user_id
    may = {discord.TeamMemberRole.admin, discord.TeamMemberRole.developer}
    return application.team.owner_id == user_id or any(
        member.id == user_id
        and member.role in may
        and member.membership_state is discord.TeamMembershipState.accepted
        for member in application.team.members
    )


class DiscordAccess:
    """The `SceneAccess` of Discord. `owners`: ids that settings add to those of the application.

    `seen` returns once Discord has told of its channels: before that, work that a start goes on with would
    take every place for a private one.
    """

    def __init__(
        self,
        client: discord.Client,
        *,
        owners: frozenset[int],
        clock: Clock,
        seen: Callable[[], Awaitable[object]],
    ) -> None:
        self._client = client
        self._seen = seen
        self._owners = owners
        self._clock = clock
        self._asked: OrderedDict[tuple[int, int], tuple[float, Standing]] = OrderedDict()

    async def place(self, session_id: str) -> Place:
        """See `SceneAccess`."""
        binding = read_binding(session_id)
        if not isinstance(binding, ChannelBinding):
            return Place(session_id=session_id)
        if self._client.get_channel(binding.channel_id) is None:
            await self._seen()
        return self.place_of(self._client.get_channel(binding.channel_id), session_id)

    def place_of(self, channel: object, session_id: str) -> Place:
        """The place of a channel as discord.py has it; None where it has none."""
        binding = read_binding(session_id)
        channel_id = str(binding.channel_id) if isinstance(binding, ChannelBinding) else None
        if isinstance(channel, discord.abc.GuildChannel | discord.Thread):
            return Place(
                session_id=session_id,
                guild_id=str(channel.guild.id),
                channel_id=channel_id,
                is_private=not _everyone_sees(channel),
            )
        recipient = channel.recipient if isinstance(channel, discord.DMChannel) else None
        return Place(
            session_id=session_id,
            channel_id=channel_id,
            direct_with=None if recipient is None else str(recipient.id),
        )

    def is_owner(self, user_id: int) -> bool:
        """By the application, or by settings."""
        return user_id in self._owners or is_owner_of(self._client.application, user_id)

    async def standing(self, place: Place, user_id: str) -> Standing:
        """See `SceneAccess`."""
        if not user_id.isdecimal():
            return Standing.MEMBER
        if self.is_owner(int(user_id)):
            return Standing.OWNER
        if place.guild_id is None:
            return Standing.MEMBER
        guild = self._client.get_guild(int(place.guild_id))
        if guild is None:
            return Standing.MEMBER
        member = guild.get_member(int(user_id))
        if member is not None:
            return _standing(member)
        return await self._ask(guild, int(user_id))

    async def role_ids(self, guild_id: int, user_id: int) -> tuple[int, ...]:
        """See `People`."""
        guild = self._client.get_guild(guild_id)
        if guild is None:
            return ()
        try:
            member = guild.get_member(user_id) or await guild.fetch_member(user_id)
        except discord.HTTPException:
            return ()
        return role_ids_of(member) or ()

    def parent_id(self, channel_id: int) -> int | None:
        """See `People`."""
        channel = self._client.get_channel(channel_id)
        return channel.parent_id if isinstance(channel, discord.Thread) else None

    def met(self, member: discord.Member) -> None:
        """Somebody wrote: the message says who they are there, so nobody needs to be asked."""
        self._know(member.guild.id, member.id, _standing(member))

    async def _ask(self, guild: discord.Guild, user_id: int) -> Standing:
        known = self._asked.get((guild.id, user_id))
        if known is not None and self._clock.monotonic() - known[0] < _KNOWN_FOR_S:
            return known[1]
        try:
            standing = _standing(await guild.fetch_member(user_id))
        except discord.HTTPException:
            standing = Standing.MEMBER
        self._know(guild.id, user_id, standing)
        return standing

    def _know(self, guild_id: int, user_id: int, standing: Standing) -> None:
        self._asked[guild_id, user_id] = (self._clock.monotonic(), standing)
        self._asked.move_to_end((guild_id, user_id))
        while len(self._asked) > _MOST_KNOWN:
            self._asked.popitem(last=False)


def _standing(member: discord.Member) -> Standing:
    return Standing.MANAGER if member.guild_permissions.manage_guild else Standing.MEMBER


def _everyone_sees(channel: discord.abc.GuildChannel | discord.Thread) -> bool:
    if isinstance(channel, discord.Thread):
        parent = channel.parent
        return not channel.is_private() and parent is not None and _everyone_sees(parent)
    return channel.permissions_for(channel.guild.default_role).view_channel
