"""How messages come to be, change and go; the one road for the bot's requests and for humans.

Checks of form and permission are the REST side's; here is what Discord does once a message is accepted.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tests.fake_discord import mentions, message_payloads, rich_content
from tests.fake_discord.announcements import Announcements
from tests.fake_discord.entities import (
    Attachment,
    Channel,
    Json,
    Message,
    MessageFlag,
    MessageKind,
    Reaction,
    Reference,
    User,
)
from tests.fake_discord.world import World


@dataclass(slots=True, kw_only=True)
class Draft:
    """A message to be. `allowed_mentions` None means no restriction."""

    content: str = ""
    attachments: Sequence[Attachment] = ()
    embeds: Sequence[Json] = ()
    components: Sequence[Json] = ()
    poll: Json | None = None
    stickers: Sequence[Json] = ()
    allowed_mentions: Json | None = None
    flags: int = 0
    tts: bool = False
    nonce: str | int | None = None
    reply_to: Message | None = None
    forward: Message | None = None
    kind: MessageKind | None = None
    webhook_id: int | None = None
    interaction: Json | None = None


class Messages:
    """`nonce_window_s`: how long a nonce is remembered ("a few minutes")."""

    def __init__(self, world: World, announcements: Announcements) -> None:
        self._world = world
        self._announcements = announcements
        self.nonce_window_s = 300.0
        self.nonce_in_history = True
        """Whether a message read back by its author still shows its nonce within the window."""
        self._nonces: dict[tuple[int, str], Message] = {}
        self._nonce_order: deque[tuple[float, tuple[int, str]]] = deque()

    def by_nonce(self, author: User, nonce: str | int) -> Message | None:
        """The message that this author posted with this nonce within the window, in any channel."""
        horizon = self._world.clock() - self.nonce_window_s
        while self._nonce_order and self._nonce_order[0][0] < horizon:
            at, key = self._nonce_order.popleft()
            if (known := self._nonces.get(key)) is not None and known.created_at <= at:
                del self._nonces[key]
        found = self._nonces.get((author.id, str(nonce)))
        return None if found is None or found.deleted else found

    def shows_nonce(self, message: Message, reader: User) -> bool:
        if not self.nonce_in_history or message.nonce is None or message.author is not reader:
            return False
        return message.created_at >= self._world.clock() - self.nonce_window_s

    def create(self, channel: Channel, author: User, draft: Draft, *, at: float | None = None) -> Message:
        """Makes the message, puts it into its channel, tells the gateway. Ephemeral ones stay outside."""
        message = self.compose(channel, author, draft, at=at)
        if message.ephemeral:
            return message
        if message.nonce is not None:
            key = (author.id, str(message.nonce))
            self._nonces[key] = message
            self._nonce_order.append((message.created_at, key))
        self._file(message)
        self._announcements.message_created(message)
        return message

    def compose(self, channel: Channel, author: User, draft: Draft, *, at: float | None = None) -> Message:
        world = self._world
        content = draft.content.strip()
        replied = draft.reply_to
        found = mentions.resolve(
            world,
            channel,
            author,
            content,
            allowed=draft.allowed_mentions,
            replied_to=replied.author if replied else None,
        )
        message = Message(
            id=world.snowflakes.next(at),
            channel=channel,
            author=author,
            content=content,
            created_at=world.clock() if at is None else at,
            kind=draft.kind or (MessageKind.REPLY if replied else MessageKind.DEFAULT),
            flags=draft.flags,
            tts=draft.tts,
            attachments=list(draft.attachments),
            embeds=[rich_content.embed(one) for one in draft.embeds],
            components=rich_content.components(draft.components),
            stickers=list(draft.stickers),
            mentions=found.users,
            mention_roles=found.roles,
            mention_everyone=found.everyone,
            pinged=found.pinged,
            nonce=draft.nonce,
            webhook_id=draft.webhook_id,
            interaction=draft.interaction,
            contents=[content],
        )
        if draft.poll is not None:
            message.poll = rich_content.poll(draft.poll, now=message.created_at)
        pointed_at = replied or draft.forward
        if pointed_at is not None:
            guild = pointed_at.channel.guild
            message.reference = Reference(
                channel_id=pointed_at.channel.id,
                message_id=pointed_at.id,
                guild_id=guild.id if guild else None,
                kind=1 if draft.forward else 0,
            )
            message.referenced = replied
        if draft.forward is not None:
            message.snapshots = [message_payloads.snapshot(draft.forward, world.bot)]
            message.flags |= MessageFlag.HAS_SNAPSHOT
        return message

    def _file(self, message: Message) -> None:
        channel = message.channel
        channel.messages.add(message)
        channel.last_message_id = max(channel.last_message_id or 0, message.id)
        thread = channel.thread
        if thread is not None:
            thread.messages_sent += 1
            thread.members.setdefault(message.author.id, message.created_at)
            if thread.archived:
                thread.archived = False
                thread.archived_at = message.created_at
                self._announcements.channel_changed(channel)

    def edit(
        self,
        message: Message,
        *,
        content: str | None = None,
        embeds: Sequence[Json] | None = None,
        components: Sequence[Json] | None = None,
        attachments: Sequence[Attachment] | None = None,
        flags: int | None = None,
        allowed_mentions: Json | None = None,
    ) -> Message:
        """None leaves a part as it is. Edits ping nobody."""
        if content is not None:
            message.content = content.strip()
            message.contents.append(message.content)
            replied = message.referenced if message.reference and message.reference.kind == 0 else None
            found = mentions.resolve(
                self._world,
                message.channel,
                message.author,
                message.content,
                allowed=allowed_mentions,
                replied_to=replied.author if replied and replied.author in message.mentions else None,
            )
            message.mentions, message.mention_roles = found.users, found.roles
            message.mention_everyone = found.everyone
        if embeds is not None:
            message.embeds = [rich_content.embed(one) for one in embeds]
        if components is not None:
            message.components = rich_content.components(components)
        if attachments is not None:
            message.attachments = list(attachments)
        if flags is not None:
            message.flags = flags
        message.edited_at = self._world.clock()
        if not message.ephemeral:
            self._announcements.message_edited(message)
        return message

    def delete(self, message: Message) -> None:
        message.deleted = True
        if message.id in message.channel.messages:
            message.channel.messages.remove(message)
            self._announcements.message_deleted(message)

    def delete_many(self, channel: Channel, numbers: Iterable[int]) -> None:
        gone = [message for one in numbers if (message := channel.messages.get(one))]
        for message in gone:
            message.deleted = True
            channel.messages.remove(message)
        if gone:
            self._announcements.messages_deleted(channel, [one.id for one in gone])

    def pin(self, message: Message, by: User) -> None:
        if message.pinned:
            return
        message.pinned, message.pinned_at = True, self._world.clock()
        message.channel.last_pin_at = message.pinned_at
        self._announcements.message_edited(message)
        self._announcements.pins_changed(message.channel)
        notice = self.compose(message.channel, by, Draft(kind=MessageKind.PINNED))
        notice.reference = Reference(
            channel_id=message.channel.id,
            message_id=message.id,
            guild_id=message.channel.guild.id if message.channel.guild else None,
        )
        self._file(notice)
        self._announcements.message_created(notice)

    def unpin(self, message: Message) -> None:
        message.pinned, message.pinned_at = False, None
        self._announcements.message_edited(message)
        self._announcements.pins_changed(message.channel)

    def react(self, message: Message, user: User, emoji: str) -> None:
        """`emoji` is the character itself or "name:id" of a custom one."""
        reaction = self._reaction(message, emoji)
        if reaction is None:
            name, _, number = emoji.partition(":")
            reaction = Reaction(name=name, id=int(number) if number else None)
            message.reactions.append(reaction)
        if user.id not in reaction.users:
            reaction.users[user.id] = user
            self._announcements.reacted(message, reaction, user, added=True)

    def unreact(self, message: Message, user: User, emoji: str) -> bool:
        reaction = self._reaction(message, emoji)
        if reaction is None or reaction.users.pop(user.id, None) is None:
            return False
        if not reaction.users:
            message.reactions.remove(reaction)
        self._announcements.reacted(message, reaction, user, added=False)
        return True

    def clear_reactions(self, message: Message, emoji: str | None = None) -> None:
        if emoji is None:
            message.reactions.clear()
            self._announcements.reactions_cleared(message, None)
        elif (reaction := self._reaction(message, emoji)) is not None:
            message.reactions.remove(reaction)
            self._announcements.reactions_cleared(message, reaction)

    def reaction(self, message: Message, emoji: str) -> Reaction | None:
        return self._reaction(message, emoji)

    def _reaction(self, message: Message, emoji: str) -> Reaction | None:
        name, _, number = emoji.partition(":")
        wanted = int(number) if number else None
        for reaction in message.reactions:
            if reaction.id == wanted and (wanted is not None or reaction.name == name):
                return reaction
        return None
