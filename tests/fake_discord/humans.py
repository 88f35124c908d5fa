"""What people do on the fake Discord, driven by the test; a connected bot hears of all of it.

Everything happens at once and returns what it made. Nothing checks whether a human may do it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tests.fake_discord.announcements import Announcements
from tests.fake_discord.cdn import Cdn
from tests.fake_discord.commands import Commands
from tests.fake_discord.entities import (
    Attachment,
    Channel,
    ChannelKind,
    Guild,
    Json,
    Member,
    Message,
    MessageKind,
    Overwrite,
    Role,
    User,
)
from tests.fake_discord.human_interactions import HumanInteractions
from tests.fake_discord.interactions import Interactions
from tests.fake_discord.messages import Draft, Messages
from tests.fake_discord.recorder import Recorder
from tests.fake_discord.threads import start_thread
from tests.fake_discord.world import World

File = tuple[str, bytes] | Attachment
"""A file name and its bytes, or something stored already."""


class Humans(HumanInteractions):
    def __init__(
        self,
        *,
        world: World,
        messages: Messages,
        announcements: Announcements,
        interactions: Interactions,
        commands: Commands,
        cdn: Cdn,
        recorder: Recorder,
    ) -> None:
        super().__init__(world=world, interactions=interactions, commands=commands)
        self._messages = messages
        self._announcements = announcements
        self._cdn = cdn
        self._recorder = recorder

    # messages

    def say(
        self,
        channel: Channel,
        author: User,
        content: str = "",
        *,
        reply_to: Message | None = None,
        ping: bool = True,
        attachments: Iterable[File] = (),
        embeds: Sequence[Json] = (),
        stickers: Sequence[Json] = (),
        poll: Json | None = None,
        forward: Message | None = None,
        webhook_id: int | None = None,
        flags: int = 0,
        at: float | None = None,
    ) -> Message:
        """A member writes; `ping` False: a reply without the mention; `at`: in the past (since 1970)."""
        files = [self._stored(channel, one) for one in attachments]
        allowed: Json | None = None
        if not ping:
            allowed = {"parse": ["users", "roles", "everyone"], "replied_user": False}
        draft = Draft(
            content=content,
            attachments=files,
            embeds=embeds,
            stickers=stickers,
            poll=poll,
            reply_to=reply_to,
            forward=forward,
            allowed_mentions=allowed,
            webhook_id=webhook_id,
            flags=flags,
        )
        return self._messages.create(channel, author, draft, at=at)

    def mention_bot(self, channel: Channel, author: User, content: str, **more: Any) -> Message:
        """Writes "<@bot> content"."""
        return self.say(channel, author, f"{self._world.bot.mention} {content}", **more)

    def system_message(self, channel: Channel, author: User, kind: MessageKind, content: str = "") -> Message:
        return self._messages.create(channel, author, Draft(content=content, kind=kind))

    def _stored(self, channel: Channel, one: File) -> Attachment:
        return one if isinstance(one, Attachment) else self._cdn.store(channel, one[0], one[1])

    def attach(self, channel: Channel, filename: str, content: bytes, **more: Any) -> Attachment:
        """Stores a file with details (`description`, `duration_s`, `content_type`...) for `say`."""
        return self._cdn.store(channel, filename, content, **more)

    def edit(self, message: Message, content: str) -> Message:
        return self._messages.edit(message, content=content)

    def embed_links(self, message: Message, embeds: Sequence[Json]) -> Message:
        """Discord has looked at a link and adds its embed: an update without an edit."""
        message.embeds = list(embeds)
        self._announcements.message_edited(message)
        return message

    def delete(self, *messages: Message) -> None:
        for message in messages:
            self._messages.delete(message)

    def delete_many(self, messages: Sequence[Message]) -> None:
        """A moderator's bulk deletion: one event."""
        self._messages.delete_many(messages[0].channel, [one.id for one in messages])

    def react(self, message: Message, user: User, emoji: str) -> None:
        self._messages.react(message, user, emoji)

    def unreact(self, message: Message, user: User, emoji: str) -> None:
        self._messages.unreact(message, user, emoji)

    def pin(self, message: Message, by: User) -> None:
        self._messages.pin(message, by)

    def unpin(self, message: Message) -> None:
        self._messages.unpin(message)

    def vote(self, message: Message, user: User, answer_id: int) -> None:
        self._announcements.voted(message, user, answer_id, added=True)

    def type(self, channel: Channel, user: User) -> None:
        self._announcements.typing(channel, user, self._world.clock())

    # channels

    def create_channel(
        self, guild: Guild, name: str, *, kind: ChannelKind = ChannelKind.TEXT, parent: Channel | None = None
    ) -> Channel:
        made = self._world.add_channel(guild, name, kind=kind, parent=parent)
        self._announcements.channel_created(made)
        return made

    def create_thread(
        self, parent: Channel, name: str, owner: User, *, on: Message | None = None, private: bool = False
    ) -> Channel:
        """A thread, on a message if given; with Discord's system messages."""
        return start_thread(
            self._world, self._messages, self._announcements, parent, name, owner, on=on, private=private
        )

    def create_post(self, forum: Channel, name: str, owner: User, content: str) -> tuple[Channel, Message]:
        """A forum post and its first message, which shares its id."""
        thread = self._world.add_thread(forum, name, owner=owner)
        self._announcements.thread_created(thread)
        return thread, self._messages.create(thread, owner, Draft(content=content))

    def change_channel(self, channel: Channel, **changes: Any) -> Channel:
        """Renames, moves and so on: any attribute of the channel; `archived` and `locked` of a thread."""
        for name, value in changes.items():
            if name in ("archived", "locked", "auto_archive_minutes"):
                assert channel.thread is not None
                setattr(channel.thread, name, value)
            else:
                setattr(channel, name, value)
        self._announcements.channel_changed(channel)
        return channel

    def archive(self, thread: Channel, *, locked: bool = False) -> None:
        self.change_channel(thread, archived=True, locked=locked)

    def delete_channel(self, channel: Channel) -> None:
        gone = self._world.remove_channel(channel)
        for one in (*gone, channel):
            self._announcements.channel_deleted(one)

    def set_overwrite(self, channel: Channel, whom: User | Role, *, allow: int = 0, deny: int = 0) -> None:
        """Sets the permission overwrite of a member or role; both 0 removes it."""
        if allow or deny:
            channel.overwrites[whom.id] = Overwrite(
                target_id=whom.id, of_role=isinstance(whom, Role), allow=int(allow), deny=int(deny)
            )
        else:
            channel.overwrites.pop(whom.id, None)
        self._announcements.channel_changed(channel)

    # guilds and members

    def add_bot_to(self, guild: Guild) -> None:
        if self._world.bot.id not in guild.members:
            self._world.add_bot(guild)
        self._announcements.guild_joined(guild)

    def remove_bot_from(self, guild: Guild) -> None:
        self._announcements.guild_left(guild)
        guild.members.pop(self._world.bot.id, None)

    def outage(self, guild: Guild) -> None:
        self._announcements.guild_unavailable(guild)
        guild.available = False

    def outage_over(self, guild: Guild) -> None:
        guild.available = True
        self._announcements.guild_available(guild)

    def rename_guild(self, guild: Guild, name: str) -> None:
        guild.name = name
        self._announcements.guild_changed(guild)

    def join(self, guild: Guild, user: User, *, nick: str | None = None) -> Member:
        made = self._world.add_member(guild, user, nick=nick)
        self._announcements.member_joined(guild, made)
        return made

    def leave(self, guild: Guild, user: User) -> None:
        guild.members.pop(user.id)
        self._announcements.member_left(guild, user)

    def change_member(self, guild: Guild, user: User, **changes: Any) -> Member:
        """`nick`, `roles`, `timed_out_until`."""
        member = guild.members[user.id]
        for name, value in changes.items():
            setattr(member, name, value)
        self._announcements.member_changed(guild, member)
        return member

    def create_role(self, guild: Guild, name: str, *, permissions: int = 0) -> Role:
        made = self._world.add_role(guild, name, permissions=permissions)
        self._announcements.role_changed(guild, made, created=True)
        return made

    def change_role(self, guild: Guild, role: Role, *, permissions: int) -> None:
        role.permissions = permissions
        self._announcements.role_changed(guild, role)

    # waiting for the bot

    async def answer_in(
        self,
        channel: Channel,
        where: Callable[[Message], bool] = lambda message: True,
        *,
        count: int = 1,
        within_s: float = 5.0,
    ) -> Message:
        """The `count`-th message of the bot in a channel that matches, past or coming, also after an edit."""

        def look() -> Message | None:
            found = [one for one in channel.messages.by(self._world.bot) if where(one)]
            return found[count - 1] if len(found) >= count else None

        return await self._recorder.until(look, within_s=within_s)
