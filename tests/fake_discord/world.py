"""The whole of a fake Discord's guilds, channels and people, by id, with builders.

The builders are silent: they prepare a world before a bot connects, or behind its back. Changes that a
connected bot must hear of go through `humans.py`.
"""

from __future__ import annotations

from collections.abc import Iterable

from tests.fake_discord import permissions
from tests.fake_discord.entities import (
    Application,
    Attachment,
    Channel,
    ChannelKind,
    Guild,
    Json,
    Member,
    Message,
    MessageFlag,
    MessageKind,
    Overwrite,
    Reaction,
    Reference,
    Role,
    Thread,
    User,
    VoiceState,
)
from tests.fake_discord.snowflakes import Clock, Snowflakes

__all__ = [  # entities are found here too: one import for a test
    "Application",
    "Attachment",
    "Channel",
    "ChannelKind",
    "Guild",
    "Json",
    "Member",
    "Message",
    "MessageFlag",
    "MessageKind",
    "Overwrite",
    "Reaction",
    "Reference",
    "Role",
    "Thread",
    "User",
    "VoiceState",
    "World",
]


class World:
    """Everything by id, and builders that say nothing to a connected bot."""

    def __init__(self, clock: Clock, *, bot_name: str = "Parley") -> None:
        self.clock = clock
        self.snowflakes = Snowflakes(clock)
        self.users: dict[int, User] = {}
        self.guilds: dict[int, Guild] = {}
        self.channels: dict[int, Channel] = {}
        self._dms: dict[int, Channel] = {}
        self.owner = self.add_user("owner", global_name="The Owner")
        self.bot = self.add_user(bot_name, bot=True)
        self.application = Application(id=self.bot.id, name=bot_name, owner=self.owner)

    def add_user(self, name: str, *, global_name: str | None = None, bot: bool = False) -> User:
        made = User(id=self.snowflakes.next(), name=name, global_name=global_name, bot=bot)
        self.users[made.id] = made
        return made

    def add_guild(
        self,
        name: str,
        *,
        owner: User | None = None,
        members: Iterable[User] = (),
        with_bot: bool = True,
        bot_permissions: int = 0,
    ) -> Guild:
        """A guild with its @everyone role; the bot is a member and has a managed role of its own."""
        number = self.snowflakes.next()
        everyone = Role(id=number, name="@everyone", permissions=permissions.EVERYONE, position=0)
        owner = owner or self.owner
        made = Guild(id=number, name=name, owner=owner, everyone=everyone, created_at=self.clock())
        made.roles[number] = everyone
        self.guilds[number] = made
        for user in dict.fromkeys((owner, *members)):
            self.add_member(made, user)
        if with_bot:
            self.add_bot(made, permissions=bot_permissions)
        return made

    def add_bot(self, guild: Guild, *, permissions: int = 0) -> Member:
        role = self.add_role(guild, self.bot.name, permissions=permissions)
        role.managed, role.bot_id = True, self.bot.id
        return self.add_member(guild, self.bot, roles=[role])

    def add_member(
        self, guild: Guild, user: User, *, nick: str | None = None, roles: Iterable[Role] = ()
    ) -> Member:
        made = Member(user=user, joined_at=self.clock(), nick=nick, roles=list(roles))
        guild.members[user.id] = made
        return made

    def add_role(self, guild: Guild, name: str, *, permissions: int = 0, mentionable: bool = False) -> Role:
        made = Role(
            id=self.snowflakes.next(),
            name=name,
            permissions=int(permissions),
            position=len(guild.roles),
            mentionable=mentionable,
        )
        guild.roles[made.id] = made
        return made

    def add_channel(
        self,
        guild: Guild,
        name: str,
        *,
        kind: ChannelKind = ChannelKind.TEXT,
        parent: Channel | None = None,
        topic: str | None = None,
    ) -> Channel:
        made = Channel(
            id=self.snowflakes.next(),
            kind=kind,
            name=name,
            guild=guild,
            parent=parent,
            topic=topic,
            position=len(guild.channels),
        )
        guild.channels[made.id] = self.channels[made.id] = made
        return made

    def add_thread(
        self,
        parent: Channel,
        name: str,
        *,
        owner: User,
        kind: ChannelKind = ChannelKind.PUBLIC_THREAD,
        number: int | None = None,
    ) -> Channel:
        """A thread or forum post; a thread on a message has the id of that message."""
        guild = parent.guild
        if guild is None:
            raise ValueError("a DM has no threads")
        now = self.clock()
        made = Channel(
            id=number or self.snowflakes.next(),
            kind=kind,
            name=name,
            guild=guild,
            parent=parent,
            thread=Thread(owner=owner, archived_at=now, members={owner.id: now}),
        )
        guild.threads[made.id] = self.channels[made.id] = made
        return made

    def dm(self, user: User) -> Channel:
        """The one DM channel between the bot and a user."""
        known = self._dms.get(user.id)
        if known is None:
            known = Channel(
                id=self.snowflakes.next(),
                kind=ChannelKind.DM,
                recipients={user.id: user, self.bot.id: self.bot},
            )
            self._dms[user.id] = self.channels[known.id] = known
        return known

    def remove_channel(self, channel: Channel) -> list[Channel]:
        """Removes a channel or thread; the threads in it, which vanish too, are returned."""
        gone: list[Channel] = []
        if channel.guild is not None:
            gone = [one for one in channel.guild.threads.values() if one.parent is channel]
            for one in (*gone, channel):
                channel.guild.channels.pop(one.id, None)
                channel.guild.threads.pop(one.id, None)
        for one in (*gone, channel):
            one.deleted = True
            self.channels.pop(one.id, None)
        return gone

    def other_party(self, channel: Channel) -> User | None:
        """The human of a DM."""
        return next((user for user in channel.recipients.values() if user is not self.bot), None)
